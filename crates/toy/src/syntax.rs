//! The syntax tree: names as written, with their places. Nothing is resolved here.

use volvelle_diagnostics::Span;

/// A name where it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// The word.
    pub text: String,
    /// Its place.
    pub span: Span,
}

/// `counter NAME LO..HI = INITIAL`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counter {
    /// Its name.
    pub name: Name,
    /// The smallest value.
    pub lo: i64,
    /// The largest value.
    pub hi: i64,
    /// The value in the beginning.
    pub initial: i64,
    /// The place of the declaration.
    pub span: Span,
}

/// How a counter is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // the names say it
pub enum Comparison {
    Equal,
    Less,
    Greater,
}

/// `COUNTER < NUMBER`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// The counter.
    pub counter: Name,
    /// The comparison.
    pub comparison: Comparison,
    /// The number.
    pub number: i64,
}

/// How a counter is changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // the names say it
pub enum Operation {
    Set,
    Add,
    Subtract,
}

/// `COUNTER += NUMBER`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The counter.
    pub counter: Name,
    /// The operation.
    pub operation: Operation,
    /// The number.
    pub number: i64,
    /// The place of the change.
    pub span: Span,
}

/// `rule NAME: CONDITIONS -> CHANGES`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Its name.
    pub name: Name,
    /// All must hold.
    pub conditions: Vec<Condition>,
    /// Made together.
    pub changes: Vec<Change>,
    /// The place of the rule.
    pub span: Span,
}

/// `goal NAME: CONDITIONS`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Goal {
    /// Its name.
    pub name: Name,
    /// All must hold.
    pub conditions: Vec<Condition>,
}

/// A model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)] // the types say it
pub struct Model {
    pub counters: Vec<Counter>,
    pub rules: Vec<Rule>,
    pub goals: Vec<Goal>,
}

/// `chance of GOAL within STEPS`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// The goal.
    pub goal: Name,
    /// The number of steps, where there is a limit.
    pub within: Option<i64>,
    /// The place of the question.
    pub span: Span,
}
