//! Finding a formula that tells two states apart, from the history of the partition.
//!
//! States that were separated in round *r* had different signatures with respect to the blocks before it; a formula for an item that only one
//! of them has needs, below its modality, formulas that tell these blocks apart, which were separated earlier (Cleaveland, *On automatically
//! explaining bisimulation inequivalence*, CAV 1990, doi:10.1007/BFb0023750; for branching bisimulation Korver, *Computing
//! distinguishing formulas for branching bisimulation*, CAV 1991, doi:10.1007/3-540-55179-4_3).

use super::formula::Formula;
use crate::reduce::{Blocks, ItemKind};
use rustc_hash::FxHashMap;
use volvelle_space::{BitSet, Lts};

/// Nested modalities of a formula that a person may still read. Recursion goes as deep.
const DEEPEST: usize = 60;

/// Operators of such a formula.
const LARGEST: usize = 400;

/// What tells states apart.
pub(super) struct Distinguisher<'a> {
    pub lts: &'a Lts,
    pub blocks: &'a Blocks,
    pub kind: ItemKind,
    /// States that diverge, where that counts.
    pub divergent: Option<&'a BitSet>,
}

/// Something that a state can do.
struct Item {
    /// The label; `None` is divergence.
    label: Option<u32>,
    /// A state that is reached.
    target: u32,
}

impl Distinguisher<'_> {
    /// A formula that holds in the first state and not in the second; `None` if there is none, or it is too large.
    pub fn formula(&self, left: u32, right: u32) -> Option<Formula> {
        let mut budget = LARGEST;
        self.tell_apart(left, right, DEEPEST, &mut budget)
    }

    fn tell_apart(&self, left: u32, right: u32, depth: usize, budget: &mut usize) -> Option<Formula> {
        let round = self.blocks.separated(left, right)?;
        let depth = depth.checked_sub(1)?;
        *budget = budget.checked_sub(1)?;
        let (of_left, of_right) = (self.items(left, round - 1), self.items(right, round - 1));
        if let Some(item) = self.only(&of_left, &of_right, round - 1) {
            return self.can(left, item, &of_right, round - 1, depth, budget);
        }
        let item = self.only(&of_right, &of_left, round - 1)?;
        let formula = self.can(right, item, &of_left, round - 1, depth, budget)?;
        Some(Formula::Not(Box::new(formula)))
    }

    /// The item that only the first list has for which the least has to be said about the second.
    fn only<'i>(&self, items: &'i [Item], others: &[Item], round: u32) -> Option<&'i Item> {
        let block = |item: &Item| self.blocks.after_round(item.target, round);
        let missing = items.iter().filter(|item| {
            !others.iter().any(|other| {
                other.label == item.label && (item.label.is_none() || block(other) == block(item))
            })
        });
        missing.min_by_key(|item| others.iter().filter(|other| other.label == item.label).count())
    }

    /// The formula that a state has an item, and the other one with the same block has not.
    fn can(
        &self,
        state: u32,
        item: &Item,
        others: &[Item],
        round: u32,
        depth: usize,
        budget: &mut usize,
    ) -> Option<Formula> {
        let with = |label: Option<u32>| {
            others.iter().filter(move |other| other.label == label).map(|other| other.target)
        };
        let internal = Some(volvelle_space::Labels::INTERNAL);
        let stay = |budget: &mut usize| match self.kind {
            ItemKind::Branching => self.all(state, with(internal).collect(), round, depth, budget),
            _ => Some(Formula::TRUE),
        };
        let Some(label) = item.label else { return Some(Formula::Diverges(Box::new(stay(budget)?))) };
        let mut avoided: Vec<u32> = with(item.label).collect();
        if self.kind == ItemKind::Branching && item.label == internal {
            // Internal transitions of the other state within the block are not items.
            avoided.push(state);
        }
        let inner = Box::new(self.all(item.target, avoided, round, depth, budget)?);
        let text = self.lts.labels.text(label).to_owned();
        Some(match self.kind {
            ItemKind::Strong => Formula::Can(text, inner),
            ItemKind::Branching => Formula::Until(Box::new(stay(budget)?), text, inner),
            ItemKind::Weak => Formula::Weakly(text, inner),
        })
    }

    /// The formula that holds in a state, and in none of some others.
    fn all(
        &self,
        state: u32,
        others: Vec<u32>,
        round: u32,
        depth: usize,
        budget: &mut usize,
    ) -> Option<Formula> {
        let mut by_block: FxHashMap<u32, u32> = FxHashMap::default();
        for other in others {
            by_block.entry(self.blocks.after_round(other, round)).or_insert(other);
        }
        let mut others: Vec<u32> = by_block.into_values().collect();
        others.sort_unstable();
        let mut parts: Vec<Formula> = Vec::new();
        for other in others {
            let part = self.tell_apart(state, other, depth, budget)?;
            if !parts.contains(&part) {
                parts.push(part);
            }
        }
        Some(Formula::And(parts))
    }

    /// What a state can do, with respect to the blocks after a round.
    fn items(&self, state: u32, round: u32) -> Vec<Item> {
        let own = self.blocks.after_round(state, round);
        let inside = |target: u32| self.blocks.after_round(target, round) == own;
        let mut items = Vec::new();
        match self.kind {
            ItemKind::Strong => {
                let outgoing = self.lts.outgoing(state).iter();
                items.extend(outgoing.map(|edge| Item { label: Some(edge.label), target: edge.target }));
            }
            ItemKind::Branching => {
                for reached in self.closure(state, inside) {
                    let outgoing = self.lts.outgoing(reached).iter();
                    let counts = outgoing.filter(|edge| !(edge.is_internal() && inside(edge.target)));
                    items.extend(counts.map(|edge| Item { label: Some(edge.label), target: edge.target }));
                    if self.divergent.is_some_and(|divergent| divergent.contains(reached as usize)) {
                        items.push(Item { label: None, target: reached });
                    }
                }
            }
            ItemKind::Weak => {
                for reached in self.closure(state, |_| true) {
                    items.push(Item { label: Some(volvelle_space::Labels::INTERNAL), target: reached });
                    for edge in self.lts.outgoing(reached).iter().filter(|edge| !edge.is_internal()) {
                        let behind = self.closure(edge.target, |_| true).into_iter();
                        items.extend(behind.map(|target| Item { label: Some(edge.label), target }));
                    }
                }
            }
        }
        items
    }

    /// The states that internal transitions to accepted states reach.
    fn closure(&self, state: u32, inside: impl Fn(u32) -> bool) -> Vec<u32> {
        let mut found = vec![state];
        let mut met = rustc_hash::FxHashSet::default();
        met.insert(state);
        let mut next = 0;
        while let Some(&state) = found.get(next) {
            next += 1;
            for edge in self.lts.outgoing(state).iter().filter(|edge| edge.is_internal()) {
                if inside(edge.target) && met.insert(edge.target) {
                    found.push(edge.target);
                }
            }
        }
        found
    }
}
