//! JSON.

use crate::visible::is_harmful;
use std::borrow::Cow;
use std::fmt::Write;

/// A document without characters that control a terminal: where they stand in its strings, they are written as `\u009b`. (Between
/// its tokens a document has only line ends and spaces; serialisers escape the controls below U+0020, and leave the rest.)
pub fn harmless(document: &str) -> Cow<'_, str> {
    let is_replaced = |c: char| is_harmful(c) && c >= ' ';
    if !document.contains(is_replaced) {
        return Cow::Borrowed(document);
    }
    let mut out = String::with_capacity(document.len() + 16);
    for c in document.chars() {
        if is_replaced(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _ = write!(out, "\\u{unit:04x}");
            }
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

/// Text for a string of JSON inside an element of HTML: nothing in it ends the element.
pub fn in_markup(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '"' | '\\' => out.extend(['\\', c]),
            '<' | '>' | '&' => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c if is_harmful(c) => c.escape_unicode().for_each(|c| match c {
                '\\' => out.push_str("\\\\"),
                c => out.push(c),
            }),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{harmless, in_markup};

    #[test]
    fn strings_mean_the_same() {
        assert_eq!(
            harmless("{\n  \"a\": \"\u{7f}\u{9b}\u{202e}\u{1fffe}\"\n}"),
            "{\n  \"a\": \"\\u007f\\u009b\\u202e\\ud83f\\udffe\"\n}"
        );
    }

    #[test]
    fn elements_go_on() {
        assert_eq!(in_markup("</script>\"\u{1b}\n"), "\\u003c/script\\u003e\\\"\\\\u{1b}\\n");
    }
}
