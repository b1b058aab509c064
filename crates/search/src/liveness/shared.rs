//! What the workers of a search for cycles share.

use super::lasso::Cycle;
use super::lasso::Lasso;
use super::proviso::CycleProviso;
use crate::claim::Claim;
use crate::product::Product;
use crate::report::Report;
use crate::trail_builder::Listing;
use crate::turns::Turns;
use crate::visited::{Halt, Visited};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64};
use volvelle_store::SharedBitSet;

/// The runs that are errors.
#[derive(Clone, Copy, Debug)]
pub enum Goal<'a> {
    /// Runs that the claim accepts, or (if the claim has no end) that visit accepting states of the system
    /// infinitely often. A run that ends stays in its last state.
    Claim(&'a Claim),
    /// Runs that visit accepting states of the system infinitely often. A run that ends stays in its last
    /// state.
    Acceptance,
    /// Infinite runs that pass progress states only finitely often.
    NonProgress,
}

/// Options of a search.
#[derive(Clone, Copy, Debug)]
pub struct Options<'a> {
    /// The runs that are errors.
    pub goal: Goal<'a>,
    /// Only runs in which each process moves, or is disabled, again and again.
    pub weak_fairness: bool,
    /// Whether to leave out successors that the goal does not need. The goal must not depend on how often an
    /// observation is repeated, and [`System::partial_order_reducing_expander`](crate::System::partial_order_reducing_expander) must not leave out steps that
    /// change an observation. With several workers, the number of visited states then varies. No effect under
    /// weak fairness.
    pub reduce: bool,
    /// Limit of the depth of states on the stack that are expanded. Such a search may miss runs even within
    /// this depth, since a state first visited at the limit is not expanded again.
    pub max_depth: Option<u64>,
    /// Whether to show the cycle that was found first, which may vary when several workers search.
    pub any_lasso: bool,
    /// Which trails are given in full.
    pub listing: Listing,
}

/// The result of a search for cycles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// Sizes of the product, and the outcome ([`Outcome::Failed`](crate::Outcome::Failed): there is a cycle). The depth is that of
    /// the deepest stack, which varies with several workers. Errors of steps are not searched.
    pub report: Report,
    /// A run that is an error.
    pub lasso: Option<Lasso>,
}

/// Data that all workers share.
pub(super) struct Shared<'a> {
    pub(super) product: Product<'a>,
    /// The schedule of this search and a probe.
    pub(super) turns: Option<&'a Turns>,
    pub(super) visited: Visited<'a>,
    /// States that some first search has left.
    pub(super) blue: SharedBitSet,
    /// States that some second search has left.
    pub(super) red: SharedBitSet,
    /// The expansion of each state that has an ample set.
    pub(super) proviso: CycleProviso,
    /// States on the stack of the first search from here on are not expanded.
    pub(super) max_depth: usize,
    /// States that were not expanded.
    pub(super) cut: SharedBitSet,
    pub(super) halted: AtomicBool,
    pub(super) halt: Mutex<Option<Halt>>,
    pub(super) found: Mutex<Option<Cycle>>,
    pub(super) transitions: AtomicU64,
    pub(super) steps: AtomicU64,
    pub(super) depth: AtomicU64,
    /// Bytes of the workers' own data.
    pub(super) bytes: AtomicU64,
    /// The propositions that have held in a state that the claim read.
    pub(super) held: AtomicU64,
}
