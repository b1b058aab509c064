//! Strategies of the winner.

use crate::paths::WeightedPath;
use volvelle_space::WeightedStep;

/// The winner from a pair of states, with a strategy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The pair is in the largest simulation.
    Related(Defence),
    /// It is not.
    Unrelated(Attack),
}

/// A simulation with the answers of all its pairs. Pairs of a state with itself are omitted, since every step
/// answers itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Defence {
    /// The pair in question first, if its states are different.
    pub pairs: Vec<Defended>,
}

/// A pair of a simulation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Defended {
    /// The state that moves.
    pub s: u32,
    /// The state that answers.
    pub t: u32,
    /// The answers to the steps of `s`, in their order.
    pub answers: Vec<WeightedPath>,
}

/// A strategy of the attacker: pairs, each of which is refuted by later pairs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attack {
    /// The pair in question first.
    pub pairs: Vec<Refuted>,
}

/// A pair that is not in the largest simulation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refuted {
    /// The state that moves.
    pub s: u32,
    /// The state that answers.
    pub t: u32,
    /// Why.
    pub reason: Reason,
}

/// The reason why a pair is refuted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The valuations are different.
    Valuations,
    /// A step has no answer: each path from `t` with a weight in its window passes a state or ends in a state
    /// that has another valuation, or forms a refuted pair.
    Step {
        /// The attacker's step.
        step: WeightedStep,
        /// Indices of refuted pairs `(s, x)`: paths may not pass `x`.
        passing: Vec<usize>,
        /// Indices of refuted pairs `(s', x)`: paths may not end in `x`.
        ending: Vec<usize>,
    },
    /// Only if divergence counts: `s` can stay forever on steps of weight 0, along states of which none is
    /// related to a successor of `t`.
    Stays {
        /// The states of a path of steps of weight 0, from `s` on.
        path: Vec<u32>,
        /// The index of the state to which its last state has a step of weight 0. Or the last index, if its
        /// last state has no steps and counts as one that stays.
        back_to: usize,
        /// Indices of refuted pairs `(x, t1)`: for each `x` on the path and each successor `t1` of `t` with
        /// the same valuation. (A `t` without steps that counts as one that stays is its own successor.)
        following: Vec<usize>,
    },
}
