//! What formulas and bounds on costs are made of: indices, directions and comparisons.

use volvelle_entity::entity;

entity!(
    /// Index of a reward structure.
    RewardId
);

entity!(
    /// Index of a formula in [`Formulas`](crate::Formulas).
    FormulaId
);

/// Over which schedulers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // the names say it
pub enum Optimum {
    Min,
    Max,
}

/// A comparison of a value with a bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // the names say it
pub enum Comparison {
    Lt,
    Le,
    Gt,
    Ge,
}

/// `comparison threshold`
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bound {
    /// The comparison.
    pub comparison: Comparison,
    /// The threshold.
    pub threshold: f64,
}
