//! Outcomes of tasks: `address outcome`.

use super::Form;
use super::columns::Lines;
use volvelle_diagnostics::{Diagnostic, FileId};

/// What a predictor learns from: a task, and whether the transfer at its end was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Where the task begins.
    pub address: u64,
    /// Whether the transfer at its end was taken.
    pub taken: bool,
}

/// Reads outcomes.
///
/// # Errors
/// What is wrong with the text: at most some twenty lines.
pub fn outcomes(file: FileId, text: &str) -> Result<Vec<Outcome>, Vec<Diagnostic>> {
    let mut lines = Lines::of(file, text, Form::Outcomes).map_err(|found| vec![found])?;
    let mut all = Vec::new();
    while let Some([address, taken]) = lines.next(Form::Outcomes) {
        if let (Some(address), Some(taken)) = (lines.address(address), lines.taken(taken)) {
            all.push(Outcome { address, taken });
        }
    }
    if lines.found.is_empty() { Ok(all) } else { Err(lines.found) }
}
