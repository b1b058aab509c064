//! The set of states, compressed as a tree (Laarman, van de Pol and Weber, *Parallel recursive state compression for
//! free*, SPIN 2011, arXiv 1104.3119).
//!
//! Every word of a state is interned in the [`KeySet`] of its position; the numbers of neighbours are paired, and the
//! pairs interned, until one number is left: the number of the state. Steps of local effect leave most subtrees as
//! they are, so nearly all memory goes into the roots, 8 bytes of key and about 6 of table for a state.
//!
//! Deviations: the words at the leaves are 64 bits wide and numbered too; every node has a set of its own, so that
//! numbers stay dense; a successor is interned relative to its source, whose nodes are known ([`Sources`]), so only
//! words that changed and the nodes above them are looked up, a level of the tree at a time for many successors, so
//! that all look-ups of a level are prefetched.

use super::key_set::{Full, KeySet, ROUND};
use std::ops::Range;
use volvelle_control::{Limits, Stop};

/// Node numbers that the successors of one call may take: keeps buffers in cache.
const NODES_AT_ONCE: usize = 1 << 17;

/// Recent keys of a node.
const WAYS: usize = 16;

/// Most nodes for which recent keys are kept.
const WORTH_REMEMBERING: usize = 512;

/// Stands for the number of a node that is being looked up; never given out.
const PENDING: u32 = u32::MAX;

/// The set of states.
#[derive(Debug)]
pub struct StateSet {
    words: usize,
    /// A set for each node of a complete binary tree, numbered as in a heap: the root is node 0, the children of
    /// node n are 2n + 1 and 2n + 2, and the leaves, one for each word, come last.
    sets: Vec<KeySet>,
}

/// States with the numbers of all their nodes.
#[derive(Debug, Default)]
pub struct Sources {
    /// The states, packed.
    pub words: Vec<u64>,
    /// Nodes of each state; empty where states are known by their words only.
    nodes: Vec<u32>,
}

impl Sources {
    /// The number of a state of `words` words.
    pub fn number(&self, at: usize, words: usize) -> u32 {
        self.nodes[at * (2 * words - 1)]
    }
}

/// Look-ups of one batch of successors, and their results. Reused from batch to batch of one set.
#[derive(Debug, Default)]
pub struct Interning {
    /// Successors of this batch.
    count: usize,
    /// The numbers of all nodes of all successors.
    nodes: Vec<u32>,
    /// First node of the current level.
    level: usize,
    /// Look-ups of the current level.
    requests: Vec<Request>,
    /// Look-ups of leaves one level above the lowest.
    upper_leaves: Vec<Request>,
    /// Requests of the current level that are answered.
    answered: usize,
    /// Keys that were looked up lately and their numbers, some for each node: below the root, few keys come often.
    recent: Vec<(u64, u32)>,
    /// The numbers of the states that were interned, those of former batches since [`Interning::clear`] included.
    pub numbers: Vec<u32>,
}

/// A key to look up.
#[derive(Clone, Copy, Debug)]
struct Request {
    key: u64,
    successor: u32,
    node: u32,
}

/// Where the answer to a request is remembered.
#[inline(always)]
fn way(request: &Request) -> usize {
    request.node as usize * WAYS
        + (request.key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - WAYS.ilog2())) as usize
}

/// The extent of the set at some moment when no worker was inserting.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mark {
    allotted: u32,
    lanes: Vec<Range<u32>>,
}

/// What came of making room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Growth {
    /// There is room again.
    Done,
    /// The memory limit is in the way.
    Stopped(Stop),
    /// There are no more numbers.
    TooLarge,
}

impl StateSet {
    /// An empty set of states of `words` words, which is not zero, for so many lanes (workers).
    pub fn new(words: usize, lanes: usize) -> Self {
        assert!(words > 0, "a state has a word at least");
        let sets = (0..2 * words - 1).map(|_| KeySet::new(lanes)).collect();
        StateSet { words, sets }
    }

    /// Words of a state.
    pub fn words(&self) -> usize {
        self.words
    }

    /// States in the set.
    pub fn len(&self) -> u64 {
        self.root().len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        self.sets.iter().map(KeySet::bytes).sum()
    }

    /// All numbers are below this; some may have no state.
    pub fn numbers(&self) -> u64 {
        self.root().allotted()
    }

    fn root(&self) -> &KeySet {
        &self.sets[0]
    }

    /// First node of the lowest level.
    fn lowest(&self) -> usize {
        (1 << self.sets.len().ilog2()) - 1
    }

    /// The first leaf.
    fn leaves(&self) -> usize {
        self.words - 1
    }

