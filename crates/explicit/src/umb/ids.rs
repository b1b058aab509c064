//! Names that may name folders: lower-case letters, digits, `_` and `-`.

use std::collections::HashSet;

/// Gives every name an id that no other has.
#[derive(Default)]
pub struct Ids {
    taken: HashSet<String>,
}

impl Ids {
    /// An id for a name: the name itself where it is one, else what is left of it, with a number where that is taken.
    pub fn of(&mut self, name: &str) -> String {
        let mut id: String = (name.chars().map(|c| c.to_ascii_lowercase()))
            .map(|c| if c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' { c } else { '_' })
            .collect();
        if id.is_empty() {
            id.push_str("default");
        }
        id.truncate(60);
        let stem = id.clone();
        let mut number = 1;
        while !self.taken.insert(id.clone()) {
            number += 1;
            id = format!("{stem}-{number}");
        }
        id
    }
}

#[cfg(test)]
mod tests {
    use super::Ids;

    #[test]
    fn distinct_and_harmless() {
        let mut ids = Ids::default();
        let names = ["done", "Done", "a b", "a_b", "", "Schritte ⏱", &"x".repeat(99)];
        let found: Vec<String> = names.iter().map(|name| ids.of(name)).collect();
        assert_eq!(found[..6], ["done", "done-2", "a_b", "a_b-2", "default", "schritte__"]);
        assert_eq!(found[6].len(), 60);
    }
}
