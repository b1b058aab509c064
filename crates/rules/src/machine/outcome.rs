//! How questions end, and where they must.

use crate::value::{FailureId, Value};
use volvelle_diagnostics::Span;

/// How a question ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// It holds, with the outputs.
    Holds(Vec<Value>),
    /// It does not.
    Fails(FailureId),
    /// A limit was reached; the text says which.
    Stopped(&'static str),
    /// A rule did what has no meaning, such as a field of null.
    Broke(Breakdown),
}

/// A rule that did what has no meaning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breakdown {
    /// What it did.
    pub message: String,
    /// Where in the rules.
    pub span: Span,
}

/// Where runs end.
#[derive(Clone, Copy)]
pub struct Limits<'l> {
    /// Bytes of values, frames and kept results.
    pub bytes: usize,
    /// Whether to stop, asked now and then.
    pub stop: &'l dyn Fn() -> bool,
}

/// What was done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Rules and bodies that were applied.
    pub applications: u64,
    /// Results that were there already.
    pub hits: u64,
    /// Instructions.
    pub instructions: u64,
}
