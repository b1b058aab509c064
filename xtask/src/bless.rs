//! Rewriting expectations: tests that keep them in files write what they found when `BLESS` is set.

use crate::tree;
use std::process::Command;

/// Runs the tests with `BLESS=1`. `arguments` go to `cargo test`; without any, the whole workspace is run.
/// Gives whether all tests passed. What was rewritten is for the person at the keyboard to read: `git diff`.
pub fn run(arguments: &[String]) -> Result<bool, String> {
    let mut command = Command::new(env!("CARGO"));
    command.current_dir(tree::root()).arg("test").env("BLESS", "1").env("INSTA_UPDATE", "always");
    if arguments.is_empty() {
        command.args(["--workspace", "--no-fail-fast"]);
    }
    let status = command.args(arguments).status().map_err(|e| format!("cargo: {e}"))?;
    Ok(status.success())
}
