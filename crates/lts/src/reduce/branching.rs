//! Branching bisimulation by signature refinement, on a system without internal cycles.
//!
//! The signature of a state is the set of pairs of a label and a block that it has itself, but for internal transitions within its own
//! block (*inert* ones), together with the signatures of those states that inert transitions lead to (Blom and Orzan, *Distributed branching
//! bisimulation reduction of state spaces*, ENTCS 89(1), 2003, doi:10.1016/S1571-0661(05)80099-4). Since states are numbered so that internal
//! transitions lead to smaller numbers, one pass in the order of numbers finds all signatures. In each round only those states are
//! looked at whose signatures may have changed; the signature of the others is kept with their block. Signatures are compared by hashes,
//! and the result is verified, as for strong bisimulation.

use super::blocks::Blocks;
use super::incoming::Incoming;
use super::marks::Marks;
use super::signatures::{Scratch, SignatureId, Signatures, Table};
use super::splitting::split;
use super::strong::{fold, sort};
use super::weights::Items;
use volvelle_control::{Control, Stop};
use volvelle_space::{BitSet, Edge, Lts};

/// The item of states that diverge, where that counts; it is that of no transition.
const DIVERGES: u64 = u64::MAX;

/// The coarsest branching bisimulation; divergence counts for the states of `divergent`. Internal transitions lead from greater to
/// smaller numbers of states.
pub(super) fn refine(
    lts: &Lts,
    items: &Items,
    divergent: Option<&BitSet>,
    control: &Control<'_>,
) -> Result<Blocks, Stop> {
    let internal = Incoming::new(lts, Edge::is_internal);
    let visible = Incoming::new(lts, |edge| !edge.is_internal());
    let system = System { lts, items, divergent, internal, visible };
    for seed in 0.. {
        let blocks = with_seed(&system, seed, control)?;
        if system.is_stable(&blocks) {
            return Ok(blocks);
        }
    }
    unreachable!("some seed has no collision")
}

fn with_seed(system: &System<'_>, seed: u64, control: &Control<'_>) -> Result<Blocks, Stop> {
    let states = system.lts.num_states();
    let mut work = Refinement {
        system,
        blocks: Blocks::one(states),
        marks: Marks::new(states),
        changed: (0..states as u32).collect(),
        signatures: Signatures::new(fold(seed)),
        table: Table::default(),
        group_of: vec![0; states],
        kept: Vec::new(),
        live: 0,
    };
    work.changed.iter().for_each(|&state| {
        work.marks.insert(state);
    });
    for round in 1.. {
        control.check()?;
        control.check_memory(work.bytes())?;
        work.find_signatures();
        let new = work.split(round);
        work.mark_after(&new);
        if work.changed.is_empty() {
            break;
        }
    }
    Ok(work.blocks)
}

/// The system that is reduced.
struct System<'a> {
    lts: &'a Lts,
    items: &'a Items,
    divergent: Option<&'a BitSet>,
    /// Sources of internal transitions, and of the others.
    internal: Incoming,
    visible: Incoming,
}

impl System<'_> {
    /// The items that a state has itself, sorted and without duplicates.
    fn own_items(&self, blocks: &Blocks, state: u32, own: &mut Vec<u64>) {
        let block = blocks.of[state as usize];
        let is_inert = |edge: Edge| edge.is_internal() && blocks.of[edge.target as usize] == block;
        own.clear();
        self.items.push(self.lts, &blocks.of, state, |edge| !is_inert(edge), own);
        if self.divergent.is_some_and(|divergent| divergent.contains(state as usize)) {
            own.push(DIVERGES);
        }
        sort(own);
        own.dedup();
    }

    /// The states that inert transitions of a state lead to.
    fn inert<'b>(&'b self, blocks: &'b Blocks, state: u32) -> impl Iterator<Item = u32> + 'b {
        let block = blocks.of[state as usize];
        let internal = self.lts.outgoing(state).iter().take_while(|edge| edge.is_internal());
        internal.map(|edge| edge.target).filter(move |&target| blocks.of[target as usize] == block)
    }

    /// Whether the partition is a branching bisimulation: the states of a block without inert transitions, which all others reach by
    /// inert ones, have the same items, and the others have no further ones.
    fn is_stable(&self, blocks: &Blocks) -> bool {
        let (mut bottom, mut own) = (Vec::new(), Vec::new());
        (0..blocks.len() as u32).filter(|&block| blocks.size(block) > 1).all(|block| {
            let is_bottom = |state: u32| self.inert(blocks, state).next().is_none();
            let members = blocks.members(block);
            let first = members.iter().copied().find(|&state| is_bottom(state));
            self.own_items(blocks, first.expect("there are no internal cycles"), &mut bottom);
            members.iter().all(|&state| {
                self.own_items(blocks, state, &mut own);
                if is_bottom(state) { own == bottom } else { is_subset(&own, &bottom) }
            })
        })
    }
}

