//! Comma-separated values, RFC 4180.
//!
//! A text that a spreadsheet would take for a formula gets an apostrophe in front of it, which makes it a text there; numbers stay
//! as they are. Line ends inside a text stay, in quotation marks; other characters that control a terminal are written as `\u{1b}`.

use crate::visible;
use std::borrow::Cow;

/// Adds a line.
pub fn line<C: AsRef<str>>(out: &mut String, cells: &[C]) {
    for (i, text) in cells.iter().enumerate() {
        if i > 0 {
            out.push(',');
        }
        out.push_str(&cell(text.as_ref()));
    }
    out.push('\n');
}

/// A cell.
pub fn cell(text: &str) -> Cow<'_, str> {
    let shown = match text.contains(|c| visible::is_harmful(c) && c != '\n') {
        true => {
            let lines: Vec<Cow<'_, str>> = text.split('\n').map(visible::line).collect();
            Cow::Owned(lines.join("\n"))
        }
        false => Cow::Borrowed(text),
    };
    let mark = if is_formula(&shown) { "'" } else { "" };
    if !mark.is_empty() || shown.contains([',', '"', '\n']) {
        return Cow::Owned(format!("\"{mark}{}\"", shown.replace('"', "\"\"")));
    }
    shown
}

/// Whether a spreadsheet would compute what it reads. A number with a sign is itself, and so is a fraction.
fn is_formula(text: &str) -> bool {
    // The letters of other widths mean the same to some spreadsheets.
    let begins = text.trim_start().starts_with(['=', '+', '-', '@', '＝', '＋', '－', '＠']);
    let is_number = |text: &str| text.parse::<f64>().is_ok();
    let is_fraction =
        || text.split_once('/').is_some_and(|(above, below)| is_number(above) && is_number(below));
    begins && text != "-" && !is_number(text) && !is_fraction()
}

#[cfg(test)]
mod tests {
    use super::{cell, line};

    #[test]
    fn cells_stay_cells() {
        for (text, written) in [
            ("plain", "plain"),
            ("a,b", "\"a,b\""),
            ("say \"a\"", "\"say \"\"a\"\"\""),
            ("a\nb", "\"a\nb\""),
            ("a\r\n\tb", "\"a\\r\n\\tb\""),
            ("\u{1b}[2J\u{7f}", "\\u{1b}[2J\\u{7f}"),
        ] {
            assert_eq!(cell(text), written);
        }
        let mut out = String::new();
        line(&mut out, &["1", "a,b", ""]);
        assert_eq!(out, "1,\"a,b\",\n");
    }

    #[test]
    fn formulas_become_texts_and_numbers_stay() {
        for formula in ["=HYPERLINK(\"x\")", "+cmd|' /C calc'!A0", "-x", "@SUM(A1)", " =1+1", "-1+2", "＝1"]
        {
            assert!(cell(formula).starts_with("\"'"), "{formula}: {}", cell(formula));
        }
        for number in ["-1", "+1", "-1e-300", "-inf", "-1/3", "-", "-0.5", "1", "(-1,2)"] {
            assert_eq!(cell(number).trim_matches('"'), number);
        }
    }
}
