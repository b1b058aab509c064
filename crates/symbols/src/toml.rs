//! Tokens of TOML, whose values have places and whose signs have none.

use crate::pieces::{Class, Piece};

/// The tokens and comments of a text.
pub(crate) fn pieces(text: &str) -> Vec<Piece> {
    let (mut pieces, mut at, mut starts_line) = (Vec::new(), 0, true);
    while let Some(first) = text[at..].chars().next() {
        if first.is_whitespace() || first == '\u{feff}' || first.is_control() {
            starts_line |= first == '\n';
            at += first.len_utf8();
            continue;
        }
        let rest = &text[at..];
        let (class, length) = match first {
            '#' => (Class::Comment, rest.find('\n').map_or(rest.len(), |end| rest[..end].trim_end().len())),
            '"' | '\'' => (Class::Text, quoted(rest)),
            _ if is_bare(first) => {
                let length = rest.find(|c| !is_bare(c) && c != '.').unwrap_or(rest.len());
                let is_number = first.is_ascii_digit() || matches!(first, '-' | '+');
                // Points stand between the words of a key.
                let word = rest.find(|c| !is_bare(c)).unwrap_or(rest.len());
                if is_number { (Class::Number, length) } else { (class_of(&rest[..word]), word) }
            }
            _ => (Class::Operator, first.len_utf8()),
        };
        let (start, end) = (at as u32, (at + length) as u32);
        pieces.push(Piece { start, end, class, starts_line });
        (at, starts_line) = (at + length, false);
    }
    pieces
}

fn is_bare(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '+')
}

fn class_of(word: &str) -> Class {
    if matches!(word, "true" | "false" | "inf" | "nan") { Class::Keyword } else { Class::Name }
}

/// Length of a text in quotes; one without an end goes to the end of its line.
fn quoted(rest: &str) -> usize {
    let quote = &rest[..1];
    let three = quote.repeat(3);
    if let Some(inside) = rest.strip_prefix(&three) {
        return inside.find(&three).map_or(rest.len(), |end| end + 6);
    }
    let line = rest.find('\n').unwrap_or(rest.len());
    let mut is_escaped = false;
    for (at, byte) in rest[..line].bytes().enumerate().skip(1) {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if quote == "\"" => is_escaped = true,
            byte if byte == quote.as_bytes()[0] => return at + 1,
            _ => {}
        }
    }
    rest[..line].trim_end().len()
}
