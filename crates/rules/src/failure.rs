//! Why something does not hold.

use crate::ir::{FunctionId, JudgmentId, RoutineId};
use crate::value::{FailureId, Value};
use volvelle_diagnostics::Span;
use volvelle_trees::Symbol;

/// What failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// `fail` without words.
    Fail,
    /// `fail` with words.
    Said,
    /// A premise that is not true, by its text.
    Premise(Symbol),
    /// No rule is for the arguments.
    NoRule(JudgmentId),
    /// No body is for the arguments.
    NoBody(FunctionId),
    /// An argument is null.
    Null,
    /// A mapping that is not there, a value of the wrong class: the text says it.
    Value(Symbol),
    /// A rule with its arguments, whose premise is the cause.
    Rule(RoutineId),
    /// A function with its arguments, whose premise is the cause.
    Function(FunctionId),
}

/// What is said about a failure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Said {
    /// The message; null where there is none.
    pub message: Value,
    /// The node.
    pub source: Value,
    /// The name of its field.
    pub feature: Value,
    /// Anything else.
    pub data: Value,
}

/// A failure.
#[derive(Clone, Copy, Debug)]
pub struct Failure {
    /// What failed.
    pub what: What,
    /// Where its arguments are, among those of all failures.
    pub args: (u32, u32),
    /// Why.
    pub cause: Option<FailureId>,
    /// What is said about it, once it was asked for.
    pub said: Option<Said>,
    /// Where in the rules.
    pub span: Span,
    /// Whether it was kept for another environment, which what is said about it shows.
    pub is_borrowed: bool,
}
