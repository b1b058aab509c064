//! A main search and a probe for the same error, side by side or in turns.
//!
//! Neither order finds every error early. Breadth-first search has many states before it is deep. Depth-first
//! search may find an error next to the initial state last. So both proceed in *turns*. In each turn the main
//! search may do half as much work again as in all previous turns ([`Turns::units`]), and the probe may do an
//! amount that depends on this ([`Turns::probe_limit`]). The answer is the error of the earliest turn; within
//! a turn, that of the main search. Work is counted, not time, so the answer is the same for any number of
//! threads and any speed. With several threads both searches run at once, and one that has found an error
//! waits until the other has done the work that could precede it. With one thread they alternate; with
//! several, only at the beginning.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Units of work of the probe per unit of the main search, as long as there are few.
const PER_UNIT: u64 = 4;

/// Limit of the probe's units at this rate; later, errors are rarely found.
const FAST: u64 = 2 << 20;

/// Units of the main search for each further one of the probe.
const UNITS_PER_VISIT: u64 = 8;

/// Steps per unit of work, for systems with many steps per state.
const STEPS_PER_UNIT: u64 = 4;

/// Least units of work that a level counts for, once there are many states ([`NARROW_FROM`]): in narrow
/// levels, the main search visits few states at once and is slow, and errors lie deep.
const UNITS_PER_LEVEL: u64 = 128;

/// Units from which on narrow levels count.
const NARROW_FROM: u64 = FAST / PER_UNIT;

/// Units up to which the searches alternate even with several threads: an error found early should not cost
/// the time of two processors.
const ALTERNATE: u64 = 1 << 15;

/// The probe may hold this fraction (1 / `MEMORY_SHARE`) of the memory in addition to that of the main
/// search.
const MEMORY_SHARE: u64 = 4;

/// The schedule of a main search and a probe.
#[derive(Debug)]
pub struct Turns {
    first: u64,
    alternate_always: bool,
    /// There is no main search.
    is_alone: bool,
    answer: Answer,
    now: Mutex<Now>,
    changed: Condvar,
    /// Bytes that the probe holds.
    held: AtomicU64,
}

/// Which search gives the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    /// That of the least turn.
    First,
    /// The probe, in any case: what the main search finds depends on chance.
    Probe,
    /// The main search, in any case. The probe finds other things meanwhile, with as much work.
    Main,
}

#[derive(Debug)]
struct Now {
    /// The turn that the main search has begun.
    main: u32,
    /// The turn that the probe has begun.
    probe: u32,
    main_end: Option<MainEnd>,
    probe_end: Option<ProbeEnd>,
    /// It is known that there is an error: the probe looks for it without limits.
    unlimited: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MainEnd {
    /// It found an error, in this turn.
    Failed(u32),
    /// The probe's result does not matter any more.
    Over,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ProbeEnd {
    Found(u32),
    /// It ended without an error, or gave up.
    Over,
}

impl Turns {
    /// Turns in which the main search does the first `first` units alone. With one thread, only one search
    /// runs at a time.
    pub fn new(first: u64, threads: usize) -> Self {
        let now = Now { main: 0, probe: 0, main_end: None, probe_end: None, unlimited: false };
        let (now, changed) = (Mutex::new(now), Condvar::new());
        Turns {
            first,
            alternate_always: threads <= 1,
            is_alone: false,
            answer: Answer::First,
            now,
            changed,
            held: AtomicU64::new(0),
        }
    }

    /// Turns in which an error of the probe is the answer, whatever the main search finds.
    pub fn decided_by_probe(first: u64, threads: usize) -> Self {
        Turns { answer: Answer::Probe, ..Turns::new(first, threads) }
    }

    /// Turns in which an error of the main search is the answer, and ends the probe. Both do the same work.
    pub fn decided_by_main(first: u64, threads: usize) -> Self {
        Turns { answer: Answer::Main, ..Turns::new(first, threads) }
    }

    /// For a probe without a main search.
    pub fn of_probe_alone() -> Self {
        let mut turns = Turns { is_alone: true, ..Turns::new(1, 1) };
        turns.now.get_mut().unwrap_or_else(PoisonError::into_inner).unlimited = true;
        turns
    }

    /// Limit of the main search's work in the first turn.
    pub fn first(&self) -> u64 {
        self.first
    }

    /// Limit of the main search's work in a turn: half as much again, then twice that, and so on.
    fn main_limit(&self, turn: u32) -> u64 {
        let doubled = self.first.saturating_mul(1u64.checked_shl(turn / 2).unwrap_or(u64::MAX));
        doubled.saturating_add(if turn % 2 == 1 { doubled / 2 } else { 0 })
    }

    /// Whether only one search runs at a time in a turn; the main search comes first.
    fn alternates(&self, turn: u32) -> bool {
        self.alternate_always || self.main_limit(turn) <= ALTERNATE
    }

    /// Work that the probe may have done at the end of a turn.
    pub fn probe_limit(&self, turn: u32) -> u64 {
        if turn == 0 {
            return 0;
        }
        let units = self.main_limit(turn);
        if self.answer == Answer::Main {
            return units;
        }
        (PER_UNIT * units).min(FAST) + units / UNITS_PER_VISIT
    }

    /// Units of work for these numbers of states and steps.
    pub fn units(states: u64, steps: u64) -> u64 {
        states.max(steps / STEPS_PER_UNIT)
    }

    /// Units of work for these numbers of states, steps and levels.
    pub fn units_in_levels(states: u64, steps: u64, levels: u64) -> u64 {
        let units = Turns::units(states, steps);
        if units < NARROW_FROM { units } else { units.max(levels.saturating_mul(UNITS_PER_LEVEL)) }
    }

    fn lock(&self) -> MutexGuard<'_, Now> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, now: MutexGuard<'a, Now>) -> MutexGuard<'a, Now> {
        self.changed.wait(now).unwrap_or_else(PoisonError::into_inner)
    }

