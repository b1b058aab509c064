//! Pairs of a state and a weight, numbered in the order in which they are met.

use crate::Failure;
use rustc_hash::FxHashMap;
use volvelle_control::Stop;

/// Limit of pairs: with the data of searches, this many take some gibibytes.
const MOST: usize = 1 << 26;

#[derive(Debug, Default)]
pub(super) struct Pairs {
    of: Vec<(u32, u64)>,
    numbers: FxHashMap<(u32, u64), u32>,
}

impl Pairs {
    /// A pair by its number.
    #[inline]
    pub fn pair(&self, id: u32) -> (u32, u64) {
        self.of[id as usize]
    }

    /// The number of a pair. A pair that was not met before gets a new number.
    ///
    /// # Errors
    /// There are too many pairs.
    #[inline]
    pub fn number(&mut self, state: u32, weight: u64) -> Result<u32, Failure> {
        let next = self.of.len();
        let id = *self.numbers.entry((state, weight)).or_insert(next as u32);
        if id as usize == next {
            if next == MOST {
                return Err(Stop::Memory.into());
            }
            self.of.push((state, weight));
        }
        Ok(id)
    }

    /// The number of a pair that was met.
    pub fn known(&self, state: u32, weight: u64) -> Option<u32> {
        self.numbers.get(&(state, weight)).copied()
    }

    pub fn bytes(&self) -> u64 {
        (16 * self.of.capacity() + 25 * self.numbers.capacity()) as u64
    }
}