    /// Where the set stands. To be called while no worker inserts.
    pub fn mark(&self) -> Mark {
        Mark { allotted: self.root().allotted() as u32, lanes: self.root().holes().collect() }
    }

    /// Whether a number was given out before a mark.
    pub fn is_before(number: u32, mark: &Mark) -> bool {
        number < mark.allotted && !mark.lanes.iter().any(|hole| hole.contains(&number))
    }

    /// The numbers of the states between two marks, in ascending runs.
    pub fn between(before: &Mark, after: &Mark) -> Vec<Range<u32>> {
        let mut runs: Vec<Range<u32>> = Vec::new();
        // A lane uses its block up before it takes another.
        for (old, new) in before.lanes.iter().zip(&after.lanes) {
            let end = if new.end == old.end { new.start } else { old.end };
            runs.push(old.start..end);
        }
        let mut holes: Vec<&Range<u32>> =
            after.lanes.iter().filter(|hole| hole.end > before.allotted).collect();
        holes.sort_by_key(|hole| hole.start);
        let mut at = before.allotted;
        for hole in holes {
            runs.push(at..hole.start);
            at = hole.end;
        }
        runs.push(at..after.allotted);
        runs.retain(|run| !run.is_empty());
        runs.sort_by_key(|run| run.start);
        runs.dedup_by(|next, run| {
            let adjacent = run.end == next.start;
            if adjacent {
                run.end = next.end;
            }
            adjacent
        });
        runs
    }

    /// Makes room where it ran out. `threads` may help.
    pub fn grow(&mut self, limits: &Limits, threads: usize) -> Growth {
        for at in 0..self.sets.len() {
            if !self.sets[at].is_full() {
                continue;
            }
            let Some(more) = self.sets[at].growth_bytes() else { return Growth::TooLarge };
            if limits.memory_bytes.is_some_and(|limit| self.bytes() + more > limit) {
                return Growth::Stopped(Stop::Memory);
            }
            if !self.sets[at].grow(threads) {
                return Growth::TooLarge;
            }
        }
        Growth::Done
    }

    /// Appends the states of a run of numbers to `sources`. The numbers were given out by this set; a state of
    /// another number is anything.
    pub fn load(&self, numbers: Range<u32>, sources: &mut Sources) {
        let total = self.sets.len();
        let first = sources.nodes.len();
        let count = numbers.len();
        sources.nodes.resize(first + count * total, 0);
        let nodes = &mut sources.nodes[first..];
        for (state, number) in nodes.chunks_exact_mut(total).zip(numbers) {
            state[0] = number;
        }
        for (node, set) in self.sets[..self.leaves()].iter().enumerate() {
            for at in 0..count {
                // Far enough ahead for the memory, near enough for the cache.
                if let Some(&later) = nodes.get((at + 16) * total + node) {
                    set.prefetch_number(later);
                }
                let state = &mut nodes[at * total..(at + 1) * total];
                let key = set.key(state[node]);
                state[2 * node + 1] = (key >> 32) as u32;
                state[2 * node + 2] = key as u32;
            }
        }
        let first_word = sources.words.len();
        sources.words.resize(first_word + count * self.words, 0);
        let words = sources.words[first_word..].chunks_exact_mut(self.words);
        for (state, nodes) in words.zip(nodes.chunks_exact(total)) {
            for (word, leaf) in state.iter_mut().zip(self.leaves()..) {
                *word = self.sets[leaf].key(nodes[leaf]);
            }
        }
    }

    /// The state of a number, if it was given out.
    pub fn get(&self, number: u32) -> Option<Vec<u64>> {
        self.root().get(number)?;
        let mut sources = Sources::default();
        self.load(number..number + 1, &mut sources);
        Some(sources.words)
    }

    /// Begins to intern successors (packed), of which `source_of` tells the index in `sources`. Takes as many as
    /// one batch may have and gives how many; [`StateSet::proceed`] does the work.
    pub fn begin(
        &self,
        sources: &Sources,
        successors: &[u64],
        source_of: &[u32],
        batch: &mut Interning,
    ) -> usize {
        let total = self.sets.len();
        let count = source_of.len().min((NODES_AT_ONCE / total).max(1));
        batch.start(count, self.lowest());
        let states = successors.chunks_exact(self.words).zip(source_of).take(count);
        for (successor, (state, &source)) in states.enumerate() {
            let source = source as usize;
            batch.nodes.extend_from_slice(&sources.nodes[source * total..(source + 1) * total]);
            let old = &sources.words[source * self.words..(source + 1) * self.words];
            for (leaf, (&key, &old)) in state.iter().zip(old).enumerate() {
                if key != old {
                    batch.request(Request {
                        key,
                        successor: successor as u32,
                        node: (self.leaves() + leaf) as u32,
                    });
                }
            }
        }
        count
    }

