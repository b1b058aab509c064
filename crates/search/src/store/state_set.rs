//! The set of states, compressed as a tree (after Laarman, van de Pol and Weber, *Parallel recursive state compression
//! for free*, SPIN 2011, arXiv 1104.3119).
//!
//! Every word of a state is interned in the [`KeySet`] of its position. Numbers of neighbours are combined to
//! keys and interned in turn, until one number is left: that of the state. Steps with a local effect keep
//! most subtrees, so nearly all memory is used by the root: 8 bytes of key and about 6 of table per state.
//!
//! Deviations: the words at the leaves have 64 bits, and are numbered too. Inner nodes have as many children
//! as numbers fit in 64 bits (module `tree`), so most trees have two levels. Every node has its own set, so
//! numbers stay dense. A successor is interned relative to its source, whose nodes are known ([`Sources`]):
//! only changed words and the nodes above them are looked up, one node of the tree at a time for many
//! successors, so that all look-ups are prefetched.

use super::key_set::{Full, KeySet};
use super::tree::{NONE, Tree};
use std::ops::Range;
use volvelle_control::{Limits, Stop};

/// Limit of node numbers for the successors of one call, which keeps buffers in cache.
const NODES_AT_ONCE: usize = 1 << 16;

/// Recent keys of a node.
const WAYS: usize = 64;

/// Limit of nodes for which recent keys are kept.
const WORTH_REMEMBERING: usize = 256;

/// Look-ups between checks of recent keys.
const ROUND: usize = 64;

/// Stands for the number of a node that is to be looked up; never given out.
const PENDING: u32 = u32::MAX;

/// The set of states.
#[derive(Debug)]
pub struct StateSet {
    words: usize,
    tree: Tree,
    /// How often the tree took another shape.
    shapes: u64,
}

/// States with the numbers of all their nodes.
#[derive(Debug, Default)]
pub struct Sources {
    /// The states, packed.
    pub words: Vec<u64>,
    /// The numbers of the states.
    numbers: Vec<u32>,
    /// The numbers of all nodes of each state, `nodes_each` a state.
    nodes: Vec<u32>,
    nodes_each: usize,
    /// The shape of the tree that the nodes are of.
    shapes: u64,
}

impl Sources {
    /// The number of a state.
    pub fn number(&self, at: usize) -> u32 {
        self.numbers[at]
    }

    /// Removes everything, keeps the allocations.
    pub fn clear(&mut self) {
        self.words.clear();
        self.numbers.clear();
        self.nodes.clear();
    }
}

/// Look-ups of one batch of successors, and their results. Reused between batches of one set.
#[derive(Debug, Default)]
pub struct Interning {
    /// The numbers of all nodes of all successors of this batch.
    nodes: Vec<u32>,
    /// For each node, its pending look-ups.
    requests: Vec<Requests>,
    /// Recent keys and their numbers, some per node: below the root, few keys occur often.
    recent: Vec<(u64, u32)>,
    /// The shape of the tree that the recent keys are of.
    shapes: u64,
    /// Answers to the requests of a node.
    answers: Vec<u32>,
    /// Keys of a round that are not among the recent ones; their positions, and their numbers.
    open: Vec<u64>,
    open_at: Vec<u32>,
    found: Vec<u32>,
    /// The numbers of interned states, including former batches since [`Interning::clear`].
    pub numbers: Vec<u32>,
}

/// The requests of a node: keys to look up, and the successors to which they belong.
#[derive(Debug, Default)]
struct Requests {
    keys: Vec<u64>,
    successors: Vec<u32>,
}

impl Interning {
    /// Removes the numbers of former batches.
    pub fn clear(&mut self) {
        self.numbers.clear();
    }

    fn start(&mut self, set: &StateSet) {
        let total = set.tree.nodes.len();
        self.nodes.clear();
        self.requests.resize_with(total, Requests::default);
        for requests in &mut self.requests {
            requests.keys.clear();
            requests.successors.clear();
        }
        if self.shapes != set.shapes {
            self.shapes = set.shapes;
            self.recent.clear();
        }
        self.recent.resize(if total <= WORTH_REMEMBERING { total * WAYS } else { 0 }, (0, PENDING));
    }

    /// Asks for the word of a successor.
    #[inline(always)]
    fn request(&mut self, leaf: usize, key: u64, successor: u32) {
        let requests = &mut self.requests[leaf];
        requests.keys.push(key);
        requests.successors.push(successor);
    }
}

/// The position of a key among the recent ones of its node.
#[inline(always)]
fn way(key: u64) -> usize {
    (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - WAYS.ilog2())) as usize
}

