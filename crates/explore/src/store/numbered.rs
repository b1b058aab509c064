//! States with their numbers, for a single thread.

use super::index::{Index, UNKNOWN};
use super::states::StateTable;

/// States in the order of their discovery, and the index that finds them.
pub struct NumberedStates {
    states: StateTable,
    index: Index,
}

impl NumberedStates {
    /// An empty table for states of `words` words.
    pub fn new(words: usize) -> Self {
        NumberedStates { states: StateTable::new(words), index: Index::new(words, u64::BITS) }
    }

    /// The states.
    pub fn states(&self) -> &StateTable {
        &self.states
    }

    /// The states, without their index.
    pub fn into_states(self) -> StateTable {
        self.states
    }

    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        self.states.bytes() + self.index.bytes()
    }

    /// Numbers packed states, new ones in order. `false` if there would be more than `limit`.
    #[must_use]
    pub fn number(&mut self, packed: &[u64], numbers: &mut Vec<u32>, limit: usize) -> bool {
        let count = packed.len() / self.states.words();
        if let Some(larger) = self.index.reserve(&self.states, count) {
            self.index = larger;
        }
        numbers.clear();
        numbers.resize(count, UNKNOWN);
        // SAFETY: one thread at a time has the only reference to this.
        unsafe { self.index.find_or_insert(&self.states, packed, numbers, limit) }
    }
}
