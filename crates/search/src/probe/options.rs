//! Goals and options of probes.

use crate::claim::Claim;
use crate::liveness::Lasso;
use crate::ordered::Order;
use crate::report::Report;
use crate::turns::Turns;

/// Set in the claim's word inside atomic sequences, where the claim has moved already.
pub(super) const INSIDE: u64 = 1 << 63;

/// The errors that are looked for.
#[derive(Clone, Copy, Debug)]
pub enum Goal<'a> {
    /// Steps that fail, and states that are errors.
    Errors,
    /// Prefixes of runs that the claim accepts whatever follows ([`Claim::is_terminal`]).
    Beginnings(&'a Claim),
    /// Infinite runs, as in [`crate::liveness`].
    Cycles(crate::liveness::Goal<'a>),
}

/// Options of a probe.
#[derive(Clone, Copy, Debug)]
pub struct Options<'a> {
    /// The errors that are looked for.
    pub goal: Goal<'a>,
    /// The order of successors.
    pub order: Order,
    /// Whether processes with precedence move alone. The goal must not depend on how often an observation is
    /// repeated.
    pub reduce: bool,
    /// Limit of the depth of visited states. Once it cuts off states, a state is visited again when reached
    /// at less depth.
    pub max_depth: Option<u64>,
    /// Limit of states that this probe visits, besides those visited before. It then ends with
    /// [`Stop::States`](volvelle_control::Stop::States).
    pub max_visits: Option<u64>,
    /// Limit of stored states of a trail. Of longer ones, beginning and end are given
    /// ([`crate::Trail::gap`]).
    pub longest_trail: usize,
    /// Stored states at the beginning and at the end of longer ones.
    pub listed: usize,
    /// When to continue and when to stop.
    pub turns: &'a Turns,
    /// Number of states visited before, by a probe with a smaller layout.
    pub visited: u64,
}

/// The result of a probe.
#[derive(Clone, Debug)]
pub struct Found {
    /// [`Outcome::Failed`](crate::Outcome::Failed) with an error; [`Outcome::Complete`](crate::Outcome::Complete) if nothing is left to visit; else the reason
    /// for stopping.
    pub report: Report,
    /// For [`Goal::Cycles`]: the run.
    pub lasso: Option<Lasso>,
    /// Number of visited states, including those inside atomic sequences and of second searches.
    pub visited: u64,
}