/// The expansion of the set at some moment when no worker was inserting.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mark {
    allotted: u32,
    lanes: Vec<Range<u32>>,
}

/// The result of growing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Growth {
    /// There is room again.
    Done,
    /// The memory limit does not allow it.
    Stopped(Stop),
    /// There are no more numbers.
    TooLarge,
}

impl StateSet {
    /// An empty set of states of `words` words (at least 1) for the given number of lanes (workers).
    pub fn new(words: usize, lanes: usize) -> Self {
        assert!(words > 0, "a state has a word at least");
        StateSet { words, tree: Tree::new(words, lanes), shapes: 0 }
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
        self.tree.nodes.iter().map(|node| node.set.bytes()).sum()
    }

    /// All numbers are below this; some may have no state.
    pub fn numbers(&self) -> u64 {
        self.root().allotted()
    }

    fn root(&self) -> &KeySet {
        &self.tree.nodes[self.tree.root].set
    }

    /// The current extent of the set. Called while no worker inserts.
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

    /// Makes room where it ran out. Up to `threads` threads help.
    pub fn grow(&mut self, limits: &Limits, threads: usize) -> Growth {
        for at in 0..self.tree.nodes.len() {
            let set = &self.tree.nodes[at].set;
            if !set.is_full() {
                continue;
            }
            let Some(more) = set.growth_bytes() else { return Growth::TooLarge };
            if limits.memory_bytes.is_some_and(|limit| self.bytes() + more > limit) {
                return Growth::Stopped(Stop::Memory);
            }
            if !self.tree.nodes[at].set.grow(threads) {
                return Growth::TooLarge;
            }
        }
        if self.tree.relax(threads) {
            self.shapes += 1;
        }
        Growth::Done
    }

    /// Appends the states of a range of numbers to `sources`. This set must have assigned the numbers; for
    /// others, the states are arbitrary.
    pub fn load(&self, numbers: Range<u32>, sources: &mut Sources) {
        self.refresh(sources);
        let first = sources.numbers.len();
        sources.numbers.extend(numbers);
        self.load_nodes(first, sources);
        let total = self.tree.nodes.len();
        let first_word = sources.words.len();
        sources.words.resize(first_word + (sources.numbers.len() - first) * self.words, 0);
        let words = sources.words[first_word..].chunks_exact_mut(self.words);
        for (state, nodes) in words.zip(sources.nodes[first * total..].chunks_exact(total)) {
            for ((word, &number), leaf) in state.iter_mut().zip(nodes).zip(&self.tree.nodes) {
                *word = leaf.set.key(number);
            }
        }
    }

    /// Finds the nodes of the sources from `first` on.
    fn load_nodes(&self, first: usize, sources: &mut Sources) {
        let Tree { nodes: tree, order, root, .. } = &self.tree;
        let total = tree.len();
        sources.nodes.resize(sources.numbers.len() * total, 0);
        let nodes = &mut sources.nodes[first * total..];
        for (state, &number) in nodes.chunks_exact_mut(total).zip(&sources.numbers[first..]) {
            state[*root] = number;
        }
        for &node in order.iter().rev() {
            let node = node as usize;
            let set = &tree[node].set;
            for at in 0..sources.numbers.len() - first {
                // Far enough ahead for the memory, near enough for the cache.
                if let Some(&later) = nodes.get((at + 16) * total + node) {
                    set.prefetch_number(later);
                }
                let state = &mut nodes[at * total..(at + 1) * total];
                let key = set.key(state[node]);
                for &child in &tree[node].children {
                    state[child.node as usize] = child.of(key);
                }
            }
        }
    }

    /// Finds the nodes of sources again if the shape of the tree has changed since they were loaded.
    pub fn refresh(&self, sources: &mut Sources) {
        if sources.shapes != self.shapes || sources.nodes_each != self.tree.nodes.len() {
            sources.shapes = self.shapes;
            sources.nodes_each = self.tree.nodes.len();
            sources.nodes.clear();
            self.load_nodes(0, sources);
        }
    }

    /// The state of a number, if it was given out.
    pub fn get(&self, number: u32) -> Option<Vec<u64>> {
        self.root().get(number)?;
        let mut sources = Sources::default();
        self.load(number..number + 1, &mut sources);
        Some(sources.words)
    }

