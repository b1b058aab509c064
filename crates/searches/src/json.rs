//! The JSON of dead statements.

use crate::{ClaimStanding, Lint};
use serde::Serialize;
use volvelle_diagnostics::Sources;
use volvelle_session::json::Document;

/// The answer to `lint`.
pub fn of_lint<'a>(file: &'a str, lint: &'a Lint, sources: &'a Sources) -> Document<'a> {
    let statements = lint.executed.map(|(executed, all)| StatementsShape { all, executed });
    let document = Document::new(&lint.diagnostics, sources).of_file(file, Some("processes".into()));
    document.with_some("statements", statements)
}

/// What a walk knows of the claims that it follows; `None` if it follows none.
pub fn of_claims(claims: &[ClaimStanding]) -> Option<impl Serialize> {
    let shape = |claim: &ClaimStanding| ClaimShape {
        name: claim.title.clone(),
        verdict: claim.verdict,
        text: claim.text.clone(),
    };
    (!claims.is_empty()).then(|| claims.iter().map(shape).collect::<Vec<_>>())
}

/// A claim that a walk follows.
#[derive(Serialize)]
struct ClaimShape {
    name: String,
    verdict: Option<bool>,
    text: String,
}

/// Statements of a Promela model.
#[derive(Serialize)]
struct StatementsShape {
    all: usize,
    executed: usize,
}
