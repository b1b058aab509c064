//! Breadth-first search on all cores.
//!
//! The search proceeds by levels. The states of a level are the numbers that the state set assigned while the
//! previous level was expanded, so the log of the set serves as the queue (`levels`). Workers take runs of a
//! level, decompress them, expand them in batches, and intern the targets. They synchronise only at the end
//! of a level, and the first worker expands small levels alone. States of a level have no fixed order, but
//! the set of states of a level depends on the system alone. So counts, depths and errors are the same for
//! any number of threads, unless a limit or the user interrupts a level.
//!
//! If a system leaves out successors, the search checks the ignoring proviso when no states are left
//! (`ignoring`), and continues from the states that violate it.
//!
//! No parents are stored: a trail is found by expanding the levels once more, backwards (`trail`).

mod ignoring;
mod levels;
mod shared;
mod trail;
mod worker;

pub use shared::Options;
use shared::{Erring, Errors, ReductionPolicy, Shared, Work};

use crate::report::{Outcome, Report};
use crate::store::StateSet;
use crate::system::System;
use crate::turns::Turns;
use crate::visited::{Halt, Visited, lock, read};
use ignoring::IgnoringCheck;
use levels::Levels;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError, RwLock, RwLockWriteGuard};
use volvelle_control::{Barrier, Control, Counted, Stop};
use volvelle_store::SharedBitSet;
use worker::Worker;

/// Levels with fewer states are expanded by the first worker alone.
const WORTH_WAKING: u64 = 192;

/// Least number of states of a level that is significant.
const SIGNIFICANT: u64 = 4096;

/// The reduction costs more than it saves if it applies to fewer than one state in this number.
const LEAST_SHARE: u64 = 64;

/// Most levels between two tries.
const LONGEST_PAUSE: u32 = 16;

impl ReductionPolicy {
    fn pays(&self) -> bool {
        self.levels == 0
    }

    /// Records a level: its number of states, and how many of them were reduced.
    fn record(&mut self, reduce: bool, states: u64, left_out: u64) {
        if !reduce {
            self.levels = self.levels.saturating_sub(1);
        } else if left_out * LEAST_SHARE >= states {
            self.pause = 0;
        } else if states >= SIGNIFICANT {
            self.pause = (2 * self.pause).clamp(1, LONGEST_PAUSE);
            self.levels = self.pause;
        }
    }
}

/// Searches all reachable states, or until the first error.
pub fn search(system: &dyn System, options: &Options, control: &Control<'_>) -> Report {
    search_in_turns(system, options, None, control)
}

/// Like [`search`], in turns with a probe if there is one. If the probe's error precedes, the search ends
/// with [`Outcome::Stopped`] and without errors.
pub fn search_in_turns(
    system: &dyn System,
    options: &Options,
    turns: Option<&Turns>,
    control: &Control<'_>,
) -> Report {
    let threads = control.threads.max(1);
    let shared = Shared {
        system,
        threads,
        turns,
        visited: Visited::new(system.words(), threads, control).beside(turns),
        barrier: Barrier::new(threads),
        work: RwLock::default(),
        taken: AtomicU64::new(0),
        halted: AtomicBool::new(false),
        gave_way: AtomicBool::new(false),
        halt: Mutex::new(None),
        transitions: AtomicU64::new(0),
        steps: AtomicU64::new(0),
        errors: Mutex::default(),
        left_out: AtomicU64::new(0),
        satisfied: SharedBitSet::default(),
        terminals: Mutex::default(),
    };
    let levels = std::thread::scope(|scope| {
        for lane in 1..threads {
            let shared = &shared;
            scope.spawn(move || shared.follow(lane));
        }
        let _guard = shared.barrier.guard();
        let levels = shared.lead(options);
        if threads > 1 {
            write(&shared.work).over = true;
            let _ = shared.barrier.wait();
        }
        levels
    });
    finish(shared, &levels, options, control)
}

fn finish(shared: Shared<'_>, levels: &Levels, options: &Options, control: &Control<'_>) -> Report {
    let Shared { system, visited, halt, gave_way, transitions, steps, errors, satisfied, .. } = shared;
    let set = visited.into_set();
    let errors = match gave_way.into_inner() {
        true => Errors::new(),
        false => errors.into_inner().unwrap_or_else(PoisonError::into_inner),
    };
    let outcome = match halt.into_inner().unwrap_or_else(PoisonError::into_inner) {
        // Whether an error or an overflow is found first depends on the threads, but not that a level
        // overflows.
        Some(halt @ Halt::LayoutOverflow(_)) => halt.into(),
        _ if !errors.is_empty() && !options.all_errors => Outcome::Failed,
        Some(halt) => halt.into(),
        None => Outcome::Complete,
    };
    let mut report = Report {
        outcome,
        states: set.len(),
        is_product: system.is_product(),
        transitions: transitions.into_inner(),
        steps: steps.into_inner(),
        depth: levels.deepest(),
        bytes: set.bytes() + satisfied.bytes(),
        faults: Vec::new(),
        held: 0,
    };
    if !matches!(outcome, Outcome::LayoutOverflow { .. }) {
        report.faults = trail::faults(system, &set, levels, errors, options, control);
    }
    report
}

fn write<T>(of: &RwLock<T>) -> RwLockWriteGuard<'_, T> {
    of.write().unwrap_or_else(PoisonError::into_inner)
}

