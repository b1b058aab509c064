//! Synchronisations with exchanged values and many combinations of alternatives, by loops.
//!
//! Alternatives of a participant that offer the same items differ only in guards and effects. So the code
//! contains all combinations of *offers*. In each, once the values are bound, one loop per participant runs
//! through its alternatives with that offer. Inside all loops, the successor is composed of the writes of the
//! chosen ones. The code is as long as the sum of the alternatives, not as their product. As in `negotiate`,
//! no effect is evaluated unless all guards hold.

use super::KernelError;
use super::builder::Builder;
use super::negotiate::{MOST_COMBINATIONS, MOST_VALUES, Ready};
use super::state::Write;
use crate::ids::ActionId;
use crate::offers::Item;
use crate::steps::Weight;
use rustc_hash::FxHashMap;
use std::collections::hash_map::Entry;
use volvelle_kernel::{Block, Local, Stmt};

/// Alternatives of a participant with the same offer.
struct Same<'r, 'a> {
    members: Vec<&'r Ready<'a>>,
}

impl Same<'_, '_> {
    fn items(&self) -> &[Item] {
        self.members[0].alternative.items()
    }
}

/// A combination of offers under construction.
struct Offers<'s, 'r, 'a> {
    group: usize,
    action: ActionId,
    chosen: Vec<&'s Same<'r, 'a>>,
    /// Number of combinations made so far.
    made: usize,
}

