//! Patterns: regular expressions over whole labels.
//!
//! The syntax is that of extended regular expressions (crate `regex`): `(…)`, `|`, `.`, `*`, `+`, `?`, `[…]`. Users of CADP write
//! basic ones, in which `\(…\)` and `\|` are operators; a pattern with `\(` and without a plain `(` is read as a basic one.

use regex::Regex;

/// A regular expression that is matched against whole texts.
#[derive(Clone, Debug)]
pub struct Pattern {
    text: String,
    /// What a text that matches begins with.
    prefix: String,
    /// `None` where the pattern is no more than its prefix.
    regex: Option<Regex>,
}

/// A pattern that is no regular expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadPattern {
    /// The pattern as written.
    pub text: String,
    /// Why it is none, on one line.
    pub reason: String,
}

impl std::fmt::Display for BadPattern {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "`{}` is no regular expression: {}", self.text, self.reason)
    }
}

impl std::error::Error for BadPattern {}

impl Pattern {
    /// Reads a pattern.
    ///
    /// # Errors
    /// It is no regular expression, or too large a one.
    pub fn new(text: &str) -> Result<Self, BadPattern> {
        let prefix = literal_prefix(text).to_owned();
        if prefix.len() == text.len() {
            return Ok(Pattern { text: text.to_owned(), prefix, regex: None });
        }
        let extended = if is_basic(text) { from_basic(text) } else { text.to_owned() };
        let bad = |reason: String| BadPattern { text: text.to_owned(), reason };
        // Alone first: parentheses that do not match must not be closed by the ones around it.
        Regex::new(&extended).map_err(|error| bad(reason(&error)))?;
        let regex = Regex::new(&format!("^(?:{extended})$")).map_err(|error| bad(reason(&error)))?;
        Ok(Pattern { text: text.to_owned(), prefix, regex: Some(regex) })
    }

    /// Whether the whole of a text matches.
    pub fn matches(&self, text: &str) -> bool {
        match &self.regex {
            None => text == self.prefix,
            Some(regex) => text.starts_with(&self.prefix) && regex.is_match(text),
        }
    }

    /// The only text that matches, where the pattern is one without operators.
    pub fn literal(&self) -> Option<&str> {
        self.regex.is_none().then_some(&self.prefix)
    }

    /// Whether a label matches: all of it, or its gate, which is what stands before the first offer or argument.
    pub fn matches_label(&self, label: &str) -> bool {
        self.matches(label) || self.matches(gate(label))
    }

    /// The groups of a text that matches: the whole, then those in parentheses. Groups that take no part are empty.
    pub fn groups<'t>(&self, text: &'t str) -> Option<Vec<&'t str>> {
        if !text.starts_with(&self.prefix) {
            return None;
        }
        let Some(regex) = &self.regex else { return (text == self.prefix).then(|| vec![text]) };
        let captures = regex.captures(text)?;
        Some(captures.iter().map(|group| group.map_or("", |m| m.as_str())).collect())
    }

    /// How many groups in parentheses there are.
    pub fn num_groups(&self) -> usize {
        self.regex.as_ref().map_or(0, |regex| regex.captures_len() - 1)
    }

    /// As written.
    pub fn text(&self) -> &str {
        &self.text
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for Pattern {}

/// The characters at the beginning of a pattern that stand for themselves. The last of them is left out where an operator may follow it,
/// and all of them where a `|` does.
fn literal_prefix(text: &str) -> &str {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | ' ' | '!');
    let length = text.find(|c| !is_plain(c)).unwrap_or(text.len());
    match text.contains('|') {
        true => "",
        false if length == text.len() => text,
        false => &text[..text[..length].char_indices().next_back().map_or(0, |(last, _)| last)],
    }
}

/// The gate of a label: `PUT` of `PUT !1`, of `PUT(1,true)` and of `PUT; rate 2`.
pub fn gate(label: &str) -> &str {
    label.split([' ', '!', '?', '(', ';']).next().unwrap_or(label)
}

