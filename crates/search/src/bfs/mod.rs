//! Breadth-first search on all cores.
//!
//! Goes level by level. The states of a level are the numbers that the state set gave out while the level before was
//! expanded, so the log of the set is the queue (`levels`). Workers take runs of a level, decompress them, unfold
//! them in batches and intern the targets; they meet at the end of a level only, and the first worker does small
//! levels alone. No order is kept within a level: which states are in it depends on nothing but the system, so that
//! counts, depths and errors are the same for any number of threads, unless a limit or the user interrupts a level.
//!
//! Where a system leaves successors out, the search looks when it has run out of states whether a step was put off for
//! ever (`settle`), and goes on from some states if so.
//!
//! No parents are stored. A trail is found by going through the levels once more, backwards (`trail`).

mod levels;
mod settle;
mod trail;
mod worker;

use crate::report::{Outcome, Report};
use crate::store::{Mark, StateSet};
use crate::system::System;
use crate::visited::{Halt, Visited, lock, read};
use levels::Levels;
use settle::Settling;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError, RwLock, RwLockWriteGuard};
use volvelle_control::{Barrier, Control};
use volvelle_store::SharedBitSet;
use worker::Worker;

/// Levels of fewer states are not worth waking the other workers.
const WORTH_WAKING: u64 = 192;

/// What to search for.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Go on behind errors: one for each site, each at its least depth. Otherwise the search ends with the level of
    /// the first error.
    pub all_errors: bool,
    /// States of this depth are not expanded.
    pub max_depth: Option<u64>,
    /// Errors are enough: no trails.
    pub no_trails: bool,
}

/// The smallest erring state of a site on the level at which the site erred first.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Erring {
    level: usize,
    source: Vec<u64>,
}

/// Errors by site.
type Errors = BTreeMap<u32, Erring>;

/// What all workers see.
struct Shared<'a> {
    system: &'a dyn System,
    threads: usize,
    visited: Visited<'a>,
    barrier: Barrier,
    work: RwLock<Work>,
    /// States of the current level that workers have taken.
    taken: AtomicU64,
    halted: AtomicBool,
    halt: Mutex<Option<Halt>>,
    transitions: AtomicU64,
    steps: AtomicU64,
    errors: Mutex<Errors>,
    /// States of the current level of which successors are left out.
    left_out: AtomicU64,
    /// States from which one is within reach of which all successors are visited, as far as that is known.
    settled: SharedBitSet,
    /// States that leave successors out, and of which it is not known, none of their successors being deeper.
    bottoms: Mutex<Vec<u32>>,
}

/// What workers do behind the barrier.
#[derive(Default)]
struct Work {
    runs: Vec<Range<u32>>,
    states: u64,
    level: usize,
    /// All successors of the states, which were expanded before.
    again: bool,
    /// Successors may be left out.
    reduce: bool,
    over: bool,
    /// What was known when the level began: all other states are of a later level.
    known: Mark,
}

/// Whether it is worth the time to look for successors to leave out. It depends on whole levels only, so that counts
/// are the same for any number of threads.
#[derive(Default)]
struct Effort {
    /// Levels to expand in full before the next try, and of how many the pause was.
    levels: u32,
    pause: u32,
}

/// Fewer states say nothing.
const TELLING: u64 = 4096;

/// Where of fewer than one state in so many successors are left out, looking for them costs more than it saves.
const RARELY: u64 = 64;

/// Most levels between two tries.
const LONGEST_PAUSE: u32 = 16;

impl Effort {
    fn is_worth_it(&self) -> bool {
        self.levels == 0
    }

    /// A level of so many states, of some of which successors were left out.
    fn saw(&mut self, reduce: bool, states: u64, left_out: u64) {
        if !reduce {
            self.levels = self.levels.saturating_sub(1);
        } else if left_out * RARELY >= states {
            self.pause = 0;
        } else if states >= TELLING {
            self.pause = (2 * self.pause).clamp(1, LONGEST_PAUSE);
            self.levels = self.pause;
        }
    }
}

