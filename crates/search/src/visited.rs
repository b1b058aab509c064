//! The visited set of a search: shared by its workers, growing within limits.

use crate::atomic_queue::AtomicQueue;
use crate::store::{Full, Growth, Interning, Mark, Sources, StateSet};
use crate::turns::Turns;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard};
use volvelle_control::{Control, Counted, Limits, ProgressEvent, Stop};

/// States between two progress reports.
const REPORT_EVERY: u64 = 1 << 17;

/// States inside atomic sequences between checks of the limits.
const INSIDE: usize = 1 << 14;

/// The reason why workers stop early.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Halt {
    /// A limit or the user stopped the search.
    Stopped(Stop),
    /// The numbers of states are used up.
    TooLarge,
    /// A state does not fit its layout.
    LayoutOverflow(u32),
}

/// The states that a search has found.
pub struct Visited<'a> {
    set: RwLock<StateSet>,
    control: &'a Control<'a>,
    threads: usize,
    news_at: Mutex<u64>,
    /// The schedule with a probe, which takes memory too.
    turns: Option<&'a Turns>,
}

/// Locks a mutex, even if a holder has panicked: the data behind the locks of this crate is always
/// consistent.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Locks for reading; as [`lock`].
pub fn read<T>(of: &RwLock<T>) -> RwLockReadGuard<'_, T> {
    of.read().unwrap_or_else(PoisonError::into_inner)
}

impl<'a> Visited<'a> {
    /// An empty set of states of `words` words, for the given number of workers.
    pub fn new(words: usize, threads: usize, control: &'a Control<'a>) -> Self {
        let set = RwLock::new(StateSet::new(words, threads));
        Visited { set, control, threads, news_at: Mutex::new(REPORT_EVERY), turns: None }
    }

    /// Also counts the memory of a probe that runs next to this search.
    pub fn beside(self, turns: Option<&'a Turns>) -> Self {
        Visited { turns, ..self }
    }

    /// Bytes held outside this search.
    fn held_beside(&self) -> u64 {
        self.turns.map_or(0, Turns::held_by_probe)
    }

    /// The set, after the workers have finished.
    pub fn into_set(self) -> StateSet {
        self.set.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// States in it.
    pub fn len(&self) -> u64 {
        read(&self.set).len()
    }

    /// The current extent of the set; called while no worker inserts.
    pub fn mark(&self) -> Mark {
        read(&self.set).mark()
    }

    /// Appends the states of some runs of numbers.
    pub fn load(&self, runs: impl IntoIterator<Item = Range<u32>>, sources: &mut Sources) {
        let set = read(&self.set);
        for run in runs {
            set.load(run, sources);
        }
    }

    /// Interns successors of loaded sources. Their numbers are appended to those of the batch.
    pub fn intern(
        &self,
        lane: usize,
        sources: &mut Sources,
        successors: &[u64],
        source_of: &[u32],
        batch: &mut Interning,
    ) -> Result<(), Halt> {
        let mut at = 0;
        while at < source_of.len() {
            let set = read(&self.set);
            set.refresh(sources);
            let rest = &successors[at * set.words()..];
            let interned = set.intern(lane, sources, rest, &source_of[at..], batch);
            drop(set);
            match interned {
                Ok(count) => at += count,
                Err(Full) => self.grow()?,
            }
        }
        Ok(())
    }

    /// Interns states without sources.
    pub fn intern_alone(&self, lane: usize, states: &[u64], batch: &mut Interning) -> Result<(), Halt> {
        let mut rest = states;
        while !rest.is_empty() {
            let set = read(&self.set);
            let (words, interned) = (set.words(), set.intern_alone(lane, rest, batch));
            drop(set);
            match interned {
                Ok(count) => rest = &rest[count * words..],
                Err(Full) => self.grow()?,
            }
        }
        Ok(())
    }

    fn grow(&self) -> Result<(), Halt> {
        // Exclusive access is granted between the batches of all workers. A second worker then finds the room
        // already made.
        let mut set = self.set.write().unwrap_or_else(PoisonError::into_inner);
        let rest = |limit: u64| limit.saturating_sub(self.held_beside());
        let memory_bytes = self.control.limits.memory_bytes.map(rest);
        match set.grow(&Limits { memory_bytes, ..self.control.limits }, self.threads) {
            Growth::Done => Ok(()),
            Growth::Stopped(stop) => Err(Halt::Stopped(stop)),
            Growth::TooLarge => Err(Halt::TooLarge),
        }
    }

    /// Checks the limits; `others` bytes are held besides the states. Reads the clock, so it is called once
    /// per batch.
    pub fn check(&self, others: u64) -> Result<(), Halt> {
        let set = read(&self.set);
        self.control.check().map_err(Halt::Stopped)?;
        self.control.check_memory(set.bytes() + others + self.held_beside()).map_err(Halt::Stopped)?;
        match self.control.limits.states {
            Some(most) if set.len() > most => Err(Halt::Stopped(Stop::States)),
            _ => Ok(()),
        }
    }

    /// Checks the limits inside a long atomic sequence, each time that `INSIDE` more states are known.
    /// Returns whether it did; `checked` has the number at the last check.
    pub fn check_inside(&self, inner: &AtomicQueue, checked: &mut usize) -> Result<bool, Halt> {
        if inner.len() < *checked + INSIDE {
            return Ok(false);
        }
        *checked = inner.len();
        self.check(inner.bytes()).map(|()| true)
    }

    /// Gives the probe its turns inside a long sequence.
    pub fn take_turns_inside(&self, inner: &AtomicQueue) -> Result<(), Halt> {
        let units = Turns::units(self.len(), inner.len() as u64);
        match self.turns.is_some_and(|turns| !turns.main_goes_on(units)) {
            true => Err(Halt::Stopped(Stop::Cancelled)),
            false => Ok(()),
        }
    }

    /// Reports progress, if there is enough of it.
    pub fn report_progress(&self, counted: Counted, transitions: u64, frontier: u64) {
        let set = read(&self.set);
        let states = set.len();
        let mut news_at = lock(&self.news_at);
        if states < *news_at {
            return;
        }
        *news_at = states + REPORT_EVERY;
        drop(news_at);
        let bytes = set.bytes();
        drop(set);
        self.control.progress.report(ProgressEvent::Exploring {
            counted,
            states,
            transitions,
            frontier,
            bytes,
        });
    }
}
