//! Programs with known errors: what is right is read without a mistake, and what is cut or damaged makes a tree.
//!
//! The folder is `shared/corpus/rules/n4js-dev` next to the repository, or what `VOLVELLE_N4JS_CORPUS` names; without it nothing is read.

use crate::common::{drawn, parse, parse_as};
use serde_json::Value;
use std::io::Write;
use std::path::{Path, PathBuf};
use volvelle_n4js::Syntax;

pub struct Case {
    /// The name of its file.
    pub chapter: String,
    pub id: String,
    pub text: String,
    pub expect: Vec<Value>,
}

/// `None` if there is none, which a line reports.
fn folder() -> Option<PathBuf> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/rules/n4js-dev");
    let folder = std::env::var_os("VOLVELLE_N4JS_CORPUS").map_or_else(beside, PathBuf::from);
    if folder.is_dir() {
        return Some(folder);
    }
    // Not `eprintln!`: the harness keeps to itself what a test that passes prints.
    let test = std::thread::current();
    let name = test.name().unwrap_or_default();
    let _ = writeln!(std::io::stderr(), "skipped: {name}: there is no {}", folder.display());
    None
}

pub fn cases() -> Vec<Case> {
    let Some(folder) = folder() else { return Vec::new() };
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).expect("the folder").map(|entry| entry.expect("a file").path()).collect();
    files.sort();
    let mut cases = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(&file).expect("the file");
        for line in text.lines().skip(1) {
            let case: Value = serde_json::from_str(line).expect("a case in JSON");
            let part = |name: &str| case[name].as_str().expect("a text").to_owned();
            let expect = case["expect"].as_array().expect("a list").clone();
            let chapter = file.file_stem().expect("a name").to_string_lossy().into_owned();
            cases.push(Case { chapter, id: part("id"), text: part("text"), expect });
        }
    }
    cases
}

/// Offsets of the corpus count characters.
fn bytes(text: &str, characters: &Value) -> usize {
    let count = characters.as_u64().expect("an offset") as usize;
    text.char_indices().nth(count).map_or(text.len(), |(at, _)| at)
}

#[test]
fn what_is_right_has_no_mistake() {
    let mut wrong = Vec::new();
    let cases = cases();
    for case in &cases {
        let parsed = parse(&case.text);
        let windows: Vec<(usize, usize)> = case
            .expect
            .iter()
            .filter(|window| window["kind"] == "errors")
            .map(|window| (bytes(&case.text, &window["from"]), bytes(&case.text, &window["to"])))
            .collect();
        let mut outside = parsed.found.clone();
        outside.retain(|found| {
            let at = found.primary.as_ref().expect("a place").span.start as usize;
            !windows.iter().any(|&(from, to)| from <= at && at < to)
        });
        if !outside.is_empty() {
            wrong.push(format!("{}\n{}", case.id, drawn(&case.text, &outside)));
        }
    }
    assert!(wrong.is_empty(), "{} of {} cases:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

/// Every mistake of syntax that the corpus knows is told, at its place or right before it; and nothing else is.
#[test]
fn mistakes_are_those_of_the_corpus() {
    let mut wrong = Vec::new();
    for case in cases() {
        let mut expected = Vec::new();
        for window in case.expect.iter().filter(|window| window["kind"] == "errors") {
            for at in window["at"].as_array().expect("places") {
                if at[2].as_str().is_some_and(|code| code.ends_with("Diagnostic.Syntax")) {
                    expected.push(bytes(&case.text, &at[0]));
                }
            }
        }
        let parsed = parse(&case.text);
        let told: Vec<usize> = parsed
            .found
            .iter()
            .map(|found| found.primary.as_ref().expect("a place").span.start as usize)
            .collect();
        if told != expected {
            wrong.push(format!(
                "{}: {expected:?}, told {told:?}\n{}",
                case.id,
                drawn(&case.text, &parsed.found)
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn parts_of_programs_make_trees() {
    for (number, case) in cases().iter().enumerate() {
        for at in (number % 7..case.text.len()).step_by(7).filter(|&at| case.text.is_char_boundary(at)) {
            parse(&case.text[..at]);
        }
        parse_as(&case.text, Syntax::Prefix2016);
    }
}

/// Ends of words and symbols, about: where a lexer of another kind would cut.
fn pieces(text: &str) -> Vec<(usize, usize)> {
    let mut pieces = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let length = match first {
            first if is_word(first) => text[at..].find(|c| !is_word(c)).unwrap_or(text.len() - at),
            first => first.len_utf8(),
        };
        if !first.is_whitespace() {
            pieces.push((at, at + length));
        }
        at += length;
    }
    pieces
}

#[test]
fn programs_without_a_token_make_trees() {
    for case in cases() {
        for (start, end) in pieces(&case.text) {
            parse(&[&case.text[..start], &case.text[end..]].concat());
        }
    }
}