impl Builder<'_> {
    /// Whether every alternative has exactly one outcome, which is certain.
    pub(super) fn may_loop(&self, ready: &[Vec<Ready<'_>>]) -> bool {
        let is_plain = |ready: &Ready<'_>| {
            let outcomes = &ready.alternative.outcomes;
            outcomes.len() == 1 && matches!(outcomes[0].weight, Weight::Constant { value: 1.0, .. })
        };
        self.parametric.is_none() && ready.iter().flatten().all(is_plain)
    }

    /// The steps of a group whose participants exchange values.
    pub(super) fn negotiated_in_loops(
        &mut self,
        group: usize,
        action: ActionId,
        ready: &[Vec<Ready<'_>>],
    ) -> Result<Block, KernelError> {
        let same: Vec<Vec<Same<'_, '_>>> = ready.iter().map(|alternatives| by_offer(alternatives)).collect();
        self.offers(&mut Offers { group, action, chosen: Vec::new(), made: 0 }, &same)
    }

    /// The combinations of the chosen offers with those of the remaining participants. Recursion is as deep
    /// as there are participants: see `MAX_PARTICIPANTS`.
    fn offers<'s, 'r, 'a>(
        &mut self,
        offers: &mut Offers<'s, 'r, 'a>,
        left: &'s [Vec<Same<'r, 'a>>],
    ) -> Result<Block, KernelError> {
        let Some((own, rest)) = left.split_first() else { return self.bound_offers(offers) };
        let mut block = Vec::new();
        for same in own {
            if offers.chosen.first().is_some_and(|first| first.members[0].sorts != same.members[0].sorts) {
                continue;
            }
            offers.chosen.push(same);
            let inner = self.offers(offers, rest);
            offers.chosen.pop();
            let inner = inner?;
            if inner.is_empty() {
                continue;
            }
            let mut possible = self.state.exprs().bool(false);
            for member in &same.members {
                possible = self.state.exprs().or(possible, member.before);
            }
            block.extend(self.when(possible, inner));
        }
        Ok(block)
    }

    /// A combination of offers, with its values.
    fn bound_offers(&mut self, offers: &mut Offers<'_, '_, '_>) -> Result<Block, KernelError> {
        offers.made += 1;
        if offers.made > MOST_COMBINATIONS {
            return Err(KernelError::TooManyOffers { group: offers.group });
        }
        let mut block = self.chosen_in_loops(offers);
        let mut tried = 1i128;
        for k in (0..offers.chosen[0].items().len()).rev() {
            let local = self.state.offered[k];
            let items = offers.chosen.iter().map(|same| same.items()[k]);
            block = self.bind(local, items, block, &mut tried);
            if tried > MOST_VALUES {
                return Err(KernelError::TooManyValues { group: offers.group });
            }
        }
        Ok(block)
    }

    /// The loops over alternatives, where the values are bound.
    fn chosen_in_loops(&mut self, offers: &Offers<'_, '_, '_>) -> Block {
        let mut block = self.put_together(&offers.chosen);
        block.extend(self.choice_end(offers.group, offers.action, &offers.chosen[0].members[0].sorts));
        for (level, same) in offers.chosen.iter().enumerate().rev() {
            let guard = |b: &mut Self, member: &Ready<'_>| b.state.exprs().and(member.before, member.after);
            if let [only] = same.members[..] {
                // Guards that read no value were tested before.
                block = self.when(only.after, block);
                continue;
            }
            let (counter, holds) = (self.counter(level), self.holds());
            let guards: Vec<Block> = (same.members.iter())
                .map(|member| vec![Stmt::Set { local: holds, value: guard(self, member) }])
                .collect();
            let cond = self.state.kernel.get(holds);
            let e = self.state.exprs();
            let (from, to) = (e.i64(0), e.i64(same.members.len() as i64));
            let inner = Stmt::If { cond, then: block, otherwise: Vec::new() };
            let body = vec![self.by_number(counter, guards), inner];
            block = vec![Stmt::For { local: counter, from, to, body }];
        }
        block
    }

    /// The successor, composed of the writes of the chosen alternatives: participants write disjoint fields.
    fn put_together(&mut self, chosen: &[&Same<'_, '_>]) -> Block {
        let words = self.emitted_words();
        let mut block = Vec::new();
        let writes: Vec<Vec<Vec<Write>>> = (chosen.iter())
            .map(|same| {
                let of =
                    |member: &&Ready<'_>| self.writes(member.alternative, &member.alternative.outcomes[0]);
                same.members.iter().map(of).collect()
            })
            .collect();
        let mut masks = vec![vec![0u64; words]; chosen.len()];
        for (own, masks) in writes.iter().zip(&mut masks) {
            for (k, mask) in masks.iter_mut().enumerate() {
                *mask = own.iter().fold(0, |mask, writes| mask | self.state.mask_of(k, writes));
            }
        }
        let next: Vec<Local> = (0..words).map(|k| self.accumulator(0, k)).collect();
        for (k, &local) in next.iter().enumerate() {
            let written = masks.iter().fold(0, |all, masks| all | masks[k]);
            let word = self.state.word(k);
            let e = self.state.exprs();
            let kept = e.u64(!written);
            let value = e.binary(volvelle_kernel::BinaryOp::BitAnd, word, kept);
            block.push(Stmt::Set { local, value });
        }
        for (level, own) in writes.iter().enumerate() {
            let mut parts: Vec<Block> = Vec::with_capacity(own.len());
            for writes in own {
                let mut part = self.zero_width(writes);
                for (k, &local) in next.iter().enumerate() {
                    let Some(bits) = self.state.written_word(k, writes, masks[level][k]) else { continue };
                    let so_far = self.state.kernel.get(local);
                    part.push(Stmt::Set { local, value: self.state.or(Some(so_far), bits) });
                }
                parts.push(part);
            }
            match <[Block; 1]>::try_from(parts) {
                Ok([only]) => block.extend(only),
                Err(parts) => {
                    let counter = self.counter(level);
                    block.push(self.by_number(counter, parts));
                }
            }
        }
        for local in next {
            let value = self.state.kernel.get(local);
            block.push(Stmt::Emit { buffer: self.successors, value });
        }
        let value = self.state.exprs().f64(1.0);
        block.push(Stmt::Emit { buffer: self.weights, value });
        block
    }

    /// Selects a block by number.
    fn by_number(&mut self, counter: Local, blocks: Vec<Block>) -> Stmt {
        let on = self.state.kernel.get(counter);
        let cases = blocks.into_iter().enumerate().map(|(number, block)| (number as i64, block)).collect();
        Stmt::Switch { on, cases, default: Vec::new() }
    }
}

/// The alternatives of a participant grouped by offer, in order of first occurrence.
fn by_offer<'r, 'a>(ready: &'r [Ready<'a>]) -> Vec<Same<'r, 'a>> {
    let mut all: Vec<Same<'r, 'a>> = Vec::new();
    let mut numbers: FxHashMap<_, usize> = FxHashMap::default();
    for one in ready {
        match numbers.entry((&one.sorts, one.alternative.items())) {
            Entry::Occupied(same) => all[*same.get()].members.push(one),
            Entry::Vacant(new) => {
                new.insert(all.len());
                all.push(Same { members: vec![one] });
            }
        }
    }
    all
}
