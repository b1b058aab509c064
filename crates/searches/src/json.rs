//! The JSON of dead statements.

use crate::Lint;
use serde::Serialize;
use volvelle_diagnostics::Sources;
use volvelle_session::json::Document;

/// The answer to `lint`.
pub fn of_lint<'a>(file: &'a str, lint: &'a Lint, sources: &'a Sources) -> Document<'a> {
    let statements = lint.executed.map(|(executed, all)| StatementsShape { all, executed });
    let document = Document::new(&lint.diagnostics, sources).of_file(file, Some("processes".into()));
    document.with_some("statements", statements)
}

/// Statements of a Promela model.
#[derive(Serialize)]
struct StatementsShape {
    all: usize,
    executed: usize,
}