/// Searches all states within reach, or until the first error.
pub fn search(system: &dyn System, options: &Options, control: &Control<'_>) -> Report {
    let threads = control.threads.max(1);
    let shared = Shared {
        system,
        threads,
        visited: Visited::new(system.words(), threads, control),
        barrier: Barrier::new(threads),
        work: RwLock::default(),
        taken: AtomicU64::new(0),
        halted: AtomicBool::new(false),
        halt: Mutex::new(None),
        transitions: AtomicU64::new(0),
        steps: AtomicU64::new(0),
        errors: Mutex::default(),
        left_out: AtomicU64::new(0),
        settled: SharedBitSet::default(),
        bottoms: Mutex::default(),
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
    let Shared { system, visited, halt, transitions, steps, errors, settled, .. } = shared;
    let set = visited.into_set();
    let errors = errors.into_inner().unwrap_or_else(PoisonError::into_inner);
    let outcome = match halt.into_inner().unwrap_or_else(PoisonError::into_inner) {
        // Whether an error or the lack of room is met first is a matter of chance; that a level lacks room is not.
        Some(halt @ Halt::NeedsRoom(_)) => halt.into(),
        _ if !errors.is_empty() && !options.all_errors => Outcome::Failed,
        Some(halt) => halt.into(),
        None => Outcome::Complete,
    };
    let mut report = Report {
        outcome,
        states: set.len(),
        transitions: transitions.into_inner(),
        steps: steps.into_inner(),
        depth: levels.deepest(),
        bytes: set.bytes() + settled.bytes(),
        faults: Vec::new(),
    };
    if !matches!(outcome, Outcome::NeedsRoom { .. }) {
        report.faults = trail::faults(system, &set, levels, errors, options, control);
    }
    report
}

fn write<T>(of: &RwLock<T>) -> RwLockWriteGuard<'_, T> {
    of.write().unwrap_or_else(PoisonError::into_inner)
}

impl Shared<'_> {
    /// The first worker: it decides what comes next.
    fn lead(&self, options: &Options) -> Levels {
        let mut worker = Worker::new(self, 0);
        let mut levels = Levels::default();
        let mut before = self.visited.mark();
        let mut effort = Effort::default();
        worker.intern_initial();
        loop {
            let after = self.visited.mark();
            let mut runs = StateSet::between(&before, &after);
            before = after;
            let failed = !options.all_errors && !lock(&self.errors).is_empty();
            let again = runs.is_empty();
            if again {
                runs = if failed { Vec::new() } else { self.settle(&mut worker) };
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
            let reduce = !again && effort.is_worth_it();
            *write(&self.work) =
                Work { runs, states, level, again, reduce, over: false, known: before.clone() };
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
            effort.saw(reduce, states, self.left_out.swap(0, Ordering::Relaxed));
            self.visited.tell(self.transitions.load(Ordering::Relaxed), states);
        }
        levels
    }

    /// The other workers.
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

    /// The states that have to be expanded in full, each as a run; none if no step is put off for ever.
    fn settle(&self, worker: &mut Worker<'_>) -> Vec<Range<u32>> {
        let bottoms = std::mem::take(&mut *lock(&self.bottoms));
        if bottoms.is_empty() || self.halted.load(Ordering::Relaxed) {
            return Vec::new();
        }
        match Settling::new(worker).picks(&bottoms) {
            Ok(picks) => {
                let again = picks.iter().map(|pick| pick.transitions).sum();
                self.transitions.fetch_sub(again, Ordering::Relaxed);
                picks.iter().map(|pick| pick.state..pick.state + 1).collect()
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

    /// Pauses get longer while nothing is left out, and end when something is; small levels say nothing.
    #[test]
    fn efforts_that_save_nothing_become_rare() {
        let mut effort = Effort::default();
        effort.saw(true, TELLING - 1, 0);
        assert!(effort.is_worth_it());
        let mut pauses = Vec::new();
        while pauses.len() < 7 {
            effort.saw(true, TELLING, TELLING / RARELY - 1);
            let mut pause = 0;
            while !effort.is_worth_it() {
                effort.saw(false, TELLING, 0);
                pause += 1;
            }
            pauses.push(pause);
        }
        assert_eq!(pauses, [1, 2, 4, 8, 16, 16, 16]);
        effort.saw(true, TELLING, TELLING / RARELY);
        assert!(effort.is_worth_it());
        effort.saw(true, TELLING, 0);
        effort.saw(false, TELLING, 0);
        assert!(effort.is_worth_it(), "pauses begin anew");
    }
}
