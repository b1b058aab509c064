//! Hiding: which labels become the internal action.

use crate::meaning::{Meaning, meaning};
use crate::pattern::{BadPattern, Pattern, gate};
use std::collections::HashSet;

/// A set of labels that are hidden: those that one of some patterns matches, or all others (`all but …`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hiding {
    /// Whether the labels that match are kept, and the others hidden.
    all_but: bool,
    /// Patterns without operators: labels and gates.
    literal: HashSet<String>,
    /// The others.
    patterns: Vec<Pattern>,
}

impl Hiding {
    /// Hides labels that one of the patterns matches, or with `all_but` the others.
    pub fn new(all_but: bool, patterns: Vec<Pattern>) -> Self {
        let literal = patterns.iter().filter_map(|pattern| pattern.literal().map(str::to_owned)).collect();
        let patterns = patterns.into_iter().filter(|pattern| pattern.literal().is_none()).collect();
        Hiding { all_but, literal, patterns }
    }

    /// Reads `P, Q` (labels that match are hidden) or `all but P, Q` (labels that match stay). A pattern with a comma of its own is
    /// written in double quotes; `all` hides everything.
    ///
    /// # Errors
    /// A pattern is no regular expression.
    pub fn read(text: &str) -> Result<Self, BadPattern> {
        let trimmed = text.trim();
        let mut words = trimmed.split_whitespace();
        let has_all = words.next() == Some("all");
        let (all_but, list) = match (has_all, words.next()) {
            (true, None) => return Ok(Self::new(true, Vec::new())),
            (true, Some("but")) => {
                let behind = trimmed["all".len()..].trim_start();
                (true, &behind["but".len()..])
            }
            _ => (false, trimmed),
        };
        let patterns: Result<Vec<Pattern>, BadPattern> =
            list_items(list).iter().map(|item| Pattern::new(item)).collect();
        let patterns = patterns?;
        if patterns.is_empty() {
            let reason = "there is no pattern".to_owned();
            return Err(BadPattern { text: text.to_owned(), reason });
        }
        Ok(Self::new(all_but, patterns))
    }

    /// Whether an action is hidden.
    pub fn hides(&self, action: &str) -> bool {
        let matches = self.literal.contains(action)
            || self.literal.contains(gate(action))
            || self.patterns.iter().any(|pattern| pattern.matches_label(action));
        matches != self.all_but
    }

    /// The label afterwards. Rates and probabilities stay: they lose the action in front of them.
    pub fn apply(&self, label: &str) -> String {
        let (word, number, action) = match meaning(label) {
            Meaning::Action(action) => {
                let is_internal = action == "i";
                return if is_internal || self.hides(action) { "i".to_owned() } else { action.to_owned() };
            }
            Meaning::Rate(number, action) => ("rate", number, action),
            Meaning::Probability(number, action) => ("prob", number, action),
        };
        if action.is_empty() || action == "i" || self.hides(action) {
            format!("{word} {number}")
        } else {
            format!("{action}; {word} {number}")
        }
    }
}

/// The items of a list, separated by commas that stand neither in double quotes nor in brackets.
fn list_items(list: &str) -> Vec<String> {
    let mut items = vec![String::new()];
    let (mut quoted, mut depth, mut escaped) = (false, 0u32, false);
    for c in list.chars() {
        let item = items.last_mut().expect("there is always a last item");
        match c {
            '"' if !escaped => {
                quoted = !quoted;
                continue;
            }
            ',' if !quoted && depth == 0 => {
                items.push(String::new());
                continue;
            }
            '(' | '[' | '{' if !quoted && !escaped => depth += 1,
            ')' | ']' | '}' if !quoted && !escaped => depth = depth.saturating_sub(1),
            _ => {}
        }
        item.push(c);
        escaped = !escaped && c == '\\';
    }
    items.iter().map(|item| item.trim().to_owned()).filter(|item| !item.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_hidden_or_kept() {
        let apply = |hiding: &str, label: &str| Hiding::read(hiding).unwrap().apply(label);
        assert_eq!(apply("all but START.*, STOP", "STARTED !1"), "STARTED !1");
        assert_eq!(apply("all but START.*, STOP", "STOP !2"), "STOP !2");
        assert_eq!(apply("all but START.*, STOP", "GO"), "i");
        assert_eq!(apply("GO", "GO !1"), "i");
        assert_eq!(apply("GO", "ALL"), "ALL");
        assert_eq!(apply("all", "GO"), "i");
        assert_eq!(apply("all but GO", "i"), "i");
        assert_eq!(apply(r#""a(1,2)", b"#, "b"), "i");
        assert_eq!(apply("a{1,2}, b", "aa"), "i");
    }

    #[test]
    fn rates_stay() {
        let apply = |hiding: &str, label: &str| Hiding::read(hiding).unwrap().apply(label);
        assert_eq!(apply("all but A", "rate 2"), "rate 2");
        assert_eq!(apply("all but A", "B !1; rate 2"), "rate 2");
        assert_eq!(apply("all but A", "A !1; prob 0.5"), "A !1; prob 0.5");
        assert_eq!(apply("rate.*", "rate 2"), "rate 2");
    }

    #[test]
    fn what_hides_nothing_is_an_error() {
        assert!(Hiding::read("").is_err() && Hiding::read("all but").is_err() && Hiding::read("a(").is_err());
    }
}