    /// Interns successors (packed) of at most one batch; `source_of` has their indices in `sources`. Returns
    /// how many; their numbers are appended to those of the batch. With [`Full`], none is interned: call
    /// [`StateSet::grow`], [`StateSet::refresh`], and then this again. Only one thread at a time may use a
    /// lane.
    pub fn intern(
        &self,
        lane: usize,
        sources: &Sources,
        successors: &[u64],
        source_of: &[u32],
        batch: &mut Interning,
    ) -> Result<usize, Full> {
        let total = self.tree.nodes.len();
        if sources.shapes != self.shapes || sources.nodes_each != total {
            return Err(Full);
        }
        batch.start(self);
        let count = source_of.len().min((NODES_AT_ONCE / total).max(1));
        let states = successors.chunks_exact(self.words).zip(source_of).take(count);
        for (successor, (state, &source)) in states.enumerate() {
            let source = source as usize;
            batch.nodes.extend_from_slice(&sources.nodes[source * total..(source + 1) * total]);
            let old = &sources.words[source * self.words..(source + 1) * self.words];
            for (leaf, (&key, &old)) in state.iter().zip(old).enumerate() {
                if key != old {
                    batch.request(leaf, key, successor as u32);
                }
            }
        }
        self.look_up(lane, batch)?;
        Ok(count)
    }

    /// Interns states without sources; as [`StateSet::intern`].
    pub fn intern_alone(&self, lane: usize, states: &[u64], batch: &mut Interning) -> Result<usize, Full> {
        let total = self.tree.nodes.len();
        batch.start(self);
        let count = (states.len() / self.words).min((NODES_AT_ONCE / total).max(1));
        batch.nodes.resize(count * total, 0);
        for (successor, state) in states.chunks_exact(self.words).take(count).enumerate() {
            for (leaf, &key) in state.iter().enumerate() {
                batch.request(leaf, key, successor as u32);
            }
        }
        self.look_up(lane, batch)?;
        Ok(count)
    }

    /// Answers all requests, from the leaves up to the root.
    fn look_up(&self, lane: usize, batch: &mut Interning) -> Result<(), Full> {
        let Tree { nodes: tree, order, root, .. } = &self.tree;
        let total = tree.len();
        for node in (0..self.words).chain(order.iter().map(|&node| node as usize)) {
            let mut requests = std::mem::take(&mut batch.requests[node]);
            let answered = self.look_up_node(lane, node, &mut requests, batch);
            if answered.is_ok() {
                let parent = tree[node].parent;
                let nodes = &mut batch.nodes;
                for (&successor, &number) in requests.successors.iter().zip(&batch.answers) {
                    let nodes = &mut nodes[successor as usize * total..(successor as usize + 1) * total];
                    nodes[node] = number;
                    if parent != NONE && nodes[parent as usize] != PENDING {
                        nodes[parent as usize] = PENDING;
                        batch.requests[parent as usize].successors.push(successor);
                    }
                }
            }
            batch.requests[node] = requests;
            answered?;
        }
        batch.numbers.extend(batch.nodes.chunks_exact(total).map(|state| state[*root]));
        Ok(())
    }

    /// Answers the requests of a node.
    fn look_up_node(
        &self,
        lane: usize,
        node: usize,
        requests: &mut Requests,
        batch: &mut Interning,
    ) -> Result<(), Full> {
        let total = self.tree.nodes.len();
        let set = &self.tree.nodes[node].set;
        batch.answers.clear();
        if node >= self.words {
            // No number may be wider than its place.
            let children = &self.tree.nodes[node].children[..];
            let mut beyond = 0;
            for &successor in &requests.successors {
                let nodes = &batch.nodes[successor as usize * total..(successor as usize + 1) * total];
                let mut key = 0;
                for child in children {
                    let number = u64::from(nodes[child.node as usize]);
                    key |= number << child.shift;
                    beyond |= number >> child.width;
                }
                requests.keys.push(key);
            }
            if beyond != 0 {
                return Err(Full);
            }
        }
        if node == self.tree.root || batch.recent.is_empty() {
            return set.find_or_insert(lane, &requests.keys, &mut batch.answers);
        }
        let Interning { recent, answers, open, open_at, found, .. } = batch;
        let recent = &mut recent[node * WAYS..(node + 1) * WAYS];
        answers.resize(requests.keys.len(), PENDING);
        for (keys, answers) in requests.keys.chunks(ROUND).zip(answers.chunks_mut(ROUND)) {
            open.clear();
            open_at.clear();
            found.clear();
            for (at, (&key, answer)) in keys.iter().zip(&mut *answers).enumerate() {
                let (known, number) = recent[way(key)];
                *answer = number;
                if known != key || number == PENDING {
                    open.push(key);
                    open_at.push(at as u32);
                }
            }
            set.find_or_insert(lane, open, found)?;
            for ((&key, &at), &number) in open.iter().zip(&*open_at).zip(&*found) {
                answers[at as usize] = number;
                recent[way(key)] = (key, number);
            }
        }
        Ok(())
    }
}
