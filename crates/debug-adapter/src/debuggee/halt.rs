//! Reasons to stop.

use super::setup::Filter;
use volvelle_control::Stop;
use volvelle_diagnostics::Diagnostic;

/// Where the model goes wrong, or something is decided.
#[derive(Clone, Debug)]
pub struct Exception {
    /// Its kind.
    pub filter: Filter,
    /// In a sentence.
    pub what: String,
    /// At length.
    pub details: String,
}

/// Why a walk stops.
#[derive(Clone, Debug)]
pub enum Halt {
    /// It is in the initial state.
    Entry,
    /// It was to go so far.
    Stepped,
    /// It met breakpoints on lines.
    Lines(Vec<i64>),
    /// Conditions began to hold, or steps were taken.
    Goals(Vec<(i64, String)>),
    /// Something went wrong, or is decided.
    Exception(Exception),
    /// No step leads on.
    Over(String),
    /// The steps that were known are taken.
    KnownEnd,
    /// All steps lead back to the state.
    Stuck,
    /// It may have no more steps.
    AtLimit,
    /// The client wants it to stop, or a limit is reached.
    Limit(Stop),
    /// The next step fails.
    Failed(Box<Diagnostic>),
}
