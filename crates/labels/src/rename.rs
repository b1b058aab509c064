//! Renaming: labels that become others.

use crate::pattern::{BadPattern, Pattern};

/// A rule of renaming: what matches the pattern becomes the replacement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Renaming {
    pattern: Pattern,
    replacement: Vec<Piece>,
}

/// A part of a replacement.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Text(String),
    /// What a group matched; 0 is the whole label.
    Group(usize),
}

impl Renaming {
    /// Reads `/PATTERN/REPLACEMENT/`, with any character that is neither letter, digit, blank nor backslash in place of the slashes.
    /// The pattern is matched against the whole label; in the replacement, `\1` to `\9` stand for its groups, `\0` and `&` for the
    /// label, `\&` and `\\` for the characters.
    ///
    /// # Errors
    /// There are not three separators, the pattern is no regular expression, or the replacement mentions a group that it has not.
    pub fn read(text: &str) -> Result<Self, BadPattern> {
        let bad = |reason: String| BadPattern { text: text.to_owned(), reason };
        let form = || bad("a renaming has the form /PATTERN/REPLACEMENT/".to_owned());
        let trimmed = text.trim();
        let separator = trimmed.chars().next().ok_or_else(form)?;
        if separator.is_alphanumeric() || separator == '\\' {
            return Err(form());
        }
        let parts = split(&trimmed[separator.len_utf8()..], separator);
        let [pattern, replacement, rest] = &parts[..] else { return Err(form()) };
        if !rest.is_empty() {
            return Err(form());
        }
        Self::new(pattern, replacement)
    }

    /// A rule of its two parts, written as [`read`](Self::read) says.
    ///
    /// # Errors
    /// The pattern is no regular expression, or the replacement mentions a group that it has not.
    pub fn new(pattern: &str, replacement: &str) -> Result<Self, BadPattern> {
        let bad = |reason: String| BadPattern { text: pattern.to_owned(), reason };
        let compiled = Pattern::new(pattern)?;
        let replacement = pieces(replacement);
        let unknown = replacement.iter().find_map(|piece| match piece {
            Piece::Group(group) if *group > compiled.num_groups() => Some(*group),
            _ => None,
        });
        if let Some(group) = unknown {
            let groups = compiled.num_groups();
            return Err(bad(format!("the replacement mentions group {group}, but the pattern has {groups}")));
        }
        Ok(Renaming { pattern: compiled, replacement })
    }

    /// The new text of a label that matches.
    pub fn apply(&self, label: &str) -> Option<String> {
        let groups = self.pattern.groups(label)?;
        let piece = |piece: &Piece| match piece {
            Piece::Text(text) => text.clone(),
            Piece::Group(group) => groups[*group].to_owned(),
        };
        Some(self.replacement.iter().map(piece).collect())
    }

    /// The label after the first of some rules that matches it.
    pub fn first(rules: &[Renaming], label: &str) -> String {
        rules.iter().find_map(|rule| rule.apply(label)).unwrap_or_else(|| label.to_owned())
    }
}

/// The parts between separators; a separator behind a backslash is a character.
fn split(text: &str, separator: char) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut characters = text.chars();
    while let Some(c) = characters.next() {
        let part = parts.last_mut().expect("there is always a last part");
        match c {
            '\\' => match characters.next() {
                Some(next) if next == separator => part.push(next),
                next => {
                    part.push('\\');
                    part.extend(next);
                }
            },
            _ if c == separator => parts.push(String::new()),
            _ => part.push(c),
        }
    }
    parts
}

fn pieces(replacement: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut text = String::new();
    let mut characters = replacement.chars();
    while let Some(c) = characters.next() {
        let group = match c {
            '&' => 0,
            '\\' => match characters.next() {
                Some(digit @ '0'..='9') => digit as usize - '0' as usize,
                other => {
                    text.push(other.unwrap_or('\\'));
                    continue;
                }
            },
            _ => {
                text.push(c);
                continue;
            }
        };
        if !text.is_empty() {
            pieces.push(Piece::Text(std::mem::take(&mut text)));
        }
        pieces.push(Piece::Group(group));
    }
    if !text.is_empty() {
        pieces.push(Piece::Text(text));
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_put_in() {
        let apply = |rule: &str, label: &str| Renaming::read(rule).unwrap().apply(label);
        assert_eq!(apply(r"/LATENCY !(.*)/\1; rate 2.5/", "LATENCY !HIT").as_deref(), Some("HIT; rate 2.5"));
        assert_eq!(
            apply(r"/LATENCY !\(.*\)/\1; rate 2.5/", "LATENCY !HIT").as_deref(),
            Some("HIT; rate 2.5")
        );
        assert_eq!(apply("/a/b/", "ab"), None);
        assert_eq!(apply(r"#a/(.)#<&>\&\0#", "a/x").as_deref(), Some("<a/x>&a/x"));
        assert_eq!(apply(r"/a\/b/c/", "a/b").as_deref(), Some("c"));
    }

    #[test]
    fn the_first_rule_that_matches_counts() {
        let rules = [Renaming::read("/A/B/").unwrap(), Renaming::read("/B/A/").unwrap()];
        assert_eq!(["A", "B", "C"].map(|label| Renaming::first(&rules, label)), ["B", "A", "C"]);
    }

    #[test]
    fn what_is_no_renaming_is_said() {
        for (text, reason) in [
            ("a/b", "a renaming has the form /PATTERN/REPLACEMENT/"),
            ("/a/b", "a renaming has the form /PATTERN/REPLACEMENT/"),
            ("/a/b/g", "a renaming has the form /PATTERN/REPLACEMENT/"),
            (r"/(a)/\2/", "the replacement mentions group 2, but the pattern has 1"),
            ("/(a/b/", "unclosed group"),
        ] {
            assert_eq!(Renaming::read(text).unwrap_err().reason, reason, "{text}");
        }
    }
}
