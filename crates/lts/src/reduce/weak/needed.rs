//! The transitions that a quotient modulo weak bisimulation needs.

use super::super::blocks::Blocks;
use super::super::signatures::SignatureId;
use super::sets::Sets;
use rustc_hash::FxHashSet;
use volvelle_space::{BitSet, Edge, Labels, Lts};

/// Transitions of a quotient: for each block labels and blocks, without those that others imply.
pub(in super::super) struct Needed {
    starts: Vec<usize>,
    edges: Vec<Edge>,
}

impl Needed {
    /// The transitions of a block.
    pub fn of(&self, block: u32) -> &[Edge] {
        &self.edges[self.starts[block as usize]..self.starts[block as usize + 1]]
    }
}

/// The transitions of classes that no others imply: neither an internal one that leads to a class with the same weak transition, nor one
/// with the same label to a class from which internal ones go on.
pub(super) fn needed(lts: &Lts, blocks: &Blocks, sets: &Sets) -> Needed {
    let mut needed = Needed { starts: vec![0], edges: Vec::new() };
    let mut implied =
        Implied { blocks: BitSet::new(blocks.len()), list: Vec::new(), roots: FxHashSet::default() };
    let state = |block: u32| blocks.members(block).next().expect("blocks have states");
    let size = |block: u32| sets.sets().size(sets.internal(state(block)));
    let mut own: Vec<Edge> = Vec::new();
    let mut internal: Vec<u32> = Vec::new();
    for block in 0..blocks.len() as u32 {
        own.clear();
        for state in blocks.members(block) {
            let edges = lts.outgoing(state).iter();
            let edges = edges.map(|edge| Edge { label: edge.label, target: blocks.of(edge.target) });
            own.extend(edges.filter(|edge| !(edge.is_internal() && edge.target == block)));
        }
        own.sort_unstable();
        own.dedup();
        internal.clear();
        for of_label in own.chunk_by_mut(|a, b| a.label == b.label) {
            let label = of_label[0].label;
            implied.clear();
            for &target in &internal {
                if let Some(set) = sets.weak(state(target), label) {
                    implied.add(sets, set);
                }
            }
            // A class that internal transitions of another one lead to is not in the way of that: it reaches less.
            of_label.sort_by_cached_key(|edge| (std::cmp::Reverse(size(edge.target)), edge.target));
            for edge in of_label.iter() {
                if !implied.contains(edge.target) {
                    needed.edges.push(*edge);
                    implied.add(sets, sets.internal(state(edge.target)));
                    if label == Labels::INTERNAL {
                        internal.push(edge.target);
                    }
                }
            }
        }
        needed.starts.push(needed.edges.len());
    }
    needed
}

/// The classes that transitions imply.
struct Implied {
    blocks: BitSet,
    list: Vec<u32>,
    /// Where roots begin whose blocks are all there.
    roots: FxHashSet<usize>,
}

impl Implied {
    fn clear(&mut self) {
        self.list.drain(..).for_each(|block| self.blocks.remove(block as usize));
        self.roots.clear();
    }

    fn contains(&self, block: u32) -> bool {
        self.blocks.contains(block as usize)
    }

    fn add(&mut self, sets: &Sets, set: SignatureId) {
        let ((start, root), more) = sets.sets().parts(set);
        let is_known = root.is_empty() || !self.roots.insert(start);
        let root = if is_known { &[] } else { root };
        for &block in root.iter().chain(more) {
            if self.blocks.insert(block as usize) {
                self.list.push(block as u32);
            }
        }
    }
}