    /// The share of a memory limit that a probe may hold; the proving search takes precedence.
    pub fn share_of_probe(&self, limit: u64) -> u64 {
        if self.is_alone { limit } else { limit / MEMORY_SHARE }
    }

    /// Records the bytes that the probe holds.
    pub fn probe_holds(&self, bytes: u64) {
        self.held.store(bytes, Ordering::Relaxed);
    }

    /// The bytes that the probe holds.
    pub fn held_by_probe(&self) -> u64 {
        self.held.load(Ordering::Relaxed)
    }

    /// Records the main search's units of work (one per known state). Returns whether it may continue: not if
    /// the probe found an error in an earlier turn.
    pub fn main_goes_on(&self, units: u64) -> bool {
        let mut now = self.lock();
        while self.main_limit(now.main) < units {
            now.main += 1;
            self.changed.notify_all();
        }
        let turn = now.main;
        while turn > 0 && self.alternates(turn - 1) && now.probe_end.is_none() && now.probe < turn {
            now = self.wait(now);
        }
        !matches!(now.probe_end, Some(ProbeEnd::Found(found)) if found < turn || self.answer == Answer::Probe)
    }

    /// Whether the probe found an error in an earlier turn than the current one of the main search. Then this
    /// is the answer, whatever the main search finds.
    pub fn probe_precedes(&self) -> bool {
        let now = self.lock();
        matches!(now.probe_end, Some(ProbeEnd::Found(found)) if found < now.main || self.answer == Answer::Probe)
    }

    /// The main search found an error, or reached a limit of states. Returns whether this is the answer,
    /// rather than an error of the probe.
    pub fn main_failed(&self) -> bool {
        let mut now = self.lock();
        let turn = now.main;
        now.main_end = Some(MainEnd::Failed(turn));
        self.changed.notify_all();
        if self.answer == Answer::Main {
            return true;
        }
        loop {
            match now.probe_end {
                Some(ProbeEnd::Found(found)) => return found >= turn,
                Some(ProbeEnd::Over) => return true,
                None if now.probe >= turn => return true,
                None => now = self.wait(now),
            }
        }
    }

    /// The main search ended, and the probe's result does not matter.
    pub fn main_is_over(&self) {
        self.lock().main_end.get_or_insert(MainEnd::Over);
        self.changed.notify_all();
    }

    /// There is an error: lets the probe run without limits until it finds one. Returns whether it did.
    pub fn wait_for_probe(&self) -> bool {
        let mut now = self.lock();
        now.unlimited = true;
        self.changed.notify_all();
        loop {
            match now.probe_end {
                Some(end) => return end != ProbeEnd::Over,
                None => now = self.wait(now),
            }
        }
    }

