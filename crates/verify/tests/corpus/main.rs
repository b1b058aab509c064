//! Published models with reference values: state counts, values, and that all ways to explore agree.
//!
//! Switched on by environment variables:
//!
//! | variable | meaning | default |
//! |---|---|---|
//! | `VOLVELLE_CORPUS` | folder with `cases.tsv` (or with `prism/cases.tsv`) | skip everything |
//! | `VOLVELLE_CORPUS_SECONDS` | wall time for all | 300 |
//! | `VOLVELLE_CORPUS_CASE_SECONDS` | wall time for one row | 20 |
//! | `VOLVELLE_CORPUS_MEMORY` | memory for states and numbers: bytes, or with K, M, G | 4G |
//! | `VOLVELLE_CORPUS_STATES` | rows with more states are left out | 1e6 |
//! | `VOLVELLE_CORPUS_FILTER` | only rows whose model's path contains this | all |
//! | `VOLVELLE_CORPUS_EXACT` | if set, everything is computed with fractions; ways to explore are not compared | |
//! | `VOLVELLE_CORPUS_VERBOSE` | if set, every row is shown as it comes | |
//!
//! Rows are taken in the order of their states; those with the same model and constants share one exploration, which finds
//! all states. Rows of small models are checked once more with no more states than they need. Any
//! wrong number of states, wrong value, or bound that misses the reference fails the run. What a limit ended, and what
//! is refused as not yet evaluated, is counted apart.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a test program of its own: its output is the result"
)]

mod budget;
mod cases;
mod judge;
mod run;
mod table;

use budget::Budget;
use std::path::PathBuf;
use std::process::ExitCode;

fn main() -> ExitCode {
    // `cargo test NAME` and `--list` mean other tests, or nothing to run.
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.iter().any(|a| a == "--list") {
        println!("corpus: test");
        return ExitCode::SUCCESS;
    }
    let filters: Vec<&String> = arguments.iter().filter(|a| !a.starts_with('-')).collect();
    if !filters.is_empty() && !filters.iter().any(|filter| "corpus".contains(filter.as_str())) {
        return ExitCode::SUCCESS;
    }
    match corpus() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("corpus: {message}");
            ExitCode::FAILURE
        }
    }
}

fn corpus() -> Result<bool, String> {
    let Some(folder) = std::env::var_os("VOLVELLE_CORPUS") else {
        println!("corpus: skipped, VOLVELLE_CORPUS is not set");
        println!("{}", table::result_line(true, 0, 0, 1));
        return Ok(true);
    };
    let folder = PathBuf::from(folder);
    let inner = folder.join("prism");
    let folder = if inner.join("cases.tsv").exists() { inner } else { folder };
    let budget = Budget::from_environment()?;
    let only = std::env::var("VOLVELLE_CORPUS_FILTER").unwrap_or_default();
    let instances = cases::read(&folder, &only)?;
    let verbose = std::env::var_os("VOLVELLE_CORPUS_VERBOSE").is_some();
    let outcomes = run::run(&instances, &budget, verbose);
    let passed = table::print(&instances, &outcomes, &budget);
    Ok(passed)
}
