//! Files of cases with what was found as what is expected.

use super::cases::{Case, marked};
use super::compare::Compared;

/// The text of a file in which the expectations of failed cases are those that were found.
pub fn blessed(text: &str, cases: &[(&Case, &Compared)]) -> String {
    let (mut out, mut at) = (String::new(), 0);
    for (case, compared) in cases {
        if compared.has_passed() || compared.stopped.is_some() {
            continue;
        }
        let has_marks = case.expect_range.is_none()
            || case.expected.iter().any(|one| case.program_range.contains(&(one.span.start as usize)));
        // Marks stand below lines that are there, and are told from lines of the program.
        let lines: Vec<&str> = case.program.split_inclusive('\n').collect();
        let fits = compared.errors.iter().all(|error| error.0 <= lines.len());
        let has_marks = has_marks && fits && !case.program.lines().skip(1).any(|line| marked(line).is_some());
        out.push_str(&text[at..case.program_range.start]);
        if has_marks {
            for (number, line) in lines.iter().enumerate() {
                out.push_str(line);
                for (_, column, width, said) in compared.errors.iter().filter(|error| error.0 == number + 1) {
                    let marks = "^".repeat(width.unwrap_or(1).max(1));
                    out.push_str(&format!("{}{marks} {said}\n", " ".repeat(column - 1)));
                }
            }
        } else {
            out.push_str(&case.program);
        }
        at = case.program_range.end;
        let mut expected = String::new();
        if !has_marks {
            for (line, column, _, said) in &compared.errors {
                expected.push_str(&format!("{line}:{column} {said}\n"));
            }
        }
        for told in &compared.types {
            expected.push_str(&format!("{told}\n"));
        }
        match &case.expect_range {
            Some(range) => {
                out.push_str(&text[at..range.start]);
                out.push_str(&expected);
                at = range.end;
            }
            None if !expected.is_empty() => {
                let fence = text[at..].find('\n').map_or(text.len(), |end| at + end + 1);
                out.push_str(&text[at..fence]);
                out.push_str(&format!("\n```expect\n{expected}```\n"));
                at = fence;
            }
            None => {}
        }
    }
    out.push_str(&text[at..]);
    out
}
