//! What is known of the pairs of a block, and what its searches keep from one question to the next.

use super::values::Pair;

/// What is known of the pairs of a block.
#[derive(Default)]
pub(super) struct Memo {
    pub width: usize,
    /// By state, then by vertex.
    pub values: Vec<u8>,
    /// Numbers that searches give to open pairs; empty where none needs them.
    pub order: Vec<u32>,
    /// Kept between searches, so that they need not be allocated.
    pub path: Vec<Frame>,
    pub open: Vec<Pair>,
    pub explored: Explored,
}

impl Memo {
    pub fn index(&self, state: u32, local: u32) -> usize {
        state as usize * self.width + local as usize
    }
}

/// A pair on the path.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub pair: Pair,
    /// The move that is being followed, and the transition it takes next.
    pub at: u32,
    pub edge: u32,
    /// The least number of a pair on the stack that is known to be reached.
    pub low: u32,
    pub order: u32,
}

/// The part of a block that was explored and is not decided. Pairs have numbers in the order in which they are met.
#[derive(Default)]
pub(super) struct Explored {
    pub pairs: Vec<Pair>,
    /// How many of them were expanded.
    pub expanded: usize,
    /// The moves of each pair that do not lead to the goal, where all have to.
    pub avoiding: Vec<u32>,
    /// The first entry in `dependents` of each pair.
    pub first: Vec<u32>,
    /// Pairs that depend on another one, and the next entry of the same list.
    pub dependents: Vec<(u32, u32)>,
}

impl Explored {
    pub fn bytes(&self) -> usize {
        16 * self.pairs.capacity() + 8 * self.dependents.capacity()
    }
}
