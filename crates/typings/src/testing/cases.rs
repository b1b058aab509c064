//! Files of cases: Markdown with programs and what is expected of them.
//!
//! The first line names the system (`system: ../calculator.rules`). Each heading stands above a fence `program`, in which a line of `^` and a
//! word marks an error of the line above, and may be followed by a fence `expect` with lines such as `1:5 type = Str`.

use crate::place;
use std::ops::Range;
use volvelle_diagnostics::{Diagnostic, FileId, Span, codes};

/// A file of cases.
#[derive(Clone, Debug)]
pub struct CaseFile {
    /// The file of the system, as it is written, and where.
    pub system: (String, Span),
    /// Its cases, in order.
    pub cases: Vec<Case>,
}

/// A program, and what is expected of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// The heading above it.
    pub title: String,
    /// The line of its program's fence.
    pub line: usize,
    /// Its program, without the lines that mark errors.
    pub program: String,
    /// Where that stands in the file, with these lines.
    pub program_range: Range<usize>,
    /// What is expected.
    pub expected: Vec<Expected>,
    /// Where the block of expectations stands, if there is one.
    pub expect_range: Option<Range<usize>>,
}

/// Something that is expected of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expected {
    /// Line and column in the program, from 1.
    pub place: (usize, usize),
    /// How many columns are marked.
    pub width: Option<usize>,
    /// What is said there.
    pub text: String,
    /// Where it is written.
    pub span: Span,
}

/// A fenced block.
struct Block {
    info: String,
    line: usize,
    range: Range<usize>,
}

/// Reads a file.
pub fn read(file: FileId, text: &str) -> Result<CaseFile, Vec<Diagnostic>> {
    let mut reader = Reader { file, found: Vec::new(), system: None, title: None, cases: Vec::new() };
    reader.lines(text);
    let Reader { mut found, system, cases, .. } = reader;
    let start = Span::new(file, 0, 0);
    if system.is_none() {
        let flaw = flaw("the file names no system", start);
        found.push(flaw.help("a line before the first case: `system: ../calculator.rules`"));
    }
    if cases.is_empty() {
        let flaw = flaw("the file has no cases", start);
        found.push(flaw.help("a case is a heading with a block of three backticks that has the program"));
    }
    match system {
        Some(system) if found.is_empty() => Ok(CaseFile { system, cases }),
        _ => Err(found),
    }
}

fn flaw(message: impl Into<String>, span: Span) -> Diagnostic {
    Diagnostic::error(codes::RULE_QUESTION, message).at(span, "")
}

struct Reader {
    file: FileId,
    found: Vec<Diagnostic>,
    system: Option<(String, Span)>,
    /// The heading, and whether a case has it.
    title: Option<String>,
    cases: Vec<Case>,
}

impl Reader {
    fn span(&self, range: Range<usize>) -> Span {
        Span::new(self.file, range.start, range.end)
    }

    fn lines(&mut self, text: &str) {
        let mut at = 0;
        let mut open: Option<(String, Block)> = None;
        // Whether a case was read since the last heading.
        let mut has_case = false;
        for (number, line) in text.split_inclusive('\n').enumerate() {
            let (start, end) = (at, at + line.len());
            at = end;
            let words = line.trim_end();
            let fence: String = words.chars().take_while(|&c| c == '`').collect();
            if let Some((mark, block)) = &mut open {
                if words == *mark {
                    block.range.end = start;
                    let block = open.take();
                    if let Some((_, block)) = block {
                        self.block(text, block, &mut has_case);
                    }
                }
            } else if fence.len() >= 3 {
                let info = words[fence.len()..].trim().to_owned();
                open = Some((fence, Block { info, line: number + 1, range: end..end }));
            } else if words.starts_with('#') {
                self.title = Some(words.trim_start_matches('#').trim().to_owned());
                has_case = false;
            } else if let Some(name) = words.strip_prefix("system:") {
                let span = self.span(start..start + words.len());
                if self.system.is_some() {
                    self.found.push(flaw("the file names a system already", span));
                } else {
                    self.system = Some((name.trim().to_owned(), span));
                }
            }
        }
        if let Some((_, block)) = open {
            let span = self.span(block.range.start.saturating_sub(1)..block.range.start);
            self.found.push(flaw("the block has no end", span));
        }
    }

    fn block(&mut self, text: &str, block: Block, has_case: &mut bool) {
        let span = self.span(block.range.clone());
        let content = &text[block.range.clone()];
        if block.info == "expect" {
            let Some(case) = self.cases.last().filter(|case| *has_case && case.expect_range.is_none()) else {
                let message = "expectations stand behind the program of their case, once for each";
                self.found.push(flaw(message, Span { end: span.start, ..span }));
                return;
            };
            let lines = case.program.lines().count();
            let mut expected = Vec::new();
            for (range, line) in lines_of(content) {
                if line.trim().is_empty() {
                    continue;
                }
                let span = self.span(block.range.start + range.start..block.range.start + range.end);
                let read = line.split_once(' ').and_then(|(at, said)| Some((place::read(at)?, normal(said))));
                match read {
                    Some((place, said)) if !said.is_empty() && place.0 <= lines + 1 => {
                        expected.push(Expected { place, width: None, text: said, span });
                    }
                    _ => {
                        let help = "LINE:COLUMN and what is said there: `1:5 mixed`, `1:5 type = Int`, `1:5 type fails`";
                        self.found.push(flaw("no expectation about a place of the program", span).help(help));
                    }
                }
            }
            if let Some(case) = self.cases.last_mut() {
                case.expected.extend(expected);
                case.expect_range = Some(block.range);
            }
            return;
        }
        let Some(title) = self.title.clone() else {
            self.found
                .push(flaw("a case has a heading, and there is none", Span { end: span.start, ..span }));
            return;
        };
        if std::mem::replace(has_case, true) {
            let flaw =
                flaw("a case has one program, and this is a second one", Span { end: span.start, ..span });
            self.found.push(flaw.help("begin another case: `## What it is about`"));
            return;
        }
        let (program, expected) = self.program(content, block.range.start);
        let (line, program_range) = (block.line, block.range);
        self.cases.push(Case { title, line, program, program_range, expected, expect_range: None });
    }

