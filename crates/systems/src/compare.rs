//! Comparison of two systems, with the diagnostics that this brings.

use super::reduce::{numbers_as_texts, refused};
use std::time::{Duration, Instant};
use volvelle_control::{Control, Stop};
use volvelle_diagnostics::Diagnostic;
use volvelle_lts::{Comparison, ReduceOptions, compare};
use volvelle_session::limits::Allowance;
use volvelle_space::Lts;

/// The result of a comparison.
#[derive(Clone, Debug)]
pub struct CompareReport {
    /// The equivalence.
    pub options: ReduceOptions,
    /// Names of the files.
    pub files: [String; 2],
    /// Whether they are equivalent, and what tells them apart.
    pub found: Comparison,
    /// Time for the comparison alone.
    pub time: Duration,
    /// Remarks.
    pub diagnostics: Vec<Diagnostic>,
}

/// Compares two systems out of these files.
///
/// # Errors
/// The diagnostic, and the limit that was reached if it is that.
pub fn compare_systems(
    systems: [Lts; 2],
    files: [String; 2],
    options: ReduceOptions,
    allowance: &Allowance,
    control: &Control<'_>,
) -> Result<CompareReport, (Diagnostic, Option<Stop>)> {
    let start = Instant::now();
    let diagnostics = systems.iter().find_map(|lts| numbers_as_texts(lts, options)).into_iter().collect();
    let [left, right] = systems;
    let found = compare(left, right, options, control).map_err(|error| refused(error, allowance))?;
    Ok(CompareReport { options, files, found, time: start.elapsed(), diagnostics })
}