    /// Records the probe's units of work, and waits for its turn. Returns whether the probe should continue.
    pub fn probe_goes_on(&self, units: u64) -> bool {
        let mut now = self.lock();
        while now.probe == 0 || self.probe_limit(now.probe) <= units {
            now.probe += 1;
            self.changed.notify_all();
        }
        let turn = now.probe;
        loop {
            match now.main_end {
                Some(MainEnd::Over) => return false,
                Some(MainEnd::Failed(_)) if self.answer == Answer::Main => return false,
                Some(MainEnd::Failed(failed)) if turn >= failed => return false,
                Some(MainEnd::Failed(_)) => return true,
                None if now.unlimited => return true,
                // The main search comes first in each turn.
                None if now.main >= turn + u32::from(self.alternates(turn)) => return true,
                None => now = self.wait(now),
            }
        }
    }

    /// The probe found an error; returns whether that is the answer.
    pub fn probe_found(&self) -> bool {
        let mut now = self.lock();
        let turn = now.probe;
        now.probe_end = Some(ProbeEnd::Found(turn));
        self.changed.notify_all();
        loop {
            match now.main_end {
                Some(MainEnd::Failed(failed)) => return turn < failed,
                // It was stopped by a limit.
                Some(MainEnd::Over) => return true,
                None if self.answer == Answer::Probe || now.main > turn => return true,
                None => now = self.wait(now),
            }
        }
    }

    /// The probe ended without an error, or gave up.
    pub fn probe_is_over(&self) {
        self.lock().probe_end.get_or_insert(ProbeEnd::Over);
        self.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs both: the main search finds an error after `error_at` of its states, the probe after `probed_at`
    /// of its own. Returns whether the main search wins.
    fn main_wins(threads: usize, error_at: Option<u64>, probed_at: Option<u64>) -> bool {
        let turns = Turns::new(100, threads);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let mut done = 0;
                while turns.probe_goes_on(done) {
                    done += 7;
                    if probed_at.is_some_and(|at| done >= at) {
                        turns.probe_found();
                        return;
                    }
                    if done > 1_000_000 {
                        break;
                    }
                }
                turns.probe_is_over();
            });
            let mut states = 1;
            while turns.main_goes_on(states) {
                states += 13;
                if error_at.is_some_and(|at| states >= at) {
                    return turns.main_failed();
                }
                // Without an error it ends.
                if states > 1_000_000 && probed_at.is_none() {
                    turns.main_is_over();
                    return true;
                }
            }
            turns.main_is_over();
            false
        })
    }

    #[test]
    fn the_error_of_the_least_turn_wins_for_any_number_of_threads() {
        for threads in [1, 2, 1, 2] {
            // Within the first turn the probe has no part.
            assert!(!Turns::new(100, threads).probe_precedes());
            assert!(main_wins(threads, Some(90), Some(1)));
            // Turn 1: up to 150 states, 600 of the probe.
            assert!(main_wins(threads, Some(140), Some(7)));
            assert!(!main_wins(threads, Some(250), Some(7)));
            assert!(main_wins(threads, Some(250), Some(900)));
            assert!(!main_wins(threads, Some(5000), Some(900)));
            assert!(!main_wins(threads, None, Some(100_000)));
            assert!(main_wins(threads, Some(5000), None));
            assert!(main_wins(threads, None, None));
            // Beyond the turns in which they alternate in any case.
            assert!(main_wins(threads, Some(60_000), Some(1_200_000)));
            assert!(!main_wins(threads, Some(200_000), Some(300_000)));
        }
    }

    #[test]
    fn a_probe_becomes_rare_where_nothing_is_found() {
        let turns = Turns::new(1 << 13, 2);
        for turn in 1..30 {
            let (units, visited) = (turns.main_limit(turn), turns.probe_limit(turn));
            assert!(visited <= (PER_UNIT + 1) * units);
            assert!(visited <= FAST + units / UNITS_PER_VISIT);
            assert!(visited > turns.probe_limit(turn - 1));
        }
    }

    #[test]
    fn narrow_levels_count_when_states_are_many() {
        assert_eq!(Turns::units_in_levels(1000, 5000, 500), 1250);
        assert_eq!(
            Turns::units_in_levels(NARROW_FROM, 0, NARROW_FROM / 2),
            NARROW_FROM / 2 * UNITS_PER_LEVEL
        );
        assert_eq!(Turns::units_in_levels(NARROW_FROM, 0, NARROW_FROM / 1000), NARROW_FROM);
    }
}
