//! The step `editors`: what stands in `editors/`, with the program that the tests have built, since it has all its wings.

use super::{Outcome, Summary, counted, succeeds};
use crate::metadata;
use std::path::Path;
use std::process::{Command, Stdio};

/// Gets the packages that the lock file names, makes the extension, and runs its tests, and those of Neovim. What is not installed is
/// skipped by them.
pub fn step(root: &Path, summary: &mut Summary) -> Result<Outcome, String> {
    let program = metadata::target_folder(root)?.join("debug/volvelle");
    if !program.exists() {
        let reason = format!("{} is not there: the step build builds it", program.display());
        return Ok(Outcome::Skipped(reason));
    }
    if is_there("node") && is_there("npm") {
        let mut install = Command::new("npm");
        install.args(["ci", "--no-audit", "--no-fund", "--loglevel=error"]);
        // Without a registry there are no packages, which the tests say that need them.
        succeeds(install.current_dir(root.join("editors/vscode")))?;
    }
    let mut tests = Command::new("bash");
    tests.current_dir(root).arg("editors/test/run").arg(program);
    counted(root, &mut tests, summary)
}

fn is_there(program: &str) -> bool {
    let version = Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    version.is_ok_and(|status| status.success())
}
