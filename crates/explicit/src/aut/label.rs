//! Labels: escapes, the internal action.

use crate::options::Dialect;
use volvelle_labels::action;

/// The text of a label of LTSmin: `\"` and `\\` are escapes, `#6162#` are the bytes of an unprintable one.
pub(super) fn unescape(label: &str) -> String {
    if let Some(digits) = label.strip_prefix('#').and_then(|rest| rest.strip_suffix('#'))
        && !digits.is_empty()
        && digits.len().is_multiple_of(2)
        && digits.bytes().all(|b| b.is_ascii_hexdigit())
    {
        let bytes: Option<Vec<u8>> =
            (0..digits.len() / 2).map(|i| u8::from_str_radix(&digits[2 * i..2 * i + 2], 16).ok()).collect();
        if let Some(text) = bytes.and_then(|bytes| String::from_utf8(bytes).ok()) {
            return text;
        }
    }
    let mut text = String::with_capacity(label.len());
    let mut characters = label.chars();
    while let Some(c) = characters.next() {
        match c {
            '\\' => text.extend(characters.next()),
            _ => text.push(c),
        }
    }
    text
}

/// The name of the internal action, from what occurs in the file where the dialect leaves it open.
pub(super) fn internal(dialect: Dialect, names: &[String], has_plain_i: bool) -> &'static str {
    match dialect {
        Dialect::Cadp => "i",
        Dialect::Mcrl2 | Dialect::Ltsmin => "tau",
        Dialect::Automatic if !has_plain_i && names.iter().any(|name| action(name) == "tau") => "tau",
        Dialect::Automatic => "i",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes() {
        for (label, text) in [
            ("write !\\\"x,y\\\"", "write !\"x,y\""),
            ("a\\\\b", "a\\b"),
            ("#6162#", "ab"),
            ("#ff#", "#ff#"),
            ("#616#", "#616#"),
            ("##", "##"),
            ("end\\", "end"),
        ] {
            assert_eq!(unescape(label), text);
        }
    }
}
