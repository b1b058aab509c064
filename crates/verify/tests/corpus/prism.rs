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

use crate::{budget::Budget, cases, run, table};
use std::path::PathBuf;

pub fn corpus() -> Result<bool, String> {
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