    /// Begins to intern states without sources; as [`StateSet::begin`].
    pub fn begin_alone(&self, states: &[u64], batch: &mut Interning) -> usize {
        let total = self.sets.len();
        let count = (states.len() / self.words).min((NODES_AT_ONCE / total).max(1));
        batch.start(count, self.lowest());
        batch.nodes.resize(count * total, 0);
        for (successor, state) in states.chunks_exact(self.words).take(count).enumerate() {
            for (leaf, &key) in state.iter().enumerate() {
                batch.request(Request {
                    key,
                    successor: successor as u32,
                    node: (self.leaves() + leaf) as u32,
                });
            }
        }
        count
    }

    /// Interns what was begun. With [`Full`]: call [`StateSet::grow`], then this again. When done, the numbers of
    /// the states are appended to those of the batch. Only one thread at a time uses a lane.
    pub fn proceed(&self, lane: usize, batch: &mut Interning) -> Result<(), Full> {
        let total = self.sets.len();
        loop {
            self.answer(lane, batch)?;
            if batch.level == 0 {
                break;
            }
            self.ascend(batch);
        }
        batch.numbers.extend(batch.nodes.chunks_exact(total).take(batch.count).map(|state| state[0]));
        batch.count = 0;
        Ok(())
    }

    /// Looks up the keys of one level.
    fn answer(&self, lane: usize, batch: &mut Interning) -> Result<(), Full> {
        let total = self.sets.len();
        let Interning { nodes, requests, answered, recent, .. } = batch;
        recent.resize(if total <= WORTH_REMEMBERING { total * WAYS } else { 0 }, (0, PENDING));
        let mut hashes = [0u64; ROUND];
        let mut open = [0usize; ROUND];
        while *answered < requests.len() {
            let mut count = 0;
            let mut at = *answered;
            while at < requests.len() && count < ROUND {
                let request = &requests[at];
                match recent.get(way(request)) {
                    Some(&(key, number)) if key == request.key && number != PENDING => {
                        nodes[request.successor as usize * total + request.node as usize] = number;
                    }
                    _ => {
                        hashes[count] = self.sets[request.node as usize].prefetch_slot(request.key);
                        open[count] = at;
                        count += 1;
                    }
                }
                at += 1;
            }
            for (&hash, &at) in hashes.iter().zip(&open[..count]) {
                self.sets[requests[at].node as usize].prefetch_key(hash);
            }
            for (&hash, &at) in hashes.iter().zip(&open[..count]) {
                let request = &requests[at];
                let set = &self.sets[request.node as usize];
                // Without room, the whole round is done again: what was answered is found then.
                let number = set.find_or_insert_hashed(lane, request.key, hash)?;
                nodes[request.successor as usize * total + request.node as usize] = number;
                if let Some(recent) = recent.get_mut(way(request)) {
                    *recent = (request.key, number);
                }
            }
            *answered = at;
        }
        Ok(())
    }

    /// From the requests of one level to those of the level above.
    fn ascend(&self, batch: &mut Interning) {
        let total = self.sets.len();
        let mut kept = 0;
        for at in 0..batch.requests.len() {
            let Request { successor, node, .. } = batch.requests[at];
            let parent = (node as usize - 1) / 2;
            let nodes = &mut batch.nodes[successor as usize * total..(successor as usize + 1) * total];
            if nodes[parent] != PENDING {
                nodes[parent] = PENDING;
                batch.requests[kept] = Request { key: 0, successor, node: parent as u32 };
                kept += 1;
            }
        }
        batch.requests.truncate(kept);
        for request in &mut batch.requests {
            let nodes = &batch.nodes[request.successor as usize * total..];
            let left = 2 * request.node as usize + 1;
            request.key = u64::from(nodes[left]) << 32 | u64::from(nodes[left + 1]);
        }
        batch.requests.append(&mut batch.upper_leaves);
        batch.answered = 0;
        batch.level /= 2;
    }
}

impl Sources {
    /// Forgets everything, keeps the memory.
    pub fn clear(&mut self) {
        self.words.clear();
        self.nodes.clear();
    }
}

impl Interning {
    fn start(&mut self, count: usize, lowest: usize) {
        self.count = count;
        self.level = lowest;
        self.answered = 0;
        self.requests.clear();
        self.upper_leaves.clear();
        self.nodes.clear();
    }

    fn request(&mut self, request: Request) {
        let list =
            if request.node as usize >= self.level { &mut self.requests } else { &mut self.upper_leaves };
        list.push(request);
    }

    /// Forgets the numbers of former batches.
    pub fn clear(&mut self) {
        self.numbers.clear();
    }
}
