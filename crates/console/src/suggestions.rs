//! What can be asked of a file, as commands to copy.
//!
//! Every question says itself what it would ask ([`Ask::SUGGESTS`](crate::question::Ask), [`Member::SUGGESTS`](crate::family::Member)), so
//! that a new one is proposed where it fits. `volvelle FILE` and `volvelle info FILE` show the proposals.

use crate::door;
use std::fmt::Display;
use std::path::Path;
use volvelle_logic::ConstantValue;
use volvelle_session::language::{Formalism, Offers};
use volvelle_session::outline::Outline;

/// Names that some tools and formats give all models.
const COMMON_LABELS: [&str; 2] = ["init", "deadlock"];

/// A command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suggestion {
    /// As it is typed.
    pub command: String,
    /// What it answers.
    pub about: String,
    /// Whether it is what such a file is written for, and so comes first.
    pub is_main: bool,
}

impl Suggestion {
    /// A command of this program: the words behind its name.
    pub fn new(about: impl Display, words: impl Display) -> Self {
        Suggestion { command: format!("volvelle {words}"), about: about.to_string(), is_main: false }
    }

    /// One command, if it `is_asked` of the file.
    pub fn only_if(is_asked: bool, about: impl Display, words: impl Display) -> Vec<Self> {
        is_asked.then(|| Suggestion::new(about, words)).into_iter().collect()
    }

    /// The same, as what such a file is written for.
    #[must_use]
    pub fn first(self) -> Self {
        Suggestion { is_main: true, ..self }
    }
}

/// What tells the kind of a file: its name and its first bytes.
#[derive(Clone, Debug, Default)]
pub struct Head {
    /// The name, as a word of the command line.
    pub word: String,
    /// The ending of the name, in small letters.
    pub ending: String,
    /// The first bytes.
    pub bytes: Vec<u8>,
}

impl Head {
    /// The head of a file; without bytes where they can be read once only, or not at all.
    pub fn of(path: &Path) -> Self {
        let ending = path.extension().map_or(String::new(), |e| e.to_string_lossy().to_lowercase());
        let bytes = door::head(path).unwrap_or_default();
        Head { word: word(&path.display().to_string()), ending, bytes }
    }

    /// The first bytes as text, as far as they are some.
    pub fn text(&self) -> &str {
        match std::str::from_utf8(&self.bytes) {
            Ok(text) => text,
            Err(error) => std::str::from_utf8(&self.bytes[..error.valid_up_to()]).unwrap_or(""),
        }
    }

    /// Whether it is TOML with one of these tables: `[table]`, `[[table]]`, `[table.more]`.
    pub fn has_table(&self, tables: &[&str]) -> bool {
        let is_one = |line: &str, table| {
            let behind = line.trim_start_matches('[').strip_prefix(table);
            line.starts_with('[') && behind.is_some_and(|rest| rest.starts_with([']', '.']))
        };
        self.ending == "toml"
            && self.text().lines().any(|line| tables.iter().any(|&table| is_one(line, table)))
    }

    /// Whether it is TOML with one of these keys outside of tables.
    pub fn has_key(&self, keys: &[&str]) -> bool {
        let is_one = |line: &str, key| {
            let behind = line.strip_prefix(key);
            behind.is_some_and(|rest: &str| rest.trim_start().starts_with('='))
        };
        let mut outside = self.text().lines().take_while(|line| !line.starts_with('['));
        self.ending == "toml" && outside.any(|line| keys.iter().any(|&key| is_one(line, key)))
    }
}

/// A file that somebody asks about.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// What tells its kind.
    pub head: &'a Head,
    /// What it offers, where it is a model.
    pub offers: Option<Offers>,
    /// Its parts, where it has some that are known without exploring it.
    pub outline: Option<&'a Outline>,
    /// Files of properties: those that were given, or that stand beside it. As words of the command line.
    pub properties: &'a [String],
}

impl Subject<'_> {
    /// The file, and values of constants that the text leaves open: what every command about it needs.
    pub fn model(&self) -> String {
        self.with_constants(false)
    }

    /// The file with its files of properties, and values of open constants of all of them.
    pub fn with_properties(&self) -> String {
        self.with_constants(true)
    }

    fn with_constants(&self, of_properties: bool) -> String {
        let constants = self.outline.iter().flat_map(|outline| &outline.constants);
        let open = constants.filter(|c| c.open && (of_properties || !c.in_properties));
        let given = |value: &ConstantValue| value.to_string();
        let open = open.map(|c| format!("{}={}", c.name, c.value.as_ref().map_or("...".to_owned(), given)));
        let open: Vec<String> = open.collect();
        let mut words = vec![self.head.word.clone()];
        if of_properties {
            words.extend_from_slice(self.properties);
        }
        if !open.is_empty() {
            words.push(format!("--const {}", open.join(",")));
        }
        words.join(" ")
    }

    /// Whether it is a system whose steps have labels.
    pub fn is_system(&self) -> bool {
        let is_one = |offers: Offers| offers.is_labelled || offers.formalism == Formalism::Behaviours;
        self.offers.is_some_and(is_one) || self.is_of_kind(&["LTS"])
    }

    /// Whether it is of one of these kinds, as outlines name them.
    pub fn is_of_kind(&self, kinds: &[&str]) -> bool {
        self.outline.is_some_and(|outline| kinds.contains(&outline.kind.as_str()))
    }

    /// A set of states that is worth a question: a label of the model, or else the end of the range of a variable.
    pub fn target(&self) -> Option<String> {
        let outline = self.outline?;
        let label = outline.labels.iter().find(|label| !COMMON_LABELS.contains(&label.as_str()));
        if let Some(label) = label {
            return Some(format!("\"{label}\""));
        }
        outline.variables.iter().find_map(|variable| match variable.range.split_once("..") {
            Some((_, last)) => last.parse::<i64>().ok().map(|last| format!("{} = {last}", variable.name)),
            None => (variable.range == "bool").then(|| variable.name.clone()),
        })
    }
}

/// A word as a shell takes it: quoted where it has to be.
pub fn word(text: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "_-./:=,+@%".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::{Head, word};

    #[test]
    fn words_are_quoted_where_they_have_to_be() {
        assert_eq!(word("a/b-1.prism"), "a/b-1.prism");
        assert_eq!(word("my model.pm"), "'my model.pm'");
        assert_eq!(word("it's"), r"'it'\''s'");
        assert_eq!(word("$HOME"), "'$HOME'");
        assert_eq!(word(""), "''");
    }

    #[test]
    fn keys_and_tables_of_toml() {
        let head = |text: &str| Head { ending: "toml".into(), bytes: text.into(), ..Head::default() };
        for line in ["[run]", "[run.more]", "[[run]]"] {
            assert!(head(line).has_table(&["run"]) && !head(line).has_key(&["run"]), "{line}");
        }
        for line in ["run = 1", "run=2"] {
            assert!(head(line).has_key(&["run"]) && !head(line).has_table(&["run"]), "{line}");
        }
        for line in ["runner = 1", "[runner]", "# run = 1", "x = \"[run]\"", "run"] {
            assert!(!head(line).has_key(&["run"]) && !head(line).has_table(&["run"]), "{line}");
        }
        let inside = Head { bytes: b"title = 1\n[a]\nrun = 1\n[step.x]\n\xff".to_vec(), ..head("") };
        assert!(inside.has_key(&["title"]) && !inside.has_key(&["run"]));
        assert!(inside.has_table(&["b", "step"]) && !inside.has_table(&["title"]));
        assert!(!Head { ending: "txt".into(), ..inside }.has_table(&["a"]));
    }
}
