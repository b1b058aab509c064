//! Branching bisimulation by signature refinement, on a system without internal cycles.
//!
//! The signature of a state is the set of pairs of a label and a block that it has itself, but for internal transitions within its own
//! block (*inert* ones), together with the signatures of those states that inert transitions lead to (Blom and Orzan, *Distributed branching
//! bisimulation reduction of state spaces*, ENTCS 89(1), 2003, doi:10.1016/S1571-0661(05)80099-4). Since states are numbered so that internal
//! transitions lead to smaller numbers, one pass in the order of numbers finds all signatures. In each round only those states are
//! looked at whose signatures may have changed; the signature of the others is kept with their block.

use super::blocks::Blocks;
use super::incoming::Incoming;
use super::marks::Marks;
use super::signatures::{Kept, Signatures};
use super::splitting::split;
use super::strong::sort;
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
    let states = lts.num_states();
    let internal = Incoming::new(lts, Edge::is_internal);
    let visible = Incoming::new(lts, |edge| !edge.is_internal());
    let mut work = Refinement {
        lts,
        items,
        divergent,
        internal,
        visible,
        blocks: Blocks::one(states),
        marks: Marks::new(states),
        changed: (0..states as u32).collect(),
        signatures: Signatures::default(),
        group_of: vec![0; states],
        kept: Kept::default(),
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

struct Refinement<'a> {
    lts: &'a Lts,
    items: &'a Items,
    divergent: Option<&'a BitSet>,
    /// Sources of internal transitions, and of the others.
    internal: Incoming,
    visible: Incoming,
    blocks: Blocks,
    /// The states of `changed`.
    marks: Marks,
    /// The states whose signatures may have changed, in increasing order.
    changed: Vec<u32>,
    /// Their signatures.
    signatures: Signatures,
    /// By state of `changed`: its place in `signatures`.
    group_of: Vec<u32>,
    /// Signatures of the other states, by block.
    kept: Kept,
}

impl Refinement<'_> {
    fn bytes(&self) -> u64 {
        let lists = 4 * (self.changed.len() + self.group_of.len()) as u64;
        let incoming = self.internal.bytes() + self.visible.bytes();
        self.lts.bytes()
            + incoming
            + self.blocks.bytes()
            + lists
            + self.signatures.bytes()
            + self.kept.bytes()
    }

    /// Finds the signatures of the states that changed.
    fn find_signatures(&mut self) {
        let Refinement { signatures, group_of, blocks, marks, kept, .. } = self;
        signatures.clear();
        let (mut own, mut merged) = (Vec::new(), Vec::new());
        let (mut groups, mut from_kept): (Vec<u32>, bool);
        groups = Vec::new();
        for &state in &self.changed {
            let block = blocks.of[state as usize];
            let is_inert = |edge: Edge| edge.is_internal() && blocks.of[edge.target as usize] == block;
            own.clear();
            self.items.push(self.lts, &blocks.of, state, |edge| !is_inert(edge), &mut own);
            if self.divergent.is_some_and(|divergent| divergent.contains(state as usize)) {
                own.push(DIVERGES);
            }
            groups.clear();
            from_kept = false;
            let internal = self.lts.outgoing(state).iter().take_while(|edge| edge.is_internal());
            for edge in internal.filter(|edge| is_inert(**edge)) {
                match marks.contains(edge.target) {
                    true => groups.push(group_of[edge.target as usize]),
                    false => from_kept = true,
                }
            }
            let kept =
                if from_kept { kept.of(block).expect("unchanged states have a signature") } else { &[] };
            if groups.len() > 1 {
                groups.sort_unstable();
                groups.dedup();
            }
            // Most states have no more than one of those that they reach.
            let spans = &signatures.spans;
            let largest = groups.iter().copied().max_by_key(|&group| spans.items(group).len());
            if let Some(largest) = largest {
                let base = spans.items(largest);
                let others = groups.iter().filter(|&&group| group != largest);
                let has_all = own.iter().all(|item| base.binary_search(item).is_ok())
                    && is_subset(kept, base)
                    && others.into_iter().all(|&group| is_subset(spans.items(group), base));
                if has_all {
                    group_of[state as usize] = signatures.add_to(largest);
                    continue;
                }
            }
            merged.clear();
            merged.extend_from_slice(&own);
            merged.extend_from_slice(kept);
            groups.iter().for_each(|&group| merged.extend_from_slice(spans.items(group)));
            sort(&mut merged);
            merged.dedup();
            group_of[state as usize] = signatures.add(block, &merged);
        }
    }

    /// Splits blocks; gives the new ones.
    fn split(&mut self, round: u32) -> Vec<u32> {
        let Signatures { groups, spans, .. } = &mut self.signatures;
        for group in 0..groups.len() {
            let is_as_before = self.kept.of(groups.block[group]) == Some(spans.items(group as u32));
            if is_as_before {
                groups.count[group] = 0;
            }
        }
        let members = self.changed.iter().map(|&state| (state, self.group_of[state as usize]));
        let split = split(&mut self.blocks, groups, members, round);
        for &rest in &split.rests {
            self.kept.copy(self.blocks.parent(rest), rest);
        }
        for (group, &block) in (0u32..).zip(&split.of_group) {
            if groups.count[group as usize] > 0 {
                self.kept.set(block, spans.items(group));
            }
        }
        split.new
    }

    /// Finds the states whose signatures change because of states that moved.
    fn mark_after(&mut self, new: &[u32]) {
        self.marks.clear(&self.changed);
        self.changed.clear();
        let Refinement { lts, blocks, marks, changed, internal, visible, .. } = self;
        let block = |state: u32| blocks.of[state as usize];
        let mut mark = |state: u32| {
            if blocks.size(block(state)) > 1 && marks.insert(state) {
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