struct Refinement<'a> {
    system: &'a System<'a>,
    blocks: Blocks,
    /// The states of `changed`.
    marks: Marks,
    /// The states whose signatures may have changed, in increasing order.
    changed: Vec<u32>,
    /// Signatures of all states: of those in `changed` by their groups, of the others by their blocks.
    signatures: Signatures,
    /// Groups of the states of `changed`.
    table: Table,
    /// By state of `changed`: its group.
    group_of: Vec<u32>,
    /// By block: the signature of its states that are not in `changed`; `u32::MAX` where it was never needed.
    kept: Vec<SignatureId>,
    /// Items of signatures when those without use were last removed.
    live: usize,
}

/// Items without use that do not matter.
const SLACK: usize = 1 << 18;

impl Refinement<'_> {
    fn bytes(&self) -> u64 {
        let lists = 4 * (self.changed.len() + self.group_of.len() + self.kept.len()) as u64;
        let system = self.system.lts.bytes() + self.system.internal.bytes() + self.system.visible.bytes();
        system + self.blocks.bytes() + lists + self.signatures.bytes() + self.table.bytes()
    }

    /// Finds the signatures of the states that changed, and groups these states.
    fn find_signatures(&mut self) {
        if self.signatures.num_items() > 2 * self.live + SLACK {
            self.signatures.keep(&mut self.kept);
            self.live = self.signatures.num_items();
        }
        let Refinement { system, signatures, table, group_of, blocks, marks, kept, .. } = self;
        table.clear();
        let (mut own, mut inherited, mut scratch) = (Vec::new(), Vec::new(), Scratch::default());
        for &state in &self.changed {
            let block = blocks.of[state as usize];
            system.own_items(blocks, state, &mut own);
            inherited.clear();
            inherited.extend(system.inert(blocks, state).map(|target| match marks.contains(target) {
                true => table.signatures[group_of[target as usize] as usize],
                false => kept[block as usize],
            }));
            if inherited.len() > 1 {
                inherited.sort_unstable();
                inherited.dedup();
            }
            let count = signatures.len();
            let signature = signatures.union(&own, &inherited, &mut scratch);
            let (group, is_new) = table.add(block, signature, signatures.hash(signature));
            if !is_new && signatures.len() > count {
                signatures.pop();
            }
            group_of[state as usize] = group;
        }
    }

    /// Splits blocks; gives the new ones.
    fn split(&mut self, round: u32) -> Vec<u32> {
        let Refinement { table: Table { groups, signatures: of_group, .. }, signatures, kept, .. } = self;
        for (group, &signature) in of_group.iter().enumerate() {
            let before = kept.get(groups.block[group] as usize).copied().filter(|&id| id != u32::MAX);
            if before.is_some_and(|before| signatures.hash(before) == signatures.hash(signature)) {
                groups.count[group] = 0;
            }
        }
        let members = self.changed.iter().map(|&state| (state, self.group_of[state as usize]));
        let split = split(&mut self.blocks, groups, members, round);
        kept.resize(self.blocks.len(), u32::MAX);
        for &rest in &split.rests {
            kept[rest as usize] = kept[self.blocks.parent(rest) as usize];
        }
        for (group, &block) in split.of_group.iter().enumerate() {
            if groups.count[group] > 0 {
                kept[block as usize] = of_group[group];
            }
        }
        split.new
    }

    /// Finds the states whose signatures change because of states that moved.
    fn mark_after(&mut self, new: &[u32]) {
        self.marks.clear(&self.changed);
        self.changed.clear();
        let Refinement { system: System { lts, internal, visible, .. }, blocks, marks, changed, .. } = self;
        let block = |state: u32| blocks.of[state as usize];
        marks.settle(blocks, new);
        let mut mark = |state: u32| {
            if marks.insert(state) {
                changed.push(state);
            }
        };
        for &new in new {
            let old = blocks.parent(new);
            for &state in blocks.members(new) {
                visible.of(state).iter().for_each(|&source| mark(source));
                // Where both moved together, the transition is as inert as before.
                internal
                    .of(state)
                    .iter()
                    .filter(|&&source| block(source) != new)
                    .for_each(|&source| mark(source));
                let mut own = lts.outgoing(state).iter().take_while(|edge| edge.is_internal());
                if own.any(|edge| block(edge.target) == old) {
                    mark(state);
                }
            }
        }
        let mut next = 0;
        while let Some(&state) = changed.get(next) {
            next += 1;
            for &source in internal.of(state) {
                if block(source) == block(state) && marks.insert(source) {
                    changed.push(source);
                }
            }
        }
        changed.sort_unstable();
    }
}

/// Whether a sorted list has all items of another one.
fn is_subset(list: &[u64], of: &[u64]) -> bool {
    if list.len() > of.len() {
        return false;
    }
    if 8 * list.len() < of.len() {
        return list.iter().all(|item| of.binary_search(item).is_ok());
    }
    let mut rest = of.iter();
    list.iter().all(|item| rest.any(|other| other == item))
}
