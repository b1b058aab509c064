//! Words and signs of networks: text to tokens. Comments are `(* … *)` and `--` to the end of the line.

use volvelle_diagnostics::{Diagnostic, FileId, Span, codes};

/// The sort of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A keyword, a gate, or `_`.
    Word,
    /// A text with its double quotes.
    Text,
    /// A sign.
    Sign(&'static str),
    /// Behind the last token.
    End,
}

/// A token and its place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub kind: Kind,
    pub start: u32,
    pub end: u32,
}

/// Signs; one that begins another comes behind it.
const SIGNS: [&str; 10] = ["|||", "||", "|[", "]|", "->", "(", ")", ",", "*", "."];

/// Splits a text into tokens; the last one is [`Kind::End`].
pub(super) fn tokens(file: FileId, text: &str) -> (Vec<Token>, Vec<Diagnostic>) {
    let (mut found, mut diagnostics) = (Vec::new(), Vec::new());
    let mut at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let length = |rest: &str, accepts: fn(char) -> bool| rest.find(|c| !accepts(c)).unwrap_or(rest.len());
    while let Some(first) = text[at..].chars().next() {
        let (rest, start) = (&text[at..], at);
        let mut wrong = |end: usize, message: String, help: &str| {
            let span = Span::new(file, start, end);
            diagnostics.push(Diagnostic::error(codes::NETWORK_SYNTAX, message).at(span, "").help(help));
        };
        let kind = if first.is_whitespace() {
            at += length(rest, char::is_whitespace);
            continue;
        } else if rest.starts_with("--") {
            at += length(rest, |c| c != '\n');
            continue;
        } else if let Some(comment) = rest.strip_prefix("(*") {
            at = comment.find("*)").map_or_else(
                || {
                    wrong(start + 2, "a comment without an end".to_owned(), "close it with `*)`");
                    text.len()
                },
                |end| start + 2 + end + 2,
            );
            continue;
        } else if first.is_alphabetic() || first == '_' {
            at += length(rest, |c| c.is_alphanumeric() || c == '_');
            Kind::Word
        } else if first == '"' {
            match end_of_text(rest) {
                Some(length) => at += length,
                None => {
                    at += length(rest, |c| c != '\n');
                    let help = "texts end on their line, with `\"`";
                    wrong(start + 1, "a text without its closing quote".to_owned(), help);
                }
            }
            Kind::Text
        } else if let Some(sign) = SIGNS.into_iter().find(|sign| rest.starts_with(sign)) {
            at += sign.len();
            Kind::Sign(sign)
        } else {
            at += first.len_utf8();
            let message = format!("`{}` is no sign of networks", first.escape_debug());
            wrong(at, message, "offers are part of a label in double quotes: \"PUT !1\"");
            continue;
        };
        found.push(Token { kind, start: start as u32, end: at as u32 });
    }
    let end = text.len() as u32;
    found.push(Token { kind: Kind::End, start: end, end });
    (found, diagnostics)
}

/// The length of the text in quotes with which `rest` begins, with its quotes.
fn end_of_text(rest: &str) -> Option<usize> {
    let mut escaped = true; // the quote itself
    for (at, c) in rest.char_indices() {
        match c {
            '\n' => return None,
            '"' if !escaped => return Some(at + 1),
            _ => escaped = !escaped && c == '\\',
        }
        if at == 0 {
            escaped = false;
        }
    }
    None
}

/// What stands between quotes: `\"` is a quote, other backslashes stay, since patterns have them.
pub(super) fn unquoted(text: &str) -> String {
    let inner = text.strip_prefix('"').unwrap_or(text);
    inner.strip_suffix('"').unwrap_or(inner).replace("\\\"", "\"")
}
