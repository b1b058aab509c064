//! The rules of `xtask::tidy`, applied to this checkout.

use xtask::metadata::Platforms;
use xtask::tidy::{self, Finding};
use xtask::tree;

fn none(findings: Vec<Finding>) {
    let lines: Vec<String> = findings.iter().map(ToString::to_string).collect();
    assert!(lines.is_empty(), "{} findings:\n{}", lines.len(), lines.join("\n"));
}

#[test]
fn the_files_are_seen() {
    let files = tree::files(&tree::root()).unwrap();
    for path in ["Cargo.toml", "xtask/src/lib.rs", "crates/kernel/src/lib.rs", ".cargo/config.toml"] {
        assert!(files.iter().any(|f| f.path == path), "{path}");
    }
    assert!(files.iter().all(|f| !f.path.starts_with("target/")));
}

#[test]
fn files_obey_the_rules() {
    none(tidy::of_files(&tree::files(&tree::root()).unwrap()));
}

#[test]
fn packages_obey_the_rules() {
    none(tidy::of_packages(&tree::root(), Platforms::Host).unwrap());
}
