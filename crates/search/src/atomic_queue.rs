//! The queue of atomic chains: states inside atomic sequences of a batch, without duplicates.
//!
//! A state counts once for each stored source, so endless atomic loops terminate and every source gets all
//! its successors. Each state keeps the step that reached it first. The queue is processed in order, so this
//! step is on a path with the fewest states in between. Of long sequences without choices, only some states
//! are queued ([`reach`]).

use crate::successors::reach;
use volvelle_store::hash;

/// No state of the queue: reached from the stored source itself.
pub const FROM_SOURCE: u32 = u32::MAX;

/// Slots of the smallest table.
const SMALLEST: usize = 64;

/// How a state was reached.
#[derive(Clone, Copy, Debug)]
pub struct Link {
    /// The state of the queue before it, or [`FROM_SOURCE`].
    pub parent: u32,
    /// The step; `length` is the number of steps it stands for.
    pub step: u32,
    pub length: u32,
    /// Number of consecutive expansions with a single successor that led to it.
    pub run: u32,
}

/// The queue.
#[derive(Debug, Default)]
pub struct AtomicQueue {
    words: usize,
    /// The states, packed.
    states: Vec<u64>,
    /// The stored source of each (its index in the batch).
    sources: Vec<u32>,
    /// For each state, the state of the queue (or [`FROM_SOURCE`]) and the step from which it was reached
    /// first.
    parents: Vec<(u32, u32)>,
    /// The step of the stored source with which the path to each begins.
    first_steps: Vec<u32>,
    /// Number of steps after the predecessor, if steps are counted.
    lengths: Vec<u32>,
    /// For each state, the number of consecutive expansions with a single successor that led to it; and its
    /// reach.
    runs: Vec<u32>,
    reach: Vec<u64>,
    /// Open addressing: index + 1, or 0. At most half full.
    slots: Vec<u32>,
}

impl AtomicQueue {
    /// An empty queue of states of `words` words.
    pub fn new(words: usize) -> Self {
        AtomicQueue { words, ..AtomicQueue::default() }
    }

    /// Number of states.
    pub fn len(&self) -> usize {
        self.sources.len()
    }

    /// The states from the given one on, packed.
    pub fn states_from(&self, first: usize) -> &[u64] {
        &self.states[first * self.words..]
    }

    /// A state.
    pub fn state(&self, index: usize) -> &[u64] {
        &self.states[index * self.words..(index + 1) * self.words]
    }

    /// The stored source of a state.
    pub fn source(&self, index: usize) -> u32 {
        self.sources[index]
    }

    /// The predecessor of a state on the path that reached it first, and the step from there.
    pub fn parent(&self, index: usize) -> (u32, u32) {
        self.parents[index]
    }

    /// The reach of the states from the given one on.
    pub fn reach_from(&self, first: usize) -> &[u64] {
        &self.reach[first..]
    }

    /// Number of consecutive expansions with a single successor that led to a state.
    pub fn run(&self, index: usize) -> u32 {
        self.runs[index]
    }

    /// Number of steps after the predecessor, on the path that reached a state first.
    pub fn length(&self, index: usize) -> u32 {
        self.lengths[index]
    }

    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        (8 * (self.states.capacity() + self.parents.capacity() + self.reach.capacity())
            + 4 * (self.sources.capacity() + self.slots.capacity())
            + 4 * (self.first_steps.capacity() + self.lengths.capacity() + self.runs.capacity()))
            as u64
    }

    /// The step of its stored source with which the path to a state begins.
    pub fn first_step(&self, index: usize) -> u32 {
        self.first_steps[index]
    }

    /// Removes all states.
    pub fn clear(&mut self) {
        if self.sources.is_empty() {
            return;
        }
        if self.slots.len() > 16 * self.len().max(SMALLEST) {
            self.slots.truncate(self.slots.len() / 4);
        }
        self.slots.fill(0);
        self.states.clear();
        self.sources.clear();
        self.parents.clear();
        self.first_steps.clear();
        self.lengths.clear();
        self.runs.clear();
        self.reach.clear();
    }

    /// Appends a state unless it is there for this source.
    pub fn insert(&mut self, state: &[u64], source: u32, link: Link) {
        let Link { parent, step, length, run } = link;
        if self.slots.len() < 2 * (self.len() + 1) {
            self.enlarge();
        }
        let hash = hash(state);
        let mut at = self.home(hash, source);
        loop {
            match self.slots[at] {
                0 => break,
                slot => {
                    let index = slot as usize - 1;
                    if self.sources[index] == source && self.state(index) == state {
                        return;
                    }
                }
            }
            at = (at + 1) & (self.slots.len() - 1);
        }
        self.states.extend_from_slice(state);
        self.sources.push(source);
        self.parents.push((parent, step));
        let first = if parent == FROM_SOURCE { step } else { self.first_steps[parent as usize] };
        self.first_steps.push(first);
        self.lengths.push(length);
        self.runs.push(run);
        self.reach.push(reach(hash, run));
        self.slots[at] = self.len() as u32;
    }

    fn home(&self, hash: u64, source: u32) -> usize {
        let mixed = hash ^ u64::from(source).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed >> 20) as usize & (self.slots.len() - 1)
    }

    fn enlarge(&mut self) {
        let size = (2 * self.slots.len()).max(SMALLEST);
        self.slots.clear();
        self.slots.resize(size, 0);
        for index in 0..self.len() {
            let mut at = self.home(hash(self.state(index)), self.sources[index]);
            while self.slots[at] != 0 {
                at = (at + 1) & (size - 1);
            }
            self.slots[at] = index as u32 + 1;
        }
    }
}