/// The last line of an error of the library, which has the reason.
fn reason(error: &regex::Error) -> String {
    let text = error.to_string();
    let last = text.lines().last().unwrap_or_default().trim();
    last.strip_prefix("error: ").unwrap_or(last).to_owned()
}

/// Whether a pattern has groups of basic regular expressions only.
fn is_basic(text: &str) -> bool {
    let (mut escaped, mut has_group) = (false, false);
    for c in text.chars() {
        match (escaped, c) {
            (true, '(') => has_group = true,
            (false, '(' | ')') => return false,
            _ => {}
        }
        escaped = !escaped && c == '\\';
    }
    has_group
}

/// The extended regular expression of a basic one: operators with a backslash lose it, and operators without one are characters.
fn from_basic(text: &str) -> String {
    let mut extended = String::with_capacity(text.len());
    let mut characters = text.chars();
    while let Some(c) = characters.next() {
        match c {
            '\\' => match characters.next() {
                Some(operator @ ('(' | ')' | '|' | '+' | '?' | '{' | '}')) => extended.push(operator),
                Some(other) => extended.extend(['\\', other]),
                None => extended.push('\\'),
            },
            '|' | '+' | '?' | '{' | '}' => extended.extend(['\\', c]),
            _ => extended.push(c),
        }
    }
    extended
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_texts_match() {
        let matches = |pattern: &str, text: &str| Pattern::new(pattern).unwrap().matches(text);
        assert!(matches("PUT !.*", "PUT !1 !TRUE"));
        assert!(!matches("PUT", "PUT !1") && !matches("UT.*", "PUT"));
        assert!(matches("a|bc", "bc") && !matches("a|bc", "abc"));
        assert!(matches(r"\(a\|b\)c+", "bc+") && !matches(r"\(a\|b\)c+", "bc"));
        assert!(matches(r"a\.b", "a.b") && !matches(r"a\.b", "axb"));
        assert!(matches("", "") && !matches("", "a"));
    }

    #[test]
    fn a_prefix_is_no_more_than_what_all_matches_begin_with() {
        for (pattern, prefix) in [
            ("PUT !1", "PUT !1"),
            ("PUT !.*", "PUT "),
            ("ab?", "a"),
            ("ab|c", ""),
            ("(a)b", ""),
            ("\u{e9}+", ""),
        ] {
            assert_eq!(literal_prefix(pattern), prefix, "{pattern}");
        }
        let matches = |pattern: &str, text: &str| Pattern::new(pattern).unwrap().matches(text);
        assert!(
            matches("ab?", "a")
                && matches("ab{0}", "a")
                && matches("ab*c", "ac")
                && matches("PUT !1", "PUT !1")
        );
        assert_eq!(Pattern::new("PUT").unwrap().groups("PUT"), Some(vec!["PUT"]));
        assert_eq!(Pattern::new("PUT").unwrap().groups("PUT !1"), None);
    }

    #[test]
    fn labels_match_as_a_whole_or_by_their_gate() {
        let matches = |pattern: &str, label: &str| Pattern::new(pattern).unwrap().matches_label(label);
        for label in ["PUT", "PUT !1", "PUT(1,true)", "PUT; rate 2"] {
            assert!(matches("PUT", label), "{label}");
            assert!(!matches("P", label), "{label}");
        }
        assert!(matches("PUT !.*", "PUT !1"));
    }

    #[test]
    fn what_is_no_pattern_is_said() {
        for (text, reason) in [
            ("a(", "unclosed group"),
            ("a)(b", "unopened group"),
            ("*", "repetition operator missing expression"),
            ("[a", "unclosed character class"),
        ] {
            let error = Pattern::new(text).unwrap_err();
            assert_eq!((error.text.as_str(), error.reason.as_str()), (text, reason));
        }
    }
}
