//! Labels: what they say about rates and probabilities, escapes, the internal action.

use crate::options::Dialect;

/// The meaning of a label in CADP's stochastic files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning<'a> {
    /// An action.
    Action(&'a str),
    /// A probability, perhaps with an action.
    Probability(&'a str, &'a str),
    /// A rate, perhaps with an action.
    Rate(&'a str, &'a str),
}

/// The meaning of a label: `rate 2.5`, `prob 0.1`, or either behind an action and a semicolon.
pub(super) fn meaning(label: &str) -> Meaning<'_> {
    let (action, last) = match label.rsplit_once(';') {
        Some((action, last)) => (action.trim(), last.trim()),
        None => ("", label.trim()),
    };
    let number = |word: &str| -> Option<&str> {
        let rest = last.strip_prefix(word)?;
        let number = rest.trim_start();
        let is_number = number.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '.' | '+' | '-'))
            || ["nan", "inf"].iter().any(|word| number.to_ascii_lowercase().starts_with(word));
        (rest.len() > number.len() && is_number).then_some(number)
    };
    match (number("prob"), number("rate")) {
        (Some(number), _) => Meaning::Probability(number, action),
        (_, Some(number)) => Meaning::Rate(number, action),
        _ => Meaning::Action(label),
    }
}

/// The action of a label, without its probability or rate.
fn action(label: &str) -> &str {
    let (Meaning::Action(action) | Meaning::Probability(_, action) | Meaning::Rate(_, action)) =
        meaning(label);
    action
}

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
    fn rates_and_probabilities() {
        for (label, expected) in [
            ("rate 2.5", Meaning::Rate("2.5", "")),
            ("prob 0.1", Meaning::Probability("0.1", "")),
            ("a !1; prob  1/3", Meaning::Probability("1/3", "a !1")),
            ("a;b;rate 1e3", Meaning::Rate("1e3", "a;b")),
            ("prob nan", Meaning::Probability("nan", "")),
            ("rate", Meaning::Action("rate")),
            ("rates 5", Meaning::Action("rates 5")),
            ("rate5", Meaning::Action("rate5")),
            ("prob !1", Meaning::Action("prob !1")),
            ("i", Meaning::Action("i")),
        ] {
            assert_eq!(meaning(label), expected, "{label}");
        }
    }

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
