//! The blocks that weak transitions of states lead to.

use super::super::blocks::Blocks;
use super::super::signatures::{Scratch, SignatureId, Signatures};
use super::super::strong::fold;
use std::ops::Range;
use volvelle_space::{Labels, Lts};

/// Number of a row; `u32::MAX` before it was found.
type RowId = u32;

const NONE: RowId = u32::MAX;

/// For each state the set of blocks that internal transitions lead to, and a row: for each other label of its weak transitions the set of
/// blocks that these lead to.
pub(super) struct Sets {
    sets: Signatures,
    /// By state: the set of the internal action.
    internal: Vec<SignatureId>,
    /// By state.
    row_of: Vec<RowId>,
    rows: Vec<Row>,
    /// Entries of rows: labels in increasing order, and sets.
    labels: Vec<u32>,
    of_label: Vec<SignatureId>,
    seed: u64,
    /// Entries and items when those without use were last removed.
    live: (usize, usize),
    scratch: Scratch,
    /// Labels and sets of which a row is made.
    parts: Vec<(u32, SignatureId)>,
    ids: Vec<SignatureId>,
}

struct Row {
    entries: Range<usize>,
    hash: u64,
}

/// Entries and items without use that do not matter.
const SLACK: usize = if cfg!(test) { 1 << 4 } else { 1 << 18 };

impl Sets {
    pub fn new(states: usize, seed: u64) -> Self {
        Sets {
            sets: Signatures::new(fold(seed)),
            internal: vec![NONE; states],
            row_of: vec![NONE; states],
            rows: Vec::new(),
            labels: Vec::new(),
            of_label: Vec::new(),
            seed: fold(seed ^ 1),
            live: (0, 0),
            scratch: Scratch::default(),
            parts: Vec::new(),
            ids: Vec::new(),
        }
    }

    /// A hash of the sets of a state.
    pub fn hash(&self, state: u32) -> u64 {
        self.row(state).hash.wrapping_add(self.hash_of(Labels::INTERNAL, self.internal(state)))
    }

    fn hash_of(&self, label: u32, set: SignatureId) -> u64 {
        fold(fold(self.sets.hash(set) ^ self.seed) ^ u64::from(label))
    }

    fn row(&self, state: u32) -> &Row {
        &self.rows[self.row_of[state as usize] as usize]
    }

    /// The set of blocks that internal transitions of a state lead to, and the state's own.
    pub fn internal(&self, state: u32) -> SignatureId {
        self.internal[state as usize]
    }

    /// The set of blocks that weak transitions of a state with a label lead to, if it has some.
    pub fn weak(&self, state: u32, label: u32) -> Option<SignatureId> {
        if label == Labels::INTERNAL {
            return Some(self.internal(state));
        }
        let entries = self.row(state).entries.clone();
        let place = self.labels[entries.clone()].binary_search(&label).ok()?;
        Some(self.of_label[entries.start + place])
    }

    /// The sets of blocks.
    pub fn sets(&self) -> &Signatures {
        &self.sets
    }

    /// Finds the set of the internal action of a state. Those of states that internal transitions lead to are known.
    pub fn find_internal(&mut self, lts: &Lts, blocks: &Blocks, state: u32) {
        self.ids.clear();
        let internal = lts.outgoing(state).iter().filter(|edge| edge.is_internal());
        self.ids.extend(internal.map(|edge| self.internal[edge.target as usize]));
        self.ids.sort_unstable();
        self.ids.dedup();
        let own = [u64::from(blocks.of(state))];
        self.internal[state as usize] = self.sets.insert_union(&own, &self.ids, &mut self.scratch);
    }

    /// Finds the row of a state. Those of states that internal transitions lead to are known, and all sets of the internal action.
    pub fn find_row(&mut self, lts: &Lts, state: u32) {
        let mut parts = std::mem::take(&mut self.parts);
        parts.clear();
        for edge in lts.outgoing(state) {
            if edge.is_internal() {
                let entries = self.row(edge.target).entries.clone();
                parts.extend(entries.map(|k| (self.labels[k], self.of_label[k])));
            } else {
                parts.push((edge.label, self.internal(edge.target)));
            }
        }
        parts.sort_unstable();
        parts.dedup();
        let start = self.labels.len();
        let mut hash = 0u64;
        for of_label in parts.chunk_by(|a, b| a.0 == b.0) {
            let label = of_label[0].0;
            self.ids.clear();
            self.ids.extend(of_label.iter().map(|part| part.1));
            let set = match &self.ids[..] {
                [only] => *only,
                ids => self.sets.insert_union(&[], ids, &mut self.scratch),
            };
            self.labels.push(label);
            self.of_label.push(set);
            hash = hash.wrapping_add(self.hash_of(label, set));
        }
        self.row_of[state as usize] = self.rows.len() as u32;
        self.rows.push(Row { entries: start..self.labels.len(), hash });
        self.parts = parts;
    }

    /// Forgets the rows of some states, and the sets of the internal action of those that `has_moved` accepts. They must be found again.
    pub fn forget(&mut self, states: &[u32], has_moved: impl Fn(u32) -> bool) {
        for &state in states {
            self.row_of[state as usize] = NONE;
            if has_moved(state) {
                self.internal[state as usize] = NONE;
            }
        }
        self.forget_unused();
    }

    /// Removes what no state has any more, if it is much.
    fn forget_unused(&mut self) {
        let held = (self.labels.len(), self.sets.num_items());
        if held.0 <= 2 * self.live.0 + SLACK && held.1 <= 2 * self.live.1 + SLACK {
            return;
        }
        let (mut labels, mut of_label, mut rows) = (Vec::new(), Vec::new(), Vec::new());
        for id in self.row_of.iter_mut().filter(|id| **id != NONE) {
            let Row { entries, hash } = &self.rows[*id as usize];
            let start = labels.len();
            labels.extend_from_slice(&self.labels[entries.clone()]);
            of_label.extend_from_slice(&self.of_label[entries.clone()]);
            *id = rows.len() as u32;
            rows.push(Row { entries: start..labels.len(), hash: *hash });
        }
        let entries = of_label.len();
        of_label.append(&mut self.internal);
        self.sets.keep(&mut of_label);
        self.internal = of_label.split_off(entries);
        self.scratch = Scratch::default();
        (self.labels, self.of_label, self.rows) = (labels, of_label, rows);
        self.live = (self.labels.len(), self.sets.num_items());
    }

    /// Whether the states of each block have the same sets, not only the same hashes.
    pub fn agree(&self, blocks: &Blocks) -> bool {
        (0..blocks.len() as u32).all(|block| {
            let mut members = blocks.members(block);
            let Some(first_state) = members.next() else { return true };
            let first = self.row(first_state).entries.clone();
            members.all(|state| {
                let own = self.row(state).entries.clone();
                self.sets.are_equal(self.internal(first_state), self.internal(state))
                    && self.labels[own.clone()] == self.labels[first.clone()]
                    && own
                        .zip(first.clone())
                        .all(|(k, first)| self.sets.are_equal(self.of_label[k], self.of_label[first]))
            })
        })
    }

    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        let entries = 8 * self.labels.capacity() + size_of::<Row>() * self.rows.capacity();
        (entries + 8 * self.row_of.len()) as u64 + self.sets.bytes() + self.scratch.bytes()
    }
}
