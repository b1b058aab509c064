//! Options of walks, for all languages.

use clap::Args;
use std::path::PathBuf;
use volvelle_console::amounts;
use volvelle_diagnostics::{Diagnostic, codes};

/// Steps that a walk may have without `--steps`.
const DEFAULT_STEPS: usize = 100_000;

/// More steps than this are not remembered on any machine.
const MOST_STEPS: u64 = u32::MAX as u64 - 1;

/// How a walk begins, and how far it goes.
#[derive(Args, Debug)]
pub struct StepArgs {
    /// Remember at most this many steps: 500 or 1e6 [default: 100000]
    #[arg(long, value_name = "NUMBER")]
    pub steps: Option<String>,

    /// Begin with a trail: a file of the command `save`; for Promela a saved counterexample, too, or a SPIN `.trail` file
    #[arg(long, value_name = "FILE")]
    pub trail: Option<PathBuf>,
}

impl StepArgs {
    /// Steps that the walk may have.
    ///
    /// # Errors
    /// It is no number of steps.
    pub fn limit(&self) -> Result<usize, Diagnostic> {
        let Some(text) = self.steps.as_deref() else { return Ok(DEFAULT_STEPS) };
        let count = amounts::count(text, "a number of steps", "--steps 500")?;
        usize::try_from(count).ok().filter(|_| count <= MOST_STEPS).ok_or_else(|| {
            Diagnostic::error(codes::BAD_LIMIT, format!("`{text}` steps are too many"))
                .help("write a number below 4e9: --steps 1e6")
        })
    }
}
