//! Rows of `cases.tsv`: a file, its kind, and what is known of it.

use super::{Files, part_of};
use std::path::Path;

/// A file.
pub struct Row {
    /// Path from the folder.
    pub file: String,
    /// `dtmc`, `ma`, `idtmc`, ...
    pub kind: String,
    labels: Vec<String>,
    properties: String,
    expected: String,
    note: String,
}

/// What a row says of a model.
pub enum Asked {
    /// A property as we write it, and its values.
    Value { text: String, expected: Expected },
    /// A property that names what the file lost, so that it has to be refused.
    Unknown { text: String },
    /// Something that is no property.
    Fact { what: String, value: String },
}

/// Values of a property: one for each initial state.
#[derive(Clone, Debug, Default)]
pub struct Expected {
    values: Vec<String>,
    /// Relative, or absolute where that is more.
    tolerance: f64,
}

/// What a file calls the rewards `steps`: that is their id there.
const ALIAS: &str = "Schritte ⏱";

/// Of doubles, with the rounding of those who wrote them.
const OF_DOUBLES: f64 = 1e-6;
/// Where ten digits were written: sums differ from one, and methods stop at other places.
const OF_TEN_DIGITS: f64 = 1e-5;

/// All rows.
pub fn rows(folder: &Path) -> Result<Vec<Row>, String> {
    let text = std::fs::read_to_string(folder.join("cases.tsv")).map_err(|e| format!("cases.tsv: {e}"))?;
    let row = |line: &str| {
        let columns: Vec<&str> = line.split('\t').collect();
        let [file, _, kind, _, _, _, _, labels, _, properties, expected, note] = columns[..] else {
            return Err(format!("cases.tsv: {} columns in `{line}`", columns.len()));
        };
        Ok(Row {
            file: file.to_owned(),
            kind: kind.to_owned(),
            labels: labels.split(',').map(str::to_owned).collect(),
            properties: properties.to_owned(),
            expected: expected.to_owned(),
            note: note.to_owned(),
        })
    };
    text.lines().skip(1).map(row).collect()
}

/// The short name of a kind: as `cases.tsv` has it.
pub fn short(kind: &str) -> String {
    match kind {
        "Markov automaton" => "ma".to_owned(),
        "stochastic game" => "smg".to_owned(),
        kind => kind.to_lowercase(),
    }
}

impl Row {
    /// Whether the file has to be read. Of one that may be refused nothing is asked.
    pub fn is_legal(&self) -> bool {
        self.expected.starts_with("accepted")
    }

    /// Whether values are computed for the kind.
    pub fn has_engine(&self) -> bool {
        ["dtmc", "ctmc", "mdp", "lts"].contains(&self.kind.as_str())
    }

    /// Whether the file has rationals, or decimals that stand for themselves.
    pub fn is_exact(&self) -> bool {
        let endings = [".exact.umb", ".rational.drn", ".tra"];
        endings.iter().any(|ending| self.file.ends_with(ending))
    }

    /// The bytes of the file, and of those beside it that the note names.
    pub fn files(&self, folder: &Path) -> Result<Files, String> {
        let path = folder.join(&self.file);
        let read = |path: &Path| std::fs::read(path).map_err(|e| format!("{}: {e}", path.display()));
        let mut parts = Vec::new();
        for word in self.note.split([' ', ';']) {
            if let Some(part) = part_of(word) {
                parts.push((part, word.to_owned(), read(&path.with_file_name(word))?));
            }
        }
        Ok(Files { main: (self.file.clone(), read(&path)?), parts })
    }

    /// What is known of the model.
    pub fn asked(&self) -> Result<Vec<Asked>, String> {
        if self.properties == "-" {
            return Ok(Vec::new());
        }
        if self.properties.starts_with("state 0: ") {
            let fact = Asked::Fact { what: "valuations".to_owned(), value: self.properties.clone() };
            return Ok(vec![fact]);
        }
        self.properties.split("; ").map(|one| self.one(one)).collect()
    }

    fn one(&self, text: &str) -> Result<Asked, String> {
        let (what, value) = text.rsplit_once('=').ok_or_else(|| format!("`{text}` has no value"))?;
        let Some((_, _)) = what.split_once("=?") else {
            return Ok(Asked::Fact { what: what.to_owned(), value: value.to_owned() });
        };
        let values: Vec<String> = value.split(',').map(str::to_owned).collect();
        let mut text = what.replace("LRA=?", "S=?").replace("[LRA]", "[ S ]");
        if self.note.contains(ALIAS) {
            text = text.replace("{\"steps\"}", &format!("{{\"{ALIAS}\"}}"));
        }
        if values.len() > 1 {
            text = format!("filter(print, {text}, \"init\")");
        }
        // Names of labels stand in brackets of their own or behind operators, those of rewards in braces.
        let mut names = text.split('"').skip(1).step_by(2);
        let mut before = text.split('"').step_by(2);
        let is_lost = |name: &str| {
            let is_reward = before.next().is_some_and(|before| before.ends_with('{'));
            !is_reward && name != "init" && !self.labels.iter().any(|label| label == name)
        };
        if names.any(is_lost) {
            return Ok(Asked::Unknown { text });
        }
        let ten_digits = self.file.ends_with(".double.drn");
        let tolerance = if ten_digits { OF_TEN_DIGITS } else { OF_DOUBLES };
        Ok(Asked::Value { text, expected: Expected { values, tolerance } })
    }
}

impl Expected {
    /// Whether the values are fractions.
    pub fn is_exact(&self) -> bool {
        self.values.iter().all(|value| !value.starts_with('~'))
    }

    /// The only value.
    pub fn alone(&self) -> Option<f64> {
        if let [value] = self.values.as_slice() { Some(double(value)) } else { None }
    }

    /// How fractions differ from it.
    pub fn differs_from_fractions(&self, found: &[String]) -> Option<String> {
        let (mut ours, mut theirs) = (found.to_vec(), self.values.clone());
        ours.sort();
        theirs.sort();
        (ours != theirs).then(|| format!("{} instead of {}", found.join(","), self.values.join(",")))
    }

    /// How doubles differ from it.
    pub fn differs_from(&self, found: &[f64]) -> Option<String> {
        let mut theirs: Vec<f64> = self.values.iter().map(|value| double(value)).collect();
        let mut ours = found.to_vec();
        ours.sort_by(f64::total_cmp);
        theirs.sort_by(f64::total_cmp);
        let near = |(a, b): (&f64, &f64)| (a - b).abs() <= self.tolerance * b.abs().max(1.0);
        let is_near = ours.len() == theirs.len() && ours.iter().zip(&theirs).all(near);
        (!is_near).then(|| format!("{ours:?} instead of {theirs:?}"))
    }
}

/// A fraction or a decimal as a double; not a number if it is none.
fn double(text: &str) -> f64 {
    let number = |digits: &str| digits.trim_start_matches('~').parse::<f64>().unwrap_or(f64::NAN);
    match text.split_once('/') {
        // Both have at most 110 digits: far from the largest double.
        Some((numerator, denominator)) => number(numerator) / number(denominator),
        None => number(text),
    }
}
