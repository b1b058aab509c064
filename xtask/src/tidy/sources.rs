//! Rules about Rust files.

use super::Finding;
use super::rust::code_only;
use crate::tree::File;

/// Lines that a file may have.
const LONGEST: usize = 900;

/// Marks of unfinished or forgotten work; in pieces, so that this file is not a finding.
const UNFINISHED: &[&str] =
    &[concat!("TO", "DO"), concat!("FIX", "ME"), concat!("XX", "X"), concat!("HA", "CK:")];

/// Macros that stand for code that is not there, or for debugging.
const MACROS: &[&str] = &[concat!("todo", "!("), concat!("unimplemented", "!("), concat!("dbg", "!(")];

/// Names of files that say nothing about their subject.
const NAMELESS: &[&str] = &["utils", "util", "helpers", "helper", "misc", "manager"];

/// Where `unsafe` may be written, and what for.
const UNSAFE: &[(&str, &str)] = &[
    ("crates/native/", "running generated code"),
    ("crates/control/src/rounds.rs", "vectors that threads read and write in turns"),
    ("crates/nbody/src/gravity/avx512.rs", "instructions for vectors"),
    ("crates/explore/src/", "the shared table of states"),
    ("crates/store/src/", "prefetching, huge pages, arrays that grow in place"),
    ("crates/vector/src/", "running generated code"),
    ("crates/kernel/src/", "memory that threads share while lanes run"),
    ("crates/runtime/src/storage/ram", "memory that threads share while lanes run"),
    ("crates/technologies/src/", "libraries of devices, memory that threads share while lanes run"),
    ("crates/console/src/door/user.rs", "the number of the user"),
    ("crates/console/src/machine.rs", "a setting of the C library, and of signals"),
    ("crates/volvelle/tests/it/common/signals.rs", "what a program does on a signal"),
    ("crates/volvelle/tests/it/scaling/measured.rs", "what a process has used"),
    ("crates/console/src/memory.rs", "the allocator, which ends a run that has no memory left"),
];

/// All rules about Rust files.
pub fn check(files: &[File]) -> Vec<Finding> {
    files.iter().filter(|f| f.is_rust()).flat_map(check_file).collect()
}

fn check_file(file: &File) -> Vec<Finding> {
    let code = code_only(&file.text);
    let rules = [module_comment, size, name, unfinished, silenced_lints, unsafe_code];
    rules.iter().flat_map(|rule| rule(file, &code)).collect()
}

fn module_comment(file: &File, _: &str) -> Vec<Finding> {
    let is_module = file.path.contains("/src/") || file.path.starts_with("fuzz/");
    let is_tests = file.path.ends_with("/tests.rs") || file.path.contains("/tests/");
    if !is_module || is_tests || file.text.starts_with("//!") {
        return Vec::new();
    }
    let message = "no module comment: say on the first line (//!) what goes in and what comes out";
    vec![Finding::new(&file.path, 1, message)]
}

fn size(file: &File, _: &str) -> Vec<Finding> {
    let lines = file.lines().count();
    if lines <= LONGEST {
        return Vec::new();
    }
    vec![Finding::new(&file.path, 0, format!("{lines} lines: split it by subject ({LONGEST} at most)"))]
}

fn name(file: &File, _: &str) -> Vec<Finding> {
    let stem = file.path.rsplit('/').next().unwrap_or_default().trim_end_matches(".rs");
    if !NAMELESS.contains(&stem) {
        return Vec::new();
    }
    vec![Finding::new(&file.path, 0, "name the file after its subject")]
}

fn unfinished(file: &File, code: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (line, text) in file.lines() {
        for word in UNFINISHED.iter().filter(|word| has_word(text, word)) {
            findings.push(Finding::new(&file.path, line, format!("`{word}`: do it, or open an issue")));
        }
    }
    for (line, text) in code.lines().enumerate() {
        for word in MACROS.iter().filter(|word| has_word(text, word)) {
            findings.push(Finding::new(&file.path, line + 1, format!("`{word}...)` must not stay")));
        }
    }
    findings
}

