//! The quotient of a system by a partition of its states.

use super::blocks::Blocks;
use volvelle_space::{Edge, Labels, Lts};

/// Which transitions of its states a class has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Abstraction {
    /// Those of any one state: all have the same.
    Strong,
    /// Those of all states together, but internal ones within the class.
    Branching,
}

/// A quotient: the initial state is 0, and states are numbered in the order of a breadth-first walk from there.
pub(super) struct Quotient {
    pub lts: Lts,
    /// The number of each block; `u32::MAX` for those that cannot be reached.
    pub number: Vec<u32>,
}

/// The least state of each block. It does not depend on how blocks are numbered.
pub(super) fn least_states(blocks: usize, block_of: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut least = vec![u32::MAX; blocks];
    for (state, block) in (0u32..).zip(block_of) {
        let least = &mut least[block as usize];
        *least = (*least).min(state);
    }
    least
}

/// The quotient by blocks, which are ordered by `order_of`. Labels that `skip` accepts are left out; `extra` gives further transitions of a block: label and target block.
pub(super) fn quotient(
    lts: &Lts,
    blocks: &Blocks,
    abstraction: Abstraction,
    order_of: &[u32],
    labels: Labels,
    skip: impl Fn(u32) -> bool,
    extra: impl Fn(u32, &mut Vec<Edge>),
) -> Quotient {
    let mut number = vec![u32::MAX; blocks.len()];
    let initial = blocks.of[lts.initial as usize];
    number[initial as usize] = 0;
    let mut order = vec![initial];
    let (mut starts, mut edges): (Vec<u32>, Vec<Edge>) = (vec![0], Vec::new());
    let mut own = Vec::new();
    let mut next = 0;
    while let Some(&block) = order.get(next) {
        next += 1;
        own.clear();
        let members = match abstraction {
            Abstraction::Strong => &blocks.members(block)[..1],
            Abstraction::Branching => blocks.members(block),
        };
        for &state in members {
            for edge in lts.outgoing(state).iter().filter(|edge| !skip(edge.label)) {
                let target = blocks.of[edge.target as usize];
                let is_inert = abstraction == Abstraction::Branching && edge.is_internal() && target == block;
                if !is_inert {
                    own.push(Edge { label: edge.label, target });
                }
            }
            if own.len() > 64 * members.len() + 4096 {
                own.sort_unstable();
                own.dedup();
            }
        }
        own.sort_unstable();
        own.dedup();
        extra(block, &mut own);
        own.sort_unstable_by_key(|edge| (edge.label, order_of[edge.target as usize]));
        for edge in &own {
            let number = &mut number[edge.target as usize];
            if *number == u32::MAX {
                *number = order.len() as u32;
                order.push(edge.target);
            }
            edges.push(Edge { label: edge.label, target: *number });
        }
        starts.push(edges.len() as u32);
    }
    let mut lts = Lts::new(0, labels, starts, edges);
    lts.sort();
    Quotient { lts, number }
}
