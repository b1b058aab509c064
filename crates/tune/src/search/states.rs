//! A set of packed states, in insertion order.

use std::hash::Hasher;

/// Distinct states, numbered from 0.
#[derive(Clone, Debug, Default)]
pub struct StateSet {
    words: usize,
    states: Vec<u64>,
    /// Open addressing: 1 + the number of a state, or 0.
    index: Vec<u32>,
}

/// The initial size of the index. It doubles when half of it is in use.
const FIRST: usize = 64;

impl StateSet {
    /// An empty set of states of `words` words each.
    pub fn new(words: usize) -> Self {
        StateSet { words, states: Vec::new(), index: vec![0; FIRST] }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.states.is_empty()
    }

    /// Number of states.
    pub fn len(&self) -> usize {
        self.states.len() / self.words
    }

    /// At most `most` packed states, starting with number `first`.
    pub fn batch(&self, first: usize, most: usize) -> &[u64] {
        let last = (first + most).min(self.len());
        &self.states[first * self.words..last * self.words]
    }

    /// The number of a state, if it is there.
    pub fn find(&self, state: &[u64]) -> Option<usize> {
        let mask = self.index.len() - 1;
        let mut at = hash(state) as usize & mask;
        loop {
            let number = (self.index[at] as usize).checked_sub(1)?;
            if self.states[number * self.words..(number + 1) * self.words] == *state {
                return Some(number);
            }
            at = (at + 1) & mask;
        }
    }

    /// Adds a state; returns whether it is new.
    pub fn insert(&mut self, state: &[u64]) -> bool {
        let count = self.len();
        self.number(state) == count
    }

    /// The number of a state, which is added if it is new.
    pub fn number(&mut self, state: &[u64]) -> usize {
        let count = self.len();
        if 2 * (count + 1) > self.index.len() {
            self.grow();
        }
        let mask = self.index.len() - 1;
        let mut at = hash(state) as usize & mask;
        loop {
            match self.index[at] {
                0 => break,
                number => {
                    let from = (number as usize - 1) * self.words;
                    if self.states[from..from + self.words] == *state {
                        return number as usize - 1;
                    }
                }
            }
            at = (at + 1) & mask;
        }
        self.index[at] = count as u32 + 1;
        self.states.extend_from_slice(state);
        count
    }

    /// Removes all states. Keeps the memory, except that of an index much larger than needed.
    pub fn clear(&mut self) {
        let wanted = (4 * self.len()).next_power_of_two().max(FIRST);
        self.index.truncate(wanted.min(self.index.len()));
        self.index.fill(0);
        self.states.clear();
    }

    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        (8 * self.states.capacity() + 4 * self.index.capacity()) as u64
    }

    fn grow(&mut self) {
        let size = 4 * self.index.len();
        let mask = size - 1;
        self.index.clear();
        self.index.resize(size, 0);
        for (number, state) in self.states.chunks_exact(self.words).enumerate() {
            let mut at = hash(state) as usize & mask;
            while self.index[at] != 0 {
                at = (at + 1) & mask;
            }
            self.index[at] = number as u32 + 1;
        }
    }
}

/// A hash whose low bits depend on all bits of the state.
pub(super) fn hash(state: &[u64]) -> u64 {
    let mut hasher = rustc_hash::FxHasher::default();
    for &word in state {
        hasher.write_u64(word);
    }
    let hash = hasher.finish();
    (hash ^ hash >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ hash >> 29
}
