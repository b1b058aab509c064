//! Tests that run: none is left out by a manifest or a missing `mod`, and those of a crate with `tests/it` are one program.
//!
//! Every test program is linked with all that its crate depends on, which takes longer than most tests run. A crate with
//! several files of tests has them as modules of one program, `tests/it/main.rs`. What cannot share a process with others has
//! a `[[test]]` of its own in `Cargo.toml`.

use super::Finding;
use super::rust::code_only;
use super::sources::has_word;
use crate::tree::File;
use std::collections::{BTreeMap, BTreeSet};

/// All rules about test programs.
pub fn check(files: &[File]) -> Vec<Finding> {
    [modules(files), programs(files), libraries(files)].concat()
}

/// Files below `tests/it` that no other declares as a module: their tests would not run.
fn modules(files: &[File]) -> Vec<Finding> {
    let texts: BTreeMap<&str, String> = files
        .iter()
        .filter(|f| f.is_rust() && f.path.contains("/tests/it/"))
        .map(|f| (f.path.as_str(), code_only(&f.text)))
        .collect();
    let mut findings = Vec::new();
    for path in texts.keys() {
        let Some((folder, name)) = module(path) else { continue };
        let parents = [format!("{folder}/main.rs"), format!("{folder}/mod.rs"), format!("{folder}.rs")];
        let declared = format!("mod {name};");
        let is_declared =
            |parent: &String| texts.get(parent.as_str()).is_some_and(|t| has_word(t, &declared));
        if !parents.iter().any(is_declared) {
            findings.push(Finding::new(path, 0, format!("no `{declared}`: its tests do not run")));
        }
    }
    findings
}

/// The folder whose module declares this one, and its name there; `None` for the root.
fn module(path: &str) -> Option<(&str, &str)> {
    let path = path.strip_suffix("/mod.rs").or_else(|| path.strip_suffix(".rs"))?;
    let (folder, name) = path.rsplit_once('/')?;
    (name != "main" || !folder.ends_with("/tests/it")).then_some((folder, name))
}

/// Test programs beside `tests/it` that the manifest does not name.
fn programs(files: &[File]) -> Vec<Finding> {
    let mut of_crates: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for file in files.iter().filter(|f| f.is_rust()) {
        let Some((folder, rest)) = file.path.split_once("/tests/") else { continue };
        let name = rest.strip_suffix("/main.rs").or_else(|| rest.strip_suffix(".rs")).unwrap_or(rest);
        if !name.contains('/') && !folder.contains("/src") {
            of_crates.entry(folder).or_default().insert(name);
        }
    }
    let mut findings = Vec::new();
    for (folder, names) in of_crates {
        let manifest = manifest(files, folder);
        let is_named = |name: &&str| manifest.contains(&format!("[[test]]\nname = \"{name}\""));
        let unnamed: Vec<&str> = names.into_iter().filter(|name| !is_named(name) && *name != "it").collect();
        let has_one = files.iter().any(|f| f.path == format!("{folder}/tests/it/main.rs"));
        if has_one {
            findings.extend(unnamed.iter().map(|name| {
                let message = "make it a module of `tests/it/main.rs`, so that no other program is linked, or give it \
                               a `[[test]]` in `Cargo.toml` that says why it needs a process of its own";
                Finding::new(&format!("{folder}/tests/{name}"), 0, message)
            }));
        }
    }
    findings
}

/// Libraries whose manifests say that they have no tests, or no examples in comments, but that have some.
fn libraries(files: &[File]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in files.iter().filter(|f| f.is_rust()) {
        let Some((folder, _)) = file.path.split_once("/src/") else { continue };
        let manifest = manifest(files, folder);
        let library = manifest.split_once("[lib]").map_or("", |(_, rest)| rest);
        let library = library.split_once("\n[").map_or(library, |(library, _)| library);
        let code = code_only(&file.text);
        if library.contains("\ntest = false")
            && let Some(line) = code.lines().position(|l| l.contains("#[test]") || l.contains("proptest!"))
        {
            let message = format!("the test does not run: remove `test = false` from {folder}/Cargo.toml");
            findings.push(Finding::new(&file.path, line + 1, message));
        }
        if library.contains("\ndoctest = false")
            && let Some(line) = example(&file.text).or_else(|| page(&code))
        {
            let message =
                format!("the example does not run: remove `doctest = false` from {folder}/Cargo.toml");
            findings.push(Finding::new(&file.path, line, message));
        }
    }
    findings
}

