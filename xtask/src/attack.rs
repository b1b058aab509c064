//! Runs the attacks of the test suite for longer: the tests whose name begins with `attack_`, with more random cases.
//!
//! The number of cases goes through the environment variable `VOLVELLE_ATTACK`, which `volvelle_random::attack_cases` reads. Cases are
//! numbered, so a failure that a long run finds is found again by the same command.

use crate::tree;
use std::process::Command;

/// `cargo xtask attack`.
pub fn run(arguments: &[String]) -> Result<bool, String> {
    let mut times = 100;
    let mut filters = Vec::new();
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        match argument.as_str() {
            "--times" => {
                let text = rest.next().ok_or("--times needs a number")?;
                times = text.parse::<u64>().map_err(|_| format!("--times needs a number, not `{text}`"))?;
            }
            option if option.starts_with("--") => return Err(format!("attack knows no option `{option}`")),
            filter => filters.push(filter.to_owned()),
        }
    }
    if filters.is_empty() {
        filters.push("attack_".to_owned());
    }
    let mut command = Command::new(env!("CARGO"));
    command.current_dir(tree::root()).env("VOLVELLE_ATTACK", times.to_string());
    command.args(["test", "--workspace", "--no-fail-fast", "--tests", "--"]).args(&filters);
    command.status().map(|status| status.success()).map_err(|error| format!("cargo test: {error}"))
}