fn silenced_lints(file: &File, code: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (line, text) in code.lines().enumerate() {
        let opens =
            ["#[allow(", "#![allow(", "#[expect(", "#![expect("].iter().any(|open| text.contains(open));
        if !opens {
            continue;
        }
        let written = file.text.lines().nth(line).unwrap_or_default();
        let attribute: String = code.lines().skip(line).take(6).collect::<Vec<_>>().join("\n");
        let attribute = &attribute[..attribute.find(")]").unwrap_or(attribute.len())];
        if !attribute.contains("reason") && !written.contains("//") {
            let message =
                "a lint is silenced without a reason: add `reason = \"...\"` or a comment behind it";
            findings.push(Finding::new(&file.path, line + 1, message));
        }
    }
    findings
}

fn unsafe_code(file: &File, code: &str) -> Vec<Finding> {
    if UNSAFE.iter().any(|(prefix, _)| file.path.starts_with(prefix)) {
        return Vec::new();
    }
    let lines = code.lines().enumerate().filter(|(_, text)| has_word(text, "unsafe"));
    let allowed: Vec<String> = UNSAFE.iter().map(|(prefix, what)| format!("{prefix} ({what})")).collect();
    let message = format!("`unsafe` is written in few places only: {}", allowed.join(", "));
    lines.map(|(line, _)| Finding::new(&file.path, line + 1, message.clone())).collect()
}

/// Whether `word` occurs in `text` with nothing that could belong to a longer word around it.
pub(super) fn has_word(text: &str, word: &str) -> bool {
    let part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    let word_ends = part(word.chars().next_back());
    text.match_indices(word).any(|(at, _)| {
        let after = text[at + word.len()..].chars().next();
        let inside = part(text[..at].chars().next_back()) || (word_ends && part(after));
        !inside
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(path: &str, text: &str) -> Vec<String> {
        check(&[File::new(path, text)]).iter().map(ToString::to_string).collect()
    }

    const A: &str = "crates/a/src/x.rs";

    #[test]
    fn a_good_file() {
        let text =
            "//! A module.\n\n#[allow(missing_docs)] // the names say it\npub fn unsafe_looking() {}\n";
        assert!(findings(A, text).is_empty());
        let text =
            "//! A module.\n#[allow(\n    missing_docs,\n    reason = \"the names say it\"\n)]\nfn f() {}";
        assert!(findings(A, text).is_empty());
        assert!(findings("crates/a/tests/x.rs", "fn f() {}").is_empty(), "tests need no comment");
    }

    #[test]
    fn a_module_without_comment() {
        assert_eq!(findings(A, "fn f() {}").len(), 1);
        assert_eq!(findings("xtask/src/x.rs", "").len(), 1);
    }

    #[test]
    fn a_long_file() {
        let lines = |n: usize| format!("//! x\n{}", "//\n".repeat(n - 1));
        assert!(findings(A, &lines(LONGEST)).is_empty());
        assert_eq!(findings(A, &lines(LONGEST + 1)).len(), 1);
    }

    #[test]
    fn names_that_say_nothing() {
        assert_eq!(findings("crates/a/src/utils.rs", "//! x").len(), 1);
    }

    #[test]
    fn unfinished_work() {
        for word in UNFINISHED {
            let found = findings(A, &format!("//! x\n\n// {word} later\n"));
            assert_eq!(found.len(), 1, "{word}");
            assert!(found[0].starts_with("crates/a/src/x.rs:3: "), "{found:?}");
        }
        for word in MACROS {
            assert_eq!(findings(A, &format!("//! x\nfn f() {{ {word}) }}\n")).len(), 1, "{word}");
            assert!(findings(A, &format!("//! x {word})\n")).is_empty(), "{word} in a comment");
        }
        assert!(findings(A, &format!("//! {}S\n", UNFINISHED[2])).is_empty(), "part of a longer word");
    }

    #[test]
    fn silenced_without_reason() {
        assert_eq!(findings(A, "//! x\n#[allow(dead_code)]\nfn f() {}").len(), 1);
        assert_eq!(findings(A, "//! x\n#![expect(dead_code)]").len(), 1);
        assert!(findings(A, "//! `#[allow(dead_code)]` in a comment").is_empty());
    }

    #[test]
    fn unsafe_in_few_places() {
        let text = "//! x\nfn f() { unsafe { g() } }\n";
        assert_eq!(findings(A, text).len(), 1);
        assert!(findings("crates/native/src/x.rs", text).is_empty());
        assert!(findings(A, "//! unsafe\nfn f() { g(\"unsafe\", 'u') } // unsafe\n").is_empty());
    }
}
