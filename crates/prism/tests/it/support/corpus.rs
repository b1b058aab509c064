//! The corpus that the environment variable `VOLVELLE_CORPUS` names: a folder with `prism/cases.tsv`.

use std::path::{Path, PathBuf};

/// A row of `cases.tsv`.
#[derive(Clone, Debug)]
pub struct Case {
    pub model: PathBuf,
    pub properties: PathBuf,
    pub constants: String,
    pub states: Option<usize>,
}

/// The folder, or nothing (with a note) where the variable is not set.
pub fn folder() -> Option<PathBuf> {
    let Some(folder) = std::env::var_os("VOLVELLE_CORPUS") else {
        // Not `eprintln!`: the harness keeps to itself what a test that passes prints.
        let test = std::thread::current();
        let line = format!("skipped: {}: VOLVELLE_CORPUS is not set\n", test.name().unwrap_or_default());
        let _ = std::io::Write::write_all(&mut std::io::stderr(), line.as_bytes());
        return None;
    };
    let folder = PathBuf::from(folder);
    let inner = folder.join("prism");
    Some(if inner.join("cases.tsv").exists() { inner } else { folder })
}

/// All rows.
pub fn cases(folder: &Path) -> Vec<Case> {
    let text = std::fs::read_to_string(folder.join("cases.tsv")).expect("cases.tsv is there");
    let rows = text.lines().skip(1).map(|line| line.split('\t').collect::<Vec<_>>());
    rows.map(|row| Case {
        model: folder.join(row[1]),
        properties: folder.join(row[2]),
        constants: row[3].to_owned(),
        states: row[7].parse().ok(),
    })
    .collect()
}

/// One row for every instance (model with constants).
pub fn instances(folder: &Path) -> Vec<Case> {
    let mut seen = std::collections::BTreeSet::new();
    let cases = cases(folder).into_iter();
    cases.filter(|case| seen.insert((case.model.clone(), case.constants.clone()))).collect()
}

/// The text of a file.
pub fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}
