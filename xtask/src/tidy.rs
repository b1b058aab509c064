//! The rules that the files of this repository obey. Each is a file with its own tests; `cargo test -p xtask` applies
//! all of them to the checkout.
//!
//! - [`sources`]: module comments, sizes of files, unfinished work, lints silenced without a reason, `unsafe`;
//! - [`purity`]: libraries that reach for files, the clock or the environment;
//! - [`layers`]: which crate may depend on which;
//! - [`circles`]: modules of one crate that use each other;
//! - [`grammars`]: words of languages that the grammars of editors have, too;
//! - [`licences`]: licences of all dependencies;
//! - [`documents`]: links between pages and their headings, diagnostic codes that exist;
//! - [`sizes`]: lines of crates;
//! - [`programs`]: test programs are few, and all tests run;
//! - [`places`]: nothing in the tree depends on, or tells of, the machine it was written on.

pub mod circles;
pub mod documents;
mod finding;
pub mod grammars;
pub mod layers;
pub mod licences;
pub mod places;
pub mod programs;
pub mod purity;
mod rust;
pub mod sizes;
pub mod sources;

pub use finding::Finding;

use crate::metadata::{self, Platforms};
use crate::tree::{self, File};
use std::path::Path;

/// The rules about files.
pub fn of_files(files: &[File]) -> Vec<Finding> {
    [
        sources::check(files),
        purity::check(files),
        circles::check(files),
        documents::check(files),
        grammars::check(files),
        places::check(files),
        programs::check(files),
        sizes::check(files),
    ]
    .concat()
}

/// The rules about packages.
pub fn of_packages(root: &Path, platforms: Platforms) -> Result<Vec<Finding>, String> {
    let packages = metadata::packages(&root.join("Cargo.toml"), platforms)?;
    Ok([layers::check(&packages), licences::check(&packages, licences::PERMITTED)].concat())
}

/// `cargo xtask tidy`: prints all findings; gives whether there are none.
pub fn run() -> Result<bool, String> {
    let root = tree::root();
    let mut findings = of_files(&tree::files(&root)?);
    findings.extend(of_packages(&root, Platforms::All)?);
    findings.sort();
    for finding in &findings {
        println!("{finding}");
    }
    println!("tidy: {} findings", findings.len());
    Ok(findings.is_empty())
}
