//! A set of states that threads mark.

use std::sync::atomic::{AtomicU64, Ordering};

/// A bit for each state.
#[derive(Debug)]
pub(super) struct Marks(Box<[AtomicU64]>);

impl Marks {
    pub fn new(states: usize) -> Self {
        Marks((0..states.div_ceil(64)).map(|_| AtomicU64::new(0)).collect())
    }

    /// Marks a state; `true` if it was not marked.
    #[inline]
    pub fn insert(&self, state: u32) -> bool {
        let (word, bit) = (&self.0[state as usize / 64], 1 << (state % 64));
        // Most states are marked already: looking first saves the exclusive access.
        word.load(Ordering::Relaxed) & bit == 0 && word.fetch_or(bit, Ordering::Relaxed) & bit == 0
    }

    #[inline]
    pub fn contains(&self, state: u32) -> bool {
        self.0[state as usize / 64].load(Ordering::Relaxed) >> (state % 64) & 1 != 0
    }

    /// Removes the marks of some states, which are all that are marked.
    pub fn clear(&mut self, states: &[u32]) {
        if states.len() > self.0.len() {
            self.0.iter_mut().for_each(|word| *word.get_mut() = 0);
        } else {
            states.iter().for_each(|&state| *self.0[state as usize / 64].get_mut() = 0);
        }
    }
}
