//! Weak bisimulation by signature refinement, on a system that is reduced modulo branching bisimulation.
//!
//! A weak transition is a transition with internal ones around it (Milner, *Communication and Concurrency*, 1989). The signature of a state
//! is the set of pairs of a label and a block that weak transitions lead to; for the internal action these include the state's own
//! block. Since there are no internal cycles, all signatures are found in one pass in the order of internal transitions.

use super::blocks::Blocks;
use super::incoming::Incoming;
use super::signatures::{Scratch, SignatureId, Signatures, Table};
use super::splitting::{Shard, split};
use super::strong::fold;
use super::weights::item;
use volvelle_control::{Control, Stop};
use volvelle_space::{Edge, Labels, Lts};

/// The coarsest weak bisimulation, and the transitions that its quotient needs. Internal transitions of the system have no cycles.
pub(super) fn refine(lts: &Lts, control: &Control<'_>) -> Result<(Blocks, Needed), Stop> {
    let order = internal_order(lts);
    for seed in 0.. {
        let mut blocks = Blocks::one(lts.num_states());
        for round in 1.. {
            control.check()?;
            let sets = Sets::new(lts, &blocks, &order, seed);
            control.check_memory(lts.bytes() + blocks.bytes() + sets.signatures.bytes())?;
            let mut table = Table::default();
            table.clear();
            let of = |state: usize| sets.weak[state];
            let members = (0..lts.num_states() as u32)
                .map(|state| {
                    let id = of(state as usize);
                    (state, table.add(blocks.of(state), sets.signatures.hash(id), || id))
                })
                .collect();
            let shards = [Shard { groups: table.groups, members }];
            let before = blocks.len();
            split(&mut blocks, &shards, round, control.threads);
            if before == blocks.len() {
                if sets.agree(&blocks) {
                    let needed = sets.needed(lts, &blocks);
                    return Ok((blocks, needed));
                }
                break;
            }
        }
    }
    unreachable!("some seed has no collision")
}

/// Transitions of a quotient: for each block labels and blocks, without those that others imply.
pub(super) struct Needed(Vec<Vec<Edge>>);

impl Needed {
    pub fn of(&self, block: u32) -> &[Edge] {
        &self.0[block as usize]
    }
}

/// States in an order in which those that internal transitions of a state lead to come before it.
fn internal_order(lts: &Lts) -> Vec<u32> {
    let incoming = Incoming::new(lts, Edge::is_internal, 1);
    let internal = |state: u32| lts.outgoing(state).iter().filter(|edge| edge.is_internal()).count() as u32;
    let mut left: Vec<u32> = (0..lts.num_states() as u32).map(internal).collect();
    let mut order: Vec<u32> =
        (0..lts.num_states() as u32).filter(|&state| left[state as usize] == 0).collect();
    let mut next = 0;
    while let Some(&state) = order.get(next) {
        next += 1;
        for &source in incoming.of(state) {
            left[source as usize] -= 1;
            if left[source as usize] == 0 {
                order.push(source);
            }
        }
    }
    assert_eq!(order.len(), lts.num_states(), "there are no internal cycles");
    order
}

/// Pairs of a label and a block that weak transitions of each state lead to.
struct Sets {
    signatures: Signatures,
    /// By state: those with the internal action.
    internal: Vec<SignatureId>,
    /// By state: all of them.
    weak: Vec<SignatureId>,
}

impl Sets {
    fn new(lts: &Lts, blocks: &Blocks, order: &[u32], seed: u64) -> Self {
        let states = lts.num_states();
        let mut sets = Sets {
            signatures: Signatures::new(fold(seed)),
            internal: vec![0; states],
            weak: vec![0; states],
        };
        let (mut own, mut inherited, mut scratch) = (Vec::new(), Vec::new(), Scratch::default());
        for &state in order {
            inherited.clear();
            let internal = lts.outgoing(state).iter().filter(|edge| edge.is_internal());
            inherited.extend(internal.map(|edge| sets.internal[edge.target as usize]));
            inherited.sort_unstable();
            inherited.dedup();
            let itself = [item(Labels::INTERNAL, blocks.of(state))];
            sets.internal[state as usize] = sets.signatures.insert_union(&itself, &inherited, &mut scratch);
        }
        for &state in order {
            own.clear();
            inherited.clear();
            for edge in lts.outgoing(state) {
                if edge.is_internal() {
                    inherited.push(sets.weak[edge.target as usize]);
                } else {
                    let behind = sets.signatures.items(sets.internal[edge.target as usize]);
                    own.extend(behind.map(|reached| item(edge.label, reached as u32)));
                }
            }
            own.sort_unstable();
            own.dedup();
            inherited.push(sets.internal[state as usize]);
            inherited.sort_unstable();
            inherited.dedup();
            sets.weak[state as usize] = sets.signatures.insert_union(&own, &inherited, &mut scratch);
        }
        sets
    }

    /// Whether the states of each block have the same sets, not only the same hashes.
    fn agree(&self, blocks: &Blocks) -> bool {
        (0..blocks.len() as u32).all(|block| {
            let members = blocks.members(block);
            let first = self.weak[first(blocks, block)];
            members.into_iter().all(|state| self.signatures.are_equal(first, self.weak[state as usize]))
        })
    }

    /// The transitions of classes that no others imply: neither an internal one that leads to a class with the same weak transition, nor one
    /// with the same label to a class from which internal ones go on.
    fn needed(&self, lts: &Lts, blocks: &Blocks) -> Needed {
        let first = |block: u32| first(blocks, block);
        let of_block = |block: u32| {
            let mut edges: Vec<Edge> = (blocks.members(block))
                .flat_map(|state| lts.outgoing(state))
                .map(|edge| Edge { label: edge.label, target: blocks.of(edge.target) })
                .filter(|edge| !(edge.is_internal() && edge.target == block))
                .collect();
            edges.sort_unstable();
            edges.dedup();
            let is_implied = |edge: &Edge| {
                let weak = item(edge.label, edge.target);
                let goes_on = item(Labels::INTERNAL, edge.target);
                edges.iter().any(|other| {
                    let behind = first(other.target);
                    (other.is_internal() && other != edge && self.signatures.has(self.weak[behind], weak))
                        || (other.label == edge.label
                            && other.target != edge.target
                            && self.signatures.has(self.internal[behind], goes_on))
                })
            };
            edges.iter().filter(|edge| !is_implied(edge)).copied().collect()
        };
        Needed((0..blocks.len() as u32).map(of_block).collect())
    }
}

/// Any state of a block.
fn first(blocks: &Blocks, block: u32) -> usize {
    blocks.members(block).next().expect("blocks have states") as usize
}
