//! What searches take, share and find.

use crate::result::{Decided, Tuning};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::sync::atomic::{AtomicU64, Ordering};
use volvelle_control::{Control, Counted, ProgressEvent, Stop};

/// States between two progress reports.
pub(super) const REPORT_EVERY: u64 = 1 << 16;

/// How to search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// By time slices, configuration by configuration, up to the best time known.
    #[default]
    BranchAndBound,
    /// Lowers the bound of an over-time property until no run finishes earlier.
    Bisection,
    /// Random searches within limits, without a proof.
    Swarm,
}

/// Options of a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The method.
    pub method: Method,
    /// Whether the time of every configuration is wanted, even if it cannot be best.
    pub all: bool,
    /// Seed of random choices.
    pub seed: u64,
    /// Whether to explore all states: without partial-order reduction, symmetry, or merging of states that
    /// differ only in variables not read any more.
    pub no_reduction: bool,
    /// Number of states before partial-order reduction begins: it does not pay in small searches.
    pub reduce_after: u64,
}

/// The usual value of [`Options::reduce_after`].
pub const REDUCE_AFTER: u64 = 1 << 14;

/// Knowledge from before the search.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Known {
    /// Configurations whose time is known.
    pub decided: Vec<Decided>,
    /// Whether all runs that reach the goal are known ...
    pub is_complete: bool,
    /// ... except runs of unknown configurations that take more than this.
    pub above: Option<i64>,
    /// Decided configurations of which some runs end without the goal.
    pub dead_ends: Vec<Vec<i64>>,
}

/// A step that decreases the cost.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decrease {
    /// The state before it, packed in the layout of the system.
    pub before: Vec<u64>,
    /// The state after it. If the step begins an atomic sequence: the state after the sequence.
    pub after: Vec<u64>,
    /// The step, as the system numbers it.
    pub step: u32,
}

/// The result of a search.
#[derive(Clone, Debug, PartialEq)]
pub struct Searched {
    /// The answer.
    pub tuning: Tuning,
    /// The limit that ended the search early, if any. `tuning` then has what is known so far.
    pub stop: Option<Stop>,
    /// Sites at which steps failed.
    pub failures: Vec<u32>,
    /// Configurations of which some runs end without the goal.
    pub dead_ends: Vec<Vec<i64>>,
    /// Whether runs end without the goal before the parameters are settled.
    pub unsettled_ends: bool,
    /// Number of states left out because another state, alike except for the clock, costs less.
    pub dominated: u64,
}

/// Why a search ends early.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum Halt {
    Stopped(Stop),
    LayoutOverflow(u32),
    Decrease(Box<Decrease>),
    Undefined(Cow<'static, str>),
    /// The margin of the clock does not suffice ([`clock`]): states that stand for others may not be
    /// equivalent.
    NoMargin,
    /// Another worker ended the search.
    Elsewhere,
}

/// Data that the workers of a search share: limits, and counts of their work.
pub(super) struct Shared<'s> {
    pub(super) control: &'s Control<'s>,
    pub(super) reduce_after: u64,
    pub(super) states: AtomicU64,
    pub(super) transitions: AtomicU64,
    pub(super) bytes: AtomicU64,
    pub(super) reported: AtomicU64,
}

impl<'s> Shared<'s> {
    pub(super) fn new(control: &'s Control<'s>, reduce_after: u64) -> Self {
        let (states, transitions) = (AtomicU64::new(0), AtomicU64::new(0));
        let (bytes, reported) = (AtomicU64::new(0), AtomicU64::new(REPORT_EVERY));
        Shared { control, reduce_after, states, transitions, bytes, reported }
    }

    pub(super) fn check_states(&self) -> Result<(), Halt> {
        let states = self.states.load(Ordering::Relaxed);
        match self.control.limits.states {
            Some(most) if states > most => Err(Halt::Stopped(Stop::States)),
            _ => Ok(()),
        }
    }

    /// Reports progress once enough states have been added.
    pub(super) fn report(&self, bytes: u64) {
        let (states, due) = (self.states.load(Ordering::Relaxed), self.reported.load(Ordering::Relaxed));
        if states < due {
            return;
        }
        self.reported.store(states + REPORT_EVERY, Ordering::Relaxed);
        let transitions = self.transitions.load(Ordering::Relaxed);
        let counted = Counted::default();
        self.control.progress.report(ProgressEvent::Exploring {
            counted,
            states,
            transitions,
            frontier: 0,
            bytes,
        });
    }
}
