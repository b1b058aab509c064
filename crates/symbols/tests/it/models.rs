//! Models to test with: the examples of the repository, and published ones where environment variables name their folders.

use std::path::{Path, PathBuf};

/// A model with its property files.
#[derive(Clone, Debug)]
pub struct Texts {
    pub name: String,
    pub texts: Vec<String>,
}

/// The examples of a language: files with one of some endings, with the file of properties beside each, if there is one.
pub fn examples(folder: &str, endings: &[&str]) -> Vec<Texts> {
    let folder = match folder {
        "wks" | "wks:wccs" => "examples/weighted",
        // The examples have none.
        "network" => "fuzz/seeds/network_text",
        "kernel" => "crates/kernel/filetests",
        "mcl" => "fuzz/seeds/mcl",
        "mpi:mpi" => "examples/mpi",
        "rules:grammar" => "examples/rules",
        "rules:n4js" => "crates/n4js/rules",
        folder => &format!("examples/{folder}"),
    };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder);
    let found = below(&folder, endings);
    assert!(!found.is_empty(), "{}", folder.display());
    found
}

/// The published models in the folder that an environment variable names, or in a folder of that; none (with a note) where it is not set.
pub fn published(variable: &str, folder: &str, endings: &[&str]) -> Vec<Texts> {
    let Some(named) = std::env::var_os(variable).map(PathBuf::from) else {
        // Not `eprintln!`: the harness keeps to itself what a test that passes prints.
        let test = std::thread::current();
        let line = format!("skipped: {}: {variable} is not set\n", test.name().unwrap_or_default());
        let _ = std::io::Write::write_all(&mut std::io::stderr(), line.as_bytes());
        return Vec::new();
    };
    let inner = named.join(folder);
    let found = below(if inner.is_dir() { &inner } else { &named }, endings);
    assert!(!found.is_empty(), "{}", named.display());
    found
}

fn below(folder: &Path, endings: &[&str]) -> Vec<Texts> {
    let (mut folders, mut files) = (vec![folder.to_owned()], Vec::new());
    while let Some(folder) = folders.pop() {
        let entries = std::fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
        for entry in entries {
            let path = entry.unwrap().path();
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    files.sort();
    let has_ending =
        |path: &&PathBuf| endings.iter().any(|ending| path.extension().is_some_and(|e| e == *ending));
    let read = |path: &Path| {
        let bytes = std::fs::read(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        String::from_utf8_lossy(&bytes).into_owned()
    };
    let model = |path: &PathBuf| {
        let mut texts = vec![read(path)];
        let beside = ["props", "csl", "pctl"].map(|ending| path.with_extension(ending));
        texts.extend(beside.iter().filter(|path| path.exists()).map(|path| read(path)));
        Texts { name: path.display().to_string(), texts }
    };
    files.iter().filter(has_ending).map(model).collect()
}
