//! What was found, before it is told.

use super::executed::Executed;
use super::record::Recorded;
use super::report::Report;
use super::streams::{AccessRow, OutcomeRow};
use volvelle_control::Stop;
use volvelle_diagnostics::Diagnostic;

/// Answers, as they are told.
pub enum Found {
    Rows(Report),
    Executed(Vec<(String, Executed)>),
    Outcomes(Vec<OutcomeRow>),
    Accesses(Vec<AccessRow>),
    Recorded(Recorded),
}

/// What was found, and what there is to say about it.
pub struct Told {
    pub found: Option<Found>,
    pub diagnostics: Vec<Diagnostic>,
    pub stop: Option<Stop>,
    pub written: Vec<String>,
}
