//! What the workers of a breadth-first search share.

use crate::store::Mark;
use crate::system::System;
use crate::trail_builder::Listing;
use crate::turns::Turns;
use crate::visited::{Halt, Visited};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Mutex, RwLock};
use volvelle_control::Barrier;
use volvelle_store::SharedBitSet;

/// Options of a search.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Whether to continue after errors: one per site, at its least depth. Otherwise the search ends with the
    /// level of the first error.
    pub all_errors: bool,
    /// States of this depth are not expanded.
    pub max_depth: Option<u64>,
    /// Errors only, no trails.
    pub no_trails: bool,
    /// Which trails are given in full.
    pub listing: Listing,
}

/// The smallest state with an error of a site, on the first level that has one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Erring {
    pub(super) level: usize,
    pub(super) source: Vec<u64>,
}

/// Errors by site.
pub(super) type Errors = BTreeMap<u32, Erring>;

/// Data that all workers share.
pub(super) struct Shared<'a> {
    pub(super) system: &'a dyn System,
    pub(super) threads: usize,
    pub(super) turns: Option<&'a Turns>,
    pub(super) visited: Visited<'a>,
    pub(super) barrier: Barrier,
    pub(super) work: RwLock<Work>,
    /// States of the current level that workers have taken.
    pub(super) taken: AtomicU64,
    pub(super) halted: AtomicBool,
    /// Whether the probe's error is the answer, so that this search does not count.
    pub(super) gave_way: AtomicBool,
    pub(super) halt: Mutex<Option<Halt>>,
    pub(super) transitions: AtomicU64,
    pub(super) steps: AtomicU64,
    pub(super) errors: Mutex<Errors>,
    /// Number of states of the current level that have successors left out.
    pub(super) left_out: AtomicU64,
    /// States known to satisfy the ignoring proviso, since a fully expanded state is reachable.
    pub(super) satisfied: SharedBitSet,
    /// Terminal states: some successors are left out, and no other is deeper or known to satisfy the proviso.
    pub(super) terminals: Mutex<Vec<u32>>,
}

/// The level that workers expand after the barrier.
#[derive(Default)]
pub(super) struct Work {
    pub(super) runs: Vec<Range<u32>>,
    pub(super) states: u64,
    pub(super) level: usize,
    /// The work that was done before it ([`Turns::units_in_levels`]).
    pub(super) units: u64,
    /// All successors of the states, which were expanded before.
    pub(super) again: bool,
    /// Successors may be left out.
    pub(super) reduce: bool,
    pub(super) over: bool,
    /// The extent of the visited set when the level began: later states belong to later levels.
    pub(super) known: Mark,
}

/// Decides whether the reduction pays. The decision depends on whole levels only, so counts are the same for
/// any number of threads.
#[derive(Default)]
pub(super) struct ReductionPolicy {
    /// Number of levels to expand in full before the next try; `pause`: length of the last pause.
    pub(super) levels: u32,
    pub(super) pause: u32,
}
