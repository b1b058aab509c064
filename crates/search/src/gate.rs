//! A barrier that lets go when a participant panics, so that one mistake does not leave the others waiting.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// A barrier for a fixed number of threads.
#[derive(Debug)]
pub struct Gate {
    parties: usize,
    state: Mutex<State>,
    opened: Condvar,
}

#[derive(Debug, Default)]
struct State {
    arrived: usize,
    /// How often the gate has opened.
    openings: u64,
    broken: bool,
}

/// Breaks the gate when dropped in a panic.
pub struct Guard<'a>(&'a Gate);

impl Gate {
    /// For so many threads.
    pub fn new(parties: usize) -> Self {
        Gate { parties, state: Mutex::default(), opened: Condvar::new() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for all others; `false` if one of them will not come.
    #[must_use]
    pub fn wait(&self) -> bool {
        let mut state = self.state();
        if state.broken {
            return false;
        }
        state.arrived += 1;
        if state.arrived == self.parties {
            state.arrived = 0;
            state.openings += 1;
            drop(state);
            self.opened.notify_all();
            return true;
        }
        let opening = state.openings;
        while state.openings == opening && !state.broken {
            state = self.opened.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        !state.broken
    }

    /// Whether a participant has panicked.
    pub fn is_broken(&self) -> bool {
        self.state().broken
    }

    /// To be held by each participant.
    pub fn guard(&self) -> Guard<'_> {
        Guard(self)
    }
}

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.state().broken = true;
            self.0.opened.notify_all();
        }
    }
}