    /// The program, and the errors that are marked below its lines.
    fn program(&self, content: &str, start: usize) -> (String, Vec<Expected>) {
        let (mut program, mut expected) = (String::new(), Vec::new());
        let mut number = 0;
        for (range, line) in lines_of(content) {
            match marked(line).filter(|_| number > 0) {
                Some((column, width, text)) => {
                    let span = self.span(start + range.start..start + range.end);
                    let width = (width > 1).then_some(width);
                    expected.push(Expected { place: (number, column), width, text, span });
                }
                None => {
                    number += 1;
                    program.push_str(content[range.start..].split_inclusive('\n').next().unwrap_or_default());
                }
            }
        }
        (program, expected)
    }
}

/// Lines without their ends, with their places.
fn lines_of(text: &str) -> impl Iterator<Item = (Range<usize>, &str)> {
    let mut at = 0;
    text.split_inclusive('\n').map(move |line| {
        let start = at;
        at += line.len();
        let line = line.trim_end_matches(['\n', '\r']);
        (start..start + line.len(), line)
    })
}

/// `   ^^^ what is said`: the column, how many are marked, and the words.
pub fn marked(line: &str) -> Option<(usize, usize, String)> {
    let marks = line.trim_start();
    let width = marks.chars().take_while(|&c| c == '^').count();
    let said = marks[width..].strip_prefix(' ').map(normal).filter(|said| !said.is_empty())?;
    let column = line.chars().take_while(|c| c.is_whitespace()).count() + 1;
    (width > 0).then_some((column, width, said))
}

/// Words with one space between them.
pub fn normal(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::{marked, read};
    use volvelle_diagnostics::FileId;

    const FILE: &str = "# Sums\n\nsystem: s.rules\n\nSome words.\n\n## One\n\n```program\n1 + \"a\";\n^^^^^^^ mixed\n    ^ a  text\n2;\n```\n\n```expect\n1:5 type = Str\n2:1 unused\n```\n\n## Two\n```\nx\n```\n";

    fn messages(text: &str) -> Vec<String> {
        read(FileId(0), text)
            .map_or_else(|all| all.into_iter().map(|one| one.message).collect(), |_| Vec::new())
    }

    #[test]
    fn cases_are_read() {
        let file = read(FileId(0), FILE).expect("a file");
        assert_eq!(file.system.0, "s.rules");
        let [one, two] = file.cases.as_slice() else { panic!("{file:?}") };
        assert_eq!((one.title.as_str(), one.line, one.program.as_str()), ("One", 9, "1 + \"a\";\n2;\n"));
        let expected: Vec<_> =
            one.expected.iter().map(|one| (one.place, one.width, one.text.as_str())).collect();
        assert_eq!(
            expected,
            [
                ((1, 1), Some(7), "mixed"),
                ((1, 5), None, "a text"),
                ((1, 5), None, "type = Str"),
                ((2, 1), None, "unused")
            ]
        );
        assert_eq!((two.title.as_str(), two.expected.len()), ("Two", 0));
        assert_eq!(
            &FILE[one.program_range.clone()].len(),
            &"1 + \"a\";\n^^^^^^^ mixed\n    ^ a  text\n2;\n".len()
        );
    }

    #[test]
    fn what_is_no_file_of_cases() {
        let all = [
            ("", &["the file names no system", "the file has no cases"][..]),
            ("## a\n```\nx\n```\n", &["the file names no system"]),
            ("system: s\nsystem: t\n## a\n```\nx\n```\n", &["the file names a system already"]),
            (
                "system: s\n```\nx\n```\n",
                &["a case has a heading, and there is none", "the file has no cases"],
            ),
            (
                "system: s\n## a\n```\nx\n```\n```\ny\n```\n",
                &["a case has one program, and this is a second one"],
            ),
            ("system: s\n## a\n```\nx\n", &["the block has no end", "the file has no cases"]),
            (
                "system: s\n## a\n```expect\n1:1 x\n```\n```\nx\n```\n",
                &["expectations stand behind the program of their case, once for each"],
            ),
            (
                "system: s\n## a\n```\nx\n```\n## b\n```expect\n1:1 x\n```\n",
                &["expectations stand behind the program of their case, once for each"],
            ),
            (
                "system: s\n## a\n```\nx\n```\n```expect\n1:1\n```\n",
                &["no expectation about a place of the program"],
            ),
            (
                "system: s\n## a\n```\nx\n```\n```expect\n0:1 x\n```\n",
                &["no expectation about a place of the program"],
            ),
            (
                "system: s\n## a\n```\nx\n```\n```expect\n9:1 x\n```\n",
                &["no expectation about a place of the program"],
            ),
        ];
        for (text, wanted) in all {
            assert_eq!(messages(text), wanted, "{text}");
        }
    }

    #[test]
    fn marks() {
        assert_eq!(marked("  ^^ two words "), Some((3, 2, "two words".to_owned())));
        assert_eq!(marked("^ x"), Some((1, 1, "x".to_owned())));
        for line in ["", "^", "^^ ", "a ^ b", "^x"] {
            assert_eq!(marked(line), None, "{line}");
        }
    }
}
