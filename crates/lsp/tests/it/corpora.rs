//! The published models, where environment variables name their folders.

use crate::examples::Example;
use std::path::{Path, PathBuf};
use volvelle_session::language::is_property_file;

/// The languages of the corpora: their names, the endings of their models, the variable that names the folder.
pub const CORPORA: &[(&str, &[&str], &str)] = &[
    ("prism", &["prism", "sm", "nm", "pm"], "VOLVELLE_CORPUS"),
    ("promela", &["pml"], "VOLVELLE_PROMELA_CORPUS"),
    ("lotos", &["lotos"], "VOLVELLE_LOTOS_CORPUS"),
];

/// The published models of a language; none (with a note) where its variable is not set.
pub fn published(language: &str) -> Vec<Example> {
    let (_, endings, variable) = CORPORA.iter().find(|(name, _, _)| *name == language).expect("a language");
    let Some(named) = std::env::var_os(variable).map(PathBuf::from) else {
        // Not `eprintln!`: the harness keeps to itself what a test that passes prints.
        let test = std::thread::current();
        let line = format!("skipped: {}: {variable} is not set\n", test.name().unwrap_or_default());
        let _ = std::io::Write::write_all(&mut std::io::stderr(), line.as_bytes());
        return Vec::new();
    };
    let inner = named.join(language);
    let found = below(if inner.is_dir() { &inner } else { &named }, endings);
    assert!(!found.is_empty(), "{}", named.display());
    found
}

fn below(folder: &Path, endings: &[&str]) -> Vec<Example> {
    let (mut folders, mut files) = (vec![folder.to_owned()], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display())) {
            let path = entry.unwrap().path();
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    files.sort();
    let has_ending =
        |path: &&PathBuf| endings.iter().any(|ending| path.extension().is_some_and(|e| e == *ending));
    let example = |model: &PathBuf| {
        let is_beside = |file: &&PathBuf| {
            let is_same = file.parent() == model.parent() && file.file_stem() == model.file_stem();
            is_same && is_property_file(file.to_str().unwrap())
        };
        Example { model: model.clone(), properties: files.iter().filter(is_beside).cloned().collect() }
    };
    files.iter().filter(has_ending).map(example).collect()
}

/// Some of many things, evenly: about so many, or all if `VOLVELLE_ATTACK` asks for more than there are.
pub fn some<T>(all: Vec<T>, usual: usize) -> Vec<T> {
    let most = volvelle_random::attack_cases(usual as u64).end as usize;
    let step = all.len().div_ceil(most.max(1)).max(1);
    all.into_iter().step_by(step).collect()
}
