//! The integration tests of this crate.

#![allow(clippy::disallowed_methods)] // tests are outsiders: they look at files as users do

mod any_text;

use std::path::Path;
use volvelle_oracles::mutations::each;

/// The seeds of the fuzzer, the examples, and mutations of them.
#[test]
fn texts_near_the_language() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let files = ["fuzz/seeds/pipeline_text", "examples/pipelines"].map(|folder| root.join(folder));
    let files = files.iter().flat_map(|folder| std::fs::read_dir(folder).expect("a folder"));
    let mut files: Vec<_> = files.map(|entry| entry.expect("an entry").path()).collect();
    files.retain(|path| path.extension().is_some_and(|ending| ending == "toml"));
    files.sort();
    let texts: Vec<String> =
        files.iter().map(|path| std::fs::read_to_string(path).expect("a text")).collect();
    assert!(texts.len() > 2);
    each(&texts, 1_000, any_text::check);
}