impl Shared<'_> {
    /// The first worker, which decides on the next level.
    fn lead(&self, options: &Options) -> Levels {
        let turns = self.turns;
        let mut worker = Worker::new(self, 0);
        let mut levels = Levels::default();
        let mut before = self.visited.mark();
        let mut reduction = ReductionPolicy::default();
        worker.intern_initial();
        loop {
            let after = self.visited.mark();
            let mut runs = StateSet::between(&before, &after);
            before = after;
            let failed = !options.all_errors && !lock(&self.errors).is_empty();
            let again = runs.is_empty();
            if again {
                runs = if failed { Vec::new() } else { self.ignored_states(&mut worker) };
                if runs.is_empty() {
                    break;
                }
                levels.push_again(&runs);
            } else {
                levels.push(&runs);
            }
            let states: u64 = runs.iter().map(|run| run.len() as u64).sum();
            let level = levels.len() - 1;
            let deep = options.max_depth.is_some_and(|most| levels.depth(level) >= most);
            if failed || deep || self.halted.load(Ordering::Relaxed) {
                break;
            }
            let steps = self.steps.load(Ordering::Relaxed);
            let units = Turns::units_in_levels(self.visited.len(), steps, level as u64);
            if turns.is_some_and(|turns| !turns.main_goes_on(units)) {
                self.give_way();
                break;
            }
            let reduce = !again && reduction.pays();
            *write(&self.work) =
                Work { runs, states, level, units, again, reduce, over: false, known: before.clone() };
            self.taken.store(0, Ordering::Relaxed);
            if self.threads == 1 || states < WORTH_WAKING {
                worker.work();
            } else {
                let started = self.barrier.wait();
                worker.work();
                if !started || !self.barrier.wait() {
                    break;
                }
            }
            reduction.record(reduce, states, self.left_out.swap(0, Ordering::Relaxed));
            let counted = Counted { is_product: self.system.is_product(), ..Counted::default() };
            self.visited.report_progress(counted, self.transitions.load(Ordering::Relaxed), states);
        }
        if let Some(turns) = turns {
            self.end_turns(turns);
        }
        levels
    }

    /// Tells the probe how the search ended, and whether its error counts.
    fn end_turns(&self, turns: &Turns) {
        let halt = *lock(&self.halt);
        let is_at_its_end = !lock(&self.errors).is_empty() || halt == Some(Halt::Stopped(Stop::States));
        if matches!(halt, Some(Halt::Stopped(Stop::Cancelled))) {
            // The search yielded to the probe, or the user stopped it; what the probe has found counts.
        } else if matches!(halt, Some(Halt::LayoutOverflow(_))) {
            // It begins again.
        } else if !is_at_its_end {
            turns.main_is_over();
        } else if !turns.main_failed() {
            self.give_way();
        }
    }

    /// The error of the probe precedes.
    fn give_way(&self) {
        self.gave_way.store(true, Ordering::Relaxed);
        *lock(&self.halt) = Some(Halt::Stopped(Stop::Cancelled));
        self.halted.store(true, Ordering::Relaxed);
    }

    /// The loop of the other workers.
    fn follow(&self, lane: usize) {
        let _guard = self.barrier.guard();
        let mut worker = None;
        while self.barrier.wait() && !read(&self.work).over {
            worker.get_or_insert_with(|| Worker::new(self, lane)).work();
            if !self.barrier.wait() {
                return;
            }
        }
    }

    /// The states to be expanded in full, each as a range; empty if no step is ignored forever.
    fn ignored_states(&self, worker: &mut Worker<'_>) -> Vec<Range<u32>> {
        let terminals = std::mem::take(&mut *lock(&self.terminals));
        if terminals.is_empty() || self.halted.load(Ordering::Relaxed) {
            return Vec::new();
        }
        match IgnoringCheck::new(worker).expansions(&terminals) {
            Ok(expansions) => {
                let again = expansions.iter().map(|expansion| expansion.transitions).sum();
                self.transitions.fetch_sub(again, Ordering::Relaxed);
                expansions.iter().map(|expansion| expansion.state..expansion.state + 1).collect()
            }
            Err(halt) => {
                self.halt(halt);
                Vec::new()
            }
        }
    }

    fn halt(&self, halt: Halt) {
        lock(&self.halt).get_or_insert(halt);
        self.halted.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pauses get longer while nothing is left out, and end when something is; small levels are ignored.
    #[test]
    fn reductions_that_save_nothing_become_rare() {
        let mut reduction = ReductionPolicy::default();
        reduction.record(true, SIGNIFICANT - 1, 0);
        assert!(reduction.pays());
        let mut pauses = Vec::new();
        while pauses.len() < 7 {
            reduction.record(true, SIGNIFICANT, SIGNIFICANT / LEAST_SHARE - 1);
            let mut pause = 0;
            while !reduction.pays() {
                reduction.record(false, SIGNIFICANT, 0);
                pause += 1;
            }
            pauses.push(pause);
        }
        assert_eq!(pauses, [1, 2, 4, 8, 16, 16, 16]);
        reduction.record(true, SIGNIFICANT, SIGNIFICANT / LEAST_SHARE);
        assert!(reduction.pays());
        reduction.record(true, SIGNIFICANT, 0);
        reduction.record(false, SIGNIFICANT, 0);
        assert!(reduction.pays(), "pauses begin anew");
    }
}
