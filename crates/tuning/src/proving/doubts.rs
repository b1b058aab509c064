//! What makes a model doubtful as a model of time: warnings beside the answer.

use volvelle_session::language::ProcessDocument;
use volvelle_diagnostics::Diagnostic;
use volvelle_model::Program;

/// Warnings about a program.
pub(super) fn of(_program: &Program, _document: &dyn ProcessDocument) -> Vec<Diagnostic> {
    Vec::new()
}