/// The line of the first block in a comment of the documentation that rustdoc takes for Rust.
fn example(text: &str) -> Option<usize> {
    let mut fenced = false;
    for (line, text) in text.lines().enumerate() {
        let text = text.trim_start();
        let Some(text) = text.strip_prefix("///").or_else(|| text.strip_prefix("//!")) else {
            fenced = false;
            continue;
        };
        let Some(language) = text.trim_start().strip_prefix("```") else { continue };
        if !fenced && is_rust(language.trim_matches(|c: char| c == '`' || c.is_whitespace())) {
            return Some(line + 1);
        }
        fenced = !fenced;
    }
    None
}

/// The line of the first page that documentation includes: its blocks are examples as well.
fn page(code: &str) -> Option<usize> {
    code.lines().position(|line| line.contains("doc = include_str!")).map(|line| line + 1)
}

/// Whether rustdoc takes a block with these words behind its fence for Rust.
fn is_rust(words: &str) -> bool {
    let mut words = words.split([',', ' ', '{', '}']).filter(|word| !word.is_empty());
    let own = |word: &str| {
        ["rust", "no_run", "should_panic", "ignore", "compile_fail", "test_harness"].contains(&word)
            || word.starts_with("edition")
    };
    words.all(own)
}

fn manifest<'a>(files: &'a [File], folder: &str) -> &'a str {
    files.iter().find(|f| f.path == format!("{folder}/Cargo.toml")).map_or("", |f| f.text.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(files: &[(&str, &str)]) -> Vec<String> {
        let files: Vec<File> = files.iter().map(|(path, text)| File::new(path, text)).collect();
        check(&files).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn modules_that_nobody_declares() {
        let main = ("crates/a/tests/it/main.rs", "mod one;\nmod two;\n// mod three;\n");
        let two = ("crates/a/tests/it/two/mod.rs", "pub mod part;");
        let good = [main, two, ("crates/a/tests/it/one.rs", ""), ("crates/a/tests/it/two/part.rs", "")];
        assert!(found(&good).is_empty(), "{:?}", found(&good));
        for lost in ["it/three.rs", "it/four/mod.rs", "it/two/main.rs", "it/two/one.rs"] {
            let path = format!("crates/a/tests/{lost}");
            let findings = found(&[good.as_slice(), &[(path.as_str(), "")]].concat());
            assert_eq!(findings.len(), 1, "{lost}: {findings:?}");
            assert!(findings[0].starts_with(&path), "{findings:?}");
        }
        let path = ("crates/a/tests/it/one/deep.rs", "");
        assert_eq!(found(&[good.as_slice(), &[path]].concat()).len(), 1);
        let declares = ("crates/a/tests/it/one.rs", "mod deep;");
        assert!(found(&[main, two, declares, good[3], path]).is_empty());
    }

    #[test]
    fn programs_beside_the_one() {
        let main = ("crates/a/tests/it/main.rs", "");
        let data = ("crates/a/tests/data/x.txt", "");
        let file = ("crates/a/tests/files.rs", "");
        let named = ("crates/a/Cargo.toml", "[[test]]\nname = \"files\"\nharness = false\n");
        assert!(found(&[main, data, ("crates/a/src/tests/b.rs", "")]).is_empty());
        assert_eq!(found(&[main, file]).len(), 1);
        assert_eq!(found(&[main, ("crates/a/tests/files/main.rs", "")]).len(), 1);
        assert!(found(&[main, file, named]).is_empty());
        assert!(found(&[file, ("crates/a/tests/b.rs", "")]).is_empty(), "a crate with few tests");
    }

    #[test]
    fn tests_of_libraries_that_have_none() {
        let manifest = ("crates/a/Cargo.toml", "[lib]\ntest = false\ndoctest = false\n\n[dependencies]\n");
        let other =
            ("crates/a/Cargo.toml", "[lib]\nname = \"a\"\n\n[[bin]]\ntest = false\ndoctest = false\n");
        let unit = ("crates/a/src/x.rs", "//! x\n#[test]\nfn f() {}");
        assert_eq!(found(&[manifest, unit]).len(), 1);
        assert!(found(&[other, unit]).is_empty());
        assert!(found(&[manifest, ("crates/a/src/x.rs", "//! `#[test]` in a comment")]).is_empty());
        for (block, examples) in [
            ("//! ```\n//! f();\n//! ```\n", 1),
            ("    /// ```no_run\n    /// f();\n    /// ```\n", 1),
            ("//! ```text\n//! f\n//! ```\n", 0),
            ("//! ```text\n//! f\n//! ```\n//!\n//! ```rust\n//! ```\n", 1),
            ("// ```\n// f\n// ```\n", 0),
            ("#[doc = include_str!(\"page.md\")]\nstruct Page;\n", 1),
        ] {
            assert_eq!(found(&[manifest, ("crates/a/src/x.rs", block)]).len(), examples, "{block}");
            assert!(found(&[other, ("crates/a/src/x.rs", block)]).is_empty());
        }
    }
}
