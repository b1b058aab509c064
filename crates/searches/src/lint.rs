//! Statements that no run executes.
//!
//! All states are visited, without reductions, and what is taken on the way is noted: [`ProcessDocument::coverage`] says which
//! statements these are.

use crate::failures;
use crate::settings::{PATIENCE, SearchSettings};
use std::collections::BTreeMap;
use volvelle_control::Control;
use volvelle_diagnostics::{Diagnostic, has_errors};
use volvelle_explore::Processes;
use volvelle_kernel::Compiler;
use volvelle_kernel::interp::Interpreter;
use volvelle_model::Program;
use volvelle_model::kernels::NetworkOptions;
use volvelle_search::Outcome;
use volvelle_session::Model;
use volvelle_session::engine;
use volvelle_session::language::{Covered, ProcessDocument};
use volvelle_session::limits;

/// Results of `lint`.
#[derive(Clone, Debug, Default)]
pub struct Lint {
    /// Diagnostics about the text, and a warning for each dead statement.
    pub diagnostics: Vec<Diagnostic>,
    /// Statements, and how many of them some run executes. `None` if not all states were visited.
    pub executed: Option<(usize, usize)>,
}

/// Looks for statements that no run executes.
pub fn lint(model: &mut Model, settings: &SearchSettings, control: &Control<'_>) -> Lint {
    let lowered = model.lower();
    let mut lint = Lint { diagnostics: std::mem::take(&mut model.diagnostics), executed: None };
    if !lowered || has_errors(&lint.diagnostics) {
        return lint;
    }
    let (Some(program), Some(document)) = (model.program(), model.processes()) else { return lint };
    let native = engine::native(settings.tier);
    let compiler: &dyn Compiler = native.as_ref().map_or(&Interpreter, |native| native);
    match covered(model, program, document, compiler, settings, control) {
        Ok((covered, notes)) => {
            let (diagnostics, executed) = document.coverage(&covered);
            lint.diagnostics.extend(diagnostics);
            lint.executed = Some(executed);
            lint.diagnostics.extend(document.truncations(&notes));
        }
        Err(diagnostic) => lint.diagnostics.push(diagnostic),
    }
    lint
}

/// Visits all states.
fn covered(
    model: &Model,
    program: &Program,
    document: &dyn ProcessDocument,
    compiler: &dyn Compiler,
    settings: &SearchSettings,
    control: &Control<'_>,
) -> Result<(Covered, BTreeMap<u32, i64>), Diagnostic> {
    let made = |error| failures::not_made(document, &model.sources, &error);
    let system = Processes::new(program, NetworkOptions::default(), compiler, PATIENCE).map_err(made)?;
    let (system, outcome, covered) = volvelle_lts::coverage(program, system, control).map_err(made)?;
    let mut notes = BTreeMap::new();
    failures::gather(&mut notes, &system);
    match outcome {
        Outcome::Stopped(stop) => Err(limits::stopped(stop, &settings.allowance)),
        Outcome::Complete | Outcome::Failed => Ok((covered, notes)),
        // A search that needs room was made again with more of it.
        Outcome::TooLarge | Outcome::LayoutOverflow { .. } => Err(failures::too_large()),
    }
}
