//! Bounds on what is accumulated along a path: rewards and steps, several at once.

use crate::basics::{Bound, FormulaId, Optimum, RewardId};
use dashu_ratio::RBig;

/// The quantity that a bound limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Counted {
    /// Transitions taken.
    Steps,
    /// The reward of the choices taken, that of their states included.
    Reward(RewardId),
}

/// One end of a [`CostBound`].
#[derive(Clone, Debug, PartialEq)]
pub struct Limit {
    /// The amount, exactly.
    pub amount: RBig,
    /// Whether the amount itself is excluded.
    pub strict: bool,
}

/// Bounds of what is accumulated before the state in which a path formula is satisfied.
#[derive(Clone, Debug, PartialEq)]
pub struct CostBound {
    /// What is counted.
    pub counted: Counted,
    /// Lower end.
    pub lower: Option<Limit>,
    /// Upper end.
    pub upper: Option<Limit>,
}

/// The least or the largest amount with which the probability of `left U right` meets a bound.
#[derive(Clone, Debug, PartialEq)]
pub struct Quantile {
    /// The schedulers over which the probability is taken.
    pub optimum: Option<Optimum>,
    /// The bound on the probability.
    pub bound: Bound,
    /// The left side.
    pub left: FormulaId,
    /// The right side.
    pub right: FormulaId,
    /// The bounds on costs.
    pub bounds: Vec<CostBound>,
    /// The bound with the open amount, which is an end of it; the amount given there has no meaning.
    pub open: usize,
    /// Whether the open amount is the upper end.
    pub upper: bool,
}
