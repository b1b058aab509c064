//! Liveness: runs that a claim accepts, runs that visit accepting states infinitely often, runs without progress.
//!
//! Looks for an accepting cycle in the product (`crate::product`) by nested depth-first search on all cores
//! (Evangelista, Laarman, Petrucci and van de Pol, *Improved multi-core nested depth-first search*, ATVA 2012), whose
//! first search notices cycles over its own stack at once (Schwoon and Esparza, *A note on on-the-fly verification
//! algorithms*, TACAS 2005). `worker` has the algorithm.
//!
//! When several workers search, chance decides which cycle is found. To show the same one for any number of
//! workers, one worker repeats the search ([`Options::any_lasso`] skips this).

mod lasso;
mod proviso;
mod shared;
mod worker;

use shared::Shared;
pub use shared::{Goal, Options, Verdict};

pub(crate) use lasso::explain;
pub use lasso::{Lasso, STUTTER};

use crate::claim::Claim;
use crate::product::Product;
use crate::report::{Outcome, Report};
use crate::system::System;
use crate::trail_builder::Listing;
use crate::turns::Turns;
use crate::visited::{Halt, Visited, lock};
use lasso::Cycle;
use proviso::CycleProviso;
use std::borrow::Cow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use volvelle_control::{Barrier, Control, Limits, Silent, Stop};
use volvelle_store::SharedBitSet;
use worker::Worker;

impl<'a> Goal<'a> {
    /// The claim; whether accepting states of the system count; whether a run that ends stays in its last state.
    pub(crate) fn parts(self) -> (Cow<'a, Claim>, bool, bool) {
        match self {
            Goal::Claim(claim) => (Cow::Borrowed(claim), true, true),
            Goal::Acceptance => (Cow::Owned(Claim::anything()), true, true),
            Goal::NonProgress => (Cow::Owned(Claim::non_progress()), false, false),
        }
    }
}

/// Searches for an erroneous run. The claim must be [sound](Claim::is_sound).
pub fn search(system: &dyn System, options: &Options<'_>, control: &Control<'_>) -> Verdict {
    search_in_turns(system, options, None, control)
}

/// Like [`search`], in turns with a probe if there is one. If a run is found, the probe's run is the answer:
/// a search that ends early tells the probe that there is one, and returns no lasso. In the first turn, a
/// single worker searches, and what it finds is the answer.
pub fn search_in_turns(
    system: &dyn System,
    options: &Options<'_>,
    turns: Option<&Turns>,
    control: &Control<'_>,
) -> Verdict {
    let (claim, accepting_states, stutter) = options.goal.parts();
    let claim = &*claim;
    assert!(claim.is_sound(), "edges of a claim lead to its states");
    let processes = options.weak_fairness.then(|| system.num_processes() as u32);
    let reduce = options.reduce && !options.weak_fairness;
    let product = Product { system, claim, accepting_states, stutter, processes, reduce };
    let max_depth = options.max_depth.map_or(usize::MAX, |most| usize::try_from(most).unwrap_or(usize::MAX));
    let alone = |control: &Control<'_>| with_threads(product, (max_depth, options.listing), control, 1, None);
    let threads = control.threads.max(1);
    if let Some(turns) = turns {
        // Small systems need no probe.
        let first = turns.first();
        let states = control.limits.states.map_or(first, |most| most.min(first));
        let limits = Limits { states: Some(states), ..control.limits };
        let verdict = alone(&Control { limits, progress: &Silent, ..*control });
        if states < first || verdict.report.outcome != Outcome::Stopped(Stop::States) {
            if !matches!(verdict.report.outcome, Outcome::LayoutOverflow { .. }) {
                turns.main_is_over();
            }
            return verdict;
        }
    }
    let verdict = with_threads(product, (max_depth, options.listing), control, threads, turns);
    if let Some(turns) = turns {
        if verdict.report.outcome != Outcome::Failed {
            // After a limit, the probe's result counts. After an overflow, the search begins again.
            if verdict.report.outcome == Outcome::Complete {
                turns.main_is_over();
            }
            return verdict;
        }
        if turns.wait_for_probe() {
            return Verdict { lasso: None, ..verdict };
        }
    }
    if threads == 1 || verdict.lasso.is_none() || options.any_lasso {
        return verdict;
    }
    let again = alone(control);
    // Stopped by a limit: any lasso is better than none.
    if again.lasso.is_some() { again } else { verdict }
}

fn with_threads(
    product: Product<'_>,
    (max_depth, listing): (usize, Listing),
    control: &Control<'_>,
    threads: usize,
    turns: Option<&Turns>,
) -> Verdict {
    let shared = Shared {
        product,
        turns,
        visited: Visited::new(product.words(), threads, control).beside(turns),
        blue: SharedBitSet::default(),
        red: SharedBitSet::default(),
        proviso: CycleProviso::default(),
        max_depth,
        cut: SharedBitSet::default(),
        halted: AtomicBool::new(false),
        halt: Mutex::new(None),
        found: Mutex::new(None),
        transitions: AtomicU64::new(0),
        steps: AtomicU64::new(0),
        depth: AtomicU64::new(0),
        bytes: AtomicU64::new(0),
        held: AtomicU64::new(0),
    };
    // Used only for its guards, which release waiting workers when one panics.
    let barrier = Barrier::new(threads);
    std::thread::scope(|scope| {
        for lane in 1..threads {
            let (shared, barrier) = (&shared, &barrier);
            scope.spawn(move || {
                let _guard = barrier.guard();
                Worker::new(shared, barrier, lane).work();
            });
        }
        let _guard = barrier.guard();
        Worker::new(&shared, &barrier, 0).work();
    });
    let Shared { visited, blue, red, proviso, halt, found, transitions, steps, depth, bytes, held, .. } =
        shared;
    let set = visited.into_set();
    let found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    let halt = halt.into_inner().unwrap_or_else(PoisonError::into_inner);
    let outcome = match (&found, halt) {
        (Some(_), _) => Outcome::Failed,
        (None, Some(halt)) => halt.into(),
        (None, None) => Outcome::Complete,
    };
    let report = Report {
        outcome,
        states: set.len(),
        is_product: product.is_product(),
        transitions: transitions.into_inner(),
        steps: steps.into_inner(),
        depth: depth.into_inner(),
        bytes: set.bytes() + blue.bytes() + red.bytes() + proviso.bytes() + bytes.into_inner(),
        faults: Vec::new(),
        held: held.into_inner(),
    };
    let lasso = found.and_then(|cycle| cycle.explain(&product, &set, listing));
    Verdict { report, lasso }
}

impl Shared<'_> {
    fn halt(&self, halt: Halt) {
        lock(&self.halt).get_or_insert(halt);
        self.halted.store(true, Ordering::Relaxed);
    }

    fn found(&self, cycle: Cycle) {
        lock(&self.found).get_or_insert(cycle);
        self.halted.store(true, Ordering::Relaxed);
    }

    fn is_halted(&self) -> bool {
        self.halted.load(Ordering::Relaxed)
    }
}
