//! Circles of modules: files of a crate that use each other's names.
//!
//! A file of a circle can be read, tested and moved only together with all others. So arrows run one way inside a crate as
//! they do between crates. `INHERENT` lists the exceptions, where the subject itself is recursive. Two kinds of uses do not
//! count: those in tests, and those of a module's file of what is below it. A `mod.rs` may call the files of its folder, and these may use
//! the types that it declares.

mod components;
mod modules;
mod tokens;

use super::Finding;
use crate::tree::File;
use components::components;
use modules::Modules;
use std::collections::{BTreeMap, BTreeSet};

/// Files that are mutually recursive, and why they have to be.
const INHERENT: &[(&[&str], &str)] = &[];

/// Files of circles that are still to come apart. The list only shrinks.
const DEBTS: &[&str] = &[];

/// Circles of modules, and entries of the lists that are none any more.
pub fn check(files: &[File]) -> Vec<Finding> {
    check_with(files, INHERENT, DEBTS)
}

fn check_with(files: &[File], inherent: &[(&[&str], &str)], debts: &[&str]) -> Vec<Finding> {
    let circles = circles(files);
    let mut findings = Vec::new();
    for circle in &circles {
        let is_inherent = inherent.iter().any(|(listed, _)| circle.files.iter().eq(listed.iter()));
        let is_debt = circle.files.iter().all(|file| debts.contains(&file.as_str()));
        if !is_inherent && !is_debt {
            let message = format!(
                "a circle of {} modules: let the arrows run one way, or list it with its reason in xtask/src/tidy/circles.rs\n{}",
                circle.files.len(),
                circle.ties.join("\n")
            );
            findings.push(Finding::new(&circle.files[0], 0, message));
        }
    }
    for (listed, _) in inherent {
        if !circles.iter().any(|circle| circle.files.iter().eq(listed.iter())) {
            let message = "its entry in xtask/src/tidy/circles.rs is no circle as it stands there: correct or remove it";
            findings.push(Finding::new(listed[0], 0, message));
        }
    }
    for debt in debts {
        if !circles.iter().any(|circle| circle.files.iter().any(|file| file == debt)) {
            let message = "it is in no circle any more: remove it from the list in xtask/src/tidy/circles.rs";
            findings.push(Finding::new(debt, 0, message));
        }
    }
    findings
}

/// Files that use each other.
#[derive(Debug)]
struct Circle {
    /// Sorted.
    files: Vec<String>,
    /// `user -> definer: names`, a line each.
    ties: Vec<String>,
}

fn circles(files: &[File]) -> Vec<Circle> {
    let texts: BTreeMap<&str, &str> =
        files.iter().filter(|file| file.is_rust()).map(|file| (&*file.path, &*file.text)).collect();
    let is_root = |path: &&&str| path.ends_with("/src/lib.rs") || path.ends_with("/src/main.rs");
    texts.keys().filter(is_root).flat_map(|root| circles_of_crate(root, &texts)).collect()
}

fn circles_of_crate(root: &str, texts: &BTreeMap<&str, &str>) -> Vec<Circle> {
    let modules = Modules::read(root, texts);
    let uses = modules.uses();
    let edges: BTreeSet<(usize, usize)> = uses.keys().copied().collect();
    let mut circles = Vec::new();
    for component in components(modules.files.len(), &edges) {
        let inside = |(a, b): &(usize, usize)| component.contains(a) && component.contains(b);
        let ties = uses.iter().filter(|(edge, _)| inside(edge)).map(|((a, b), names)| {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            format!("  {} -> {}: {}", modules.files[*a], modules.files[*b], names.join(", "))
        });
        let mut files: Vec<String> = component.iter().map(|file| modules.files[*file].clone()).collect();
        files.sort();
        circles.push(Circle { files, ties: ties.collect() });
    }
    circles
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree() -> Vec<File> {
        vec![
            File::new("crates/x/src/lib.rs", "mod a; mod b; mod c;"),
            File::new("crates/x/src/a.rs", "pub struct A(crate::b::B);"),
            File::new("crates/x/src/b.rs", "pub struct B; pub fn b(_: super::a::A, _: crate::c::C) {}"),
            File::new("crates/x/src/c.rs", "pub struct C;\n#[cfg(test)]\nmod tests { use crate::a::A; }"),
            File::new("crates/x/tests/all.rs", "use volvelle_x::A;"),
        ]
    }

    const PAIR: &[&str] = &["crates/x/src/a.rs", "crates/x/src/b.rs"];

    #[test]
    fn a_circle_and_the_names_that_tie_it() {
        let findings = check_with(&tree(), &[], &[]);
        assert_eq!(findings.len(), 1, "{findings:?}");
        assert_eq!(findings[0].place, "crates/x/src/a.rs");
        assert!(findings[0].message.starts_with("a circle of 2 modules"));
        assert!(findings[0].message.contains("crates/x/src/b.rs -> crates/x/src/a.rs: A"));
    }

    #[test]
    fn circles_that_are_listed() {
        assert!(check_with(&tree(), &[(PAIR, "a and b are grammar rules")], &[]).is_empty());
        assert!(check_with(&tree(), &[], PAIR).is_empty());
        assert_eq!(check_with(&tree(), &[], &PAIR[..1]).len(), 1, "a circle that only begins in the list");
    }

    #[test]
    fn entries_that_are_no_circle_any_more() {
        let whole = &["crates/x/src/a.rs", "crates/x/src/b.rs", "crates/x/src/c.rs"];
        let of_inherent = check_with(&tree(), &[(PAIR, ""), (whole, "")], &[]);
        assert_eq!(of_inherent.len(), 1);
        let of_debts = check_with(&tree(), &[], whole);
        assert_eq!(of_debts.len(), 1);
        assert_eq!(of_debts[0].place, "crates/x/src/c.rs");
    }
}
