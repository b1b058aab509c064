//! A set of states that threads mark.

use super::blocks::Blocks;
use std::sync::atomic::{AtomicU64, Ordering};

/// Two bits for each state: whether it is marked, and whether it is settled, which means that it is alone in its block and need
/// not be looked at again.
#[derive(Debug)]
pub(super) struct Marks {
    marked: Box<[AtomicU64]>,
    settled: Box<[u64]>,
}

impl Marks {
    pub fn new(states: usize) -> Self {
        let words = states.div_ceil(64);
        let marked = (0..words).map(|_| AtomicU64::new(0)).collect();
        Marks { marked, settled: vec![0; words].into() }
    }

    /// Notes which states are alone after some blocks were split off.
    pub fn settle(&mut self, blocks: &Blocks, new: &[u32]) {
        for &new in new {
            for block in [new, blocks.parent(new)] {
                if let [state] = blocks.members(block) {
                    self.settled[*state as usize / 64] |= 1 << (state % 64);
                }
            }
        }
    }

    /// Marks a state that is not settled; `true` if it was not marked.
    #[inline]
    pub fn insert(&self, state: u32) -> bool {
        let (place, bit) = (state as usize / 64, 1 << (state % 64));
        if self.settled[place] & bit != 0 {
            return false;
        }
        let word = &self.marked[place];
        // Most states are marked already: looking first saves the exclusive access.
        word.load(Ordering::Relaxed) & bit == 0 && word.fetch_or(bit, Ordering::Relaxed) & bit == 0
    }

    #[inline]
    pub fn contains(&self, state: u32) -> bool {
        self.marked[state as usize / 64].load(Ordering::Relaxed) >> (state % 64) & 1 != 0
    }

    /// Removes the marks of some states, which are all that are marked.
    pub fn clear(&mut self, states: &[u32]) {
        if states.len() > self.marked.len() {
            self.marked.iter_mut().for_each(|word| *word.get_mut() = 0);
        } else {
            states.iter().for_each(|&state| *self.marked[state as usize / 64].get_mut() = 0);
        }
    }
}
