//! Names that may name folders: lower-case letters, digits, `_` and `-`.

use std::collections::{HashMap, HashSet};

/// Gives every name an id that no other has.
#[derive(Default)]
pub struct Ids {
    taken: HashSet<String>,
}

/// Longest id that is written: two of them fit into the name of a member.
const LONGEST: usize = 60;

/// Whether a name can name a folder as it is. The specification has lower-case letters only; Storm writes capital ones, too.
pub fn is_word(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'))
}

impl Ids {
    /// Ids that differ from these names.
    pub fn other_than<'n>(names: impl IntoIterator<Item = &'n str>) -> Self {
        Ids { taken: names.into_iter().map(str::to_owned).collect() }
    }

    /// An id for a name: the name itself where it is one, else what is left of it, with a number where that is taken.
    pub fn of(&mut self, name: &str) -> String {
        let mut id: String = (name.chars().map(|c| c.to_ascii_lowercase()))
            .map(|c| if c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' { c } else { '_' })
            .collect();
        if id.is_empty() {
            id.push_str("default");
        }
        id.truncate(LONGEST);
        let stem = id.clone();
        let mut number = 1;
        while !self.taken.insert(id.clone()) {
            number += 1;
            id = format!("{stem}-{number}");
        }
        id
    }
}

/// The groups of annotations as they are written: names that are words stay, and no two groups become one.
pub fn groups<'n>(names: &[&'n str]) -> HashMap<&'n str, String> {
    let stays = |name: &&str| is_word(name) && name.len() <= LONGEST;
    let kept = names.iter().copied().filter(stays);
    let mut ids = Ids::other_than(kept.chain(["aps", "rewards"]));
    let mut written = HashMap::new();
    for &name in names {
        written.entry(name).or_insert_with(|| if stays(&name) { name.to_owned() } else { ids.of(name) });
    }
    written
}

#[cfg(test)]
mod tests {
    use super::{Ids, groups};

    #[test]
    fn groups_stay_apart() {
        let long = "g".repeat(61);
        let found = groups(&["colours", "Colours", "Aps", "aps", "a b", "a_b", "a b", "rewards ", &long]);
        let expected = [
            ("colours", "colours"),
            ("Colours", "Colours"),
            ("Aps", "Aps"),
            ("aps", "aps"),
            ("a b", "a_b-2"),
            ("a_b", "a_b"),
            ("rewards ", "rewards_"),
            (&long, &long[..60]),
        ];
        assert_eq!(found, expected.map(|(name, id)| (name, id.to_owned())).into());
    }

    #[test]
    fn distinct_and_harmless() {
        let mut ids = Ids::default();
        let names = ["done", "Done", "a b", "a_b", "", "Schritte ⏱", &"x".repeat(99)];
        let found: Vec<String> = names.iter().map(|name| ids.of(name)).collect();
        assert_eq!(found[..6], ["done", "done-2", "a_b", "a_b-2", "default", "schritte__"]);
        assert_eq!(found[6].len(), 60);
    }
}
