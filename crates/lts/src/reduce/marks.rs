//! Sets of states that threads mark.

use super::blocks::Blocks;
use super::parallel;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

/// Two bits for each state: whether it is marked, and whether it is settled, which means that it is alone in its block and need
/// not be looked at again.
#[derive(Debug)]
pub(super) struct Marks {
    marked: Box<[AtomicU64]>,
    settled: Box<[AtomicU64]>,
}

impl Marks {
    pub fn new(states: usize) -> Self {
        let words = states.div_ceil(64);
        let none = || (0..words).map(|_| AtomicU64::new(0)).collect();
        Marks { marked: none(), settled: none() }
    }

    /// Notes which states are alone after some blocks were split off.
    pub fn settle(&self, blocks: &Blocks, new: Range<u32>, threads: usize) {
        parallel::ranges(threads, new.len(), |range| {
            for new in new.start + range.start as u32..new.start + range.end as u32 {
                for block in [new, blocks.parent(new)] {
                    if blocks.size(block) == 1 {
                        for state in blocks.members(block) {
                            self.settled[state as usize / 64].fetch_or(1 << (state % 64), Ordering::Relaxed);
                        }
                    }
                }
            }
        });
    }

    /// Whether a state is settled.
    #[inline]
    pub fn is_settled(&self, state: u32) -> bool {
        self.settled[state as usize / 64].load(Ordering::Relaxed) >> (state % 64) & 1 != 0
    }

    /// Marks a state that is not settled; `true` if it was not marked.
    #[inline]
    pub fn insert(&self, state: u32) -> bool {
        let (place, bit) = (state as usize / 64, 1 << (state % 64));
        if self.settled[place].load(Ordering::Relaxed) & bit != 0 {
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

    /// Sorts a list of all states that are marked.
    pub fn sort(&self, states: &mut Vec<u32>) {
        if states.len() < self.marked.len() {
            return states.sort_unstable();
        }
        states.clear();
        for (at, word) in (0u32..).zip(&self.marked) {
            let mut word = word.load(Ordering::Relaxed);
            while word != 0 {
                states.push(64 * at + word.trailing_zeros());
                word &= word - 1;
            }
        }
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

/// The states that moved to a new block in a round. Of large systems it fits a cache where the blocks of states do not.
#[derive(Debug)]
pub(super) struct Moved(Vec<u64>);

impl Moved {
    /// The states in blocks from some number on.
    pub fn new(blocks: &Blocks, first_new: u32, states: usize, threads: usize) -> Self {
        let mut words = vec![0u64; states.div_ceil(64)];
        parallel::parts_mut(parallel::threads_for(threads, states), &mut words, |start, part| {
            for (at, word) in (start..).zip(part) {
                for state in 64 * at..(64 * at + 64).min(states) {
                    *word |= u64::from(blocks.of(state as u32) >= first_new) << (state % 64);
                }
            }
        });
        Moved(words)
    }

    #[inline]
    pub fn contains(&self, state: u32) -> bool {
        self.0[state as usize / 64] >> (state % 64) & 1 != 0
    }
}
