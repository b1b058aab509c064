//! Synchronisations whose participants exchange values.
//!
//! A small number of fitting combinations of alternatives is multiplied out in the code; a large number is
//! run through in loops (`negotiate_loops`). Each combination first tests guards that read no exchanged
//! value. Then it binds every value: to the given value, or in a loop over all values that the takers allow.
//! Then it tests the guards that read values, and performs the step. So nothing of an offer is evaluated
//! unless the participants are enabled. Choices are ordered by alternatives, then by values; the first one
//! varies slowest.

use super::builder::Builder;
use super::{KernelError, label};
use crate::ids::{ActionId, SortId};
use crate::offers::Item;
use crate::places::Place;
use crate::steps::{Alternative, Participant};
use volvelle_kernel::{BinaryOp, Block, Const, ExprId, Local, Node, Stmt, Type};

/// Number of combinations up to which loops do not pay.
const FEW_COMBINATIONS: usize = 24;

/// Limit of fitting combinations of alternatives that are multiplied out in the code.
pub(super) const MOST_COMBINATIONS: usize = 1 << 12;

/// Limit of possible values of negotiated items (given by no participant).
pub(super) const MOST_VALUES: i128 = 1 << 24;

/// An alternative with its guard split in two.
#[derive(Clone)]
pub(super) struct Ready<'a> {
    pub alternative: &'a Alternative,
    /// The conjuncts that read no exchanged value; `after` has the others.
    pub before: ExprId,
    pub after: ExprId,
    pub sorts: Vec<SortId>,
}

/// A combination under construction.
struct Combination<'a> {
    group: usize,
    action: ActionId,
    chosen: Vec<Ready<'a>>,
    /// Number of combinations made so far.
    made: usize,
}

impl Builder<'_> {
    /// The steps of a group whose participants exchange values.
    pub fn negotiated(
        &mut self,
        group: usize,
        action: ActionId,
        participants: &[&Participant],
    ) -> Result<Block, KernelError> {
        if self.state.offered.len() > label::MOST_VALUES {
            return Err(KernelError::TooManyOffers { group });
        }
        let ready: Vec<Vec<Ready<'_>>> =
            participants.iter().map(|p| p.alternatives.iter().map(|a| self.ready(a)).collect()).collect();
        let combinations = ready.iter().map(Vec::len).fold(1usize, usize::saturating_mul);
        let is_long = combinations > FEW_COMBINATIONS || self.options.dynamic_only;
        if is_long && self.may_loop(&ready) {
            return self.negotiated_in_loops(group, action, &ready);
        }
        self.fitting(&mut Combination { group, action, chosen: Vec::new(), made: 0 }, &ready)
    }

    fn ready<'a>(&mut self, alternative: &'a Alternative) -> Ready<'a> {
        let program = self.state.program;
        let truth = self.state.exprs().bool(true);
        let (mut before, mut after) = (truth, truth);
        let mut conjuncts = vec![alternative.guard];
        while let Some(conjunct) = conjuncts.pop() {
            if let Node::And { lhs, rhs } = program.exprs.node(conjunct) {
                conjuncts.extend([rhs, lhs]);
                continue;
            }
            let mut needed = program.needed([conjunct]).into_iter();
            let reads_offer = needed
                .any(|id| matches!(program.place_read(&program.exprs.node(id)), Some(Place::Offered(_))));
            // A conjunct may only be evaluated where those before it hold, so their order is kept.
            let part = if reads_offer || after != truth { &mut after } else { &mut before };
            *part = self.state.exprs().and(*part, conjunct);
        }
        Ready { alternative, before, after, sorts: program.item_sorts(alternative) }
    }

    /// The combinations of the chosen alternatives with those of the remaining participants. Recursion is as
    /// deep as there are participants: see `MAX_PARTICIPANTS`.
    fn fitting<'a>(
        &mut self,
        combination: &mut Combination<'a>,
        left: &[Vec<Ready<'a>>],
    ) -> Result<Block, KernelError> {
        let Some((alternatives, rest)) = left.split_first() else { return self.bound(combination) };
        let mut block = Vec::new();
        for ready in alternatives {
            if combination.chosen.first().is_some_and(|first| first.sorts != ready.sorts) {
                continue;
            }
            combination.chosen.push(ready.clone());
            let inner = self.fitting(combination, rest);
            combination.chosen.pop();
            let inner = inner?;
            if !inner.is_empty() {
                block.extend(self.when(ready.before, inner));
            }
        }
        Ok(block)
    }

    /// A combination, with its values.
    fn bound(&mut self, combination: &mut Combination<'_>) -> Result<Block, KernelError> {
        combination.made += 1;
        if combination.made > MOST_COMBINATIONS {
            return Err(KernelError::TooManyOffers { group: combination.group });
        }
        let chosen: Vec<&Alternative> = combination.chosen.iter().map(|ready| ready.alternative).collect();
        let mut cond = self.state.exprs().bool(true);
        for ready in &combination.chosen {
            cond = self.state.exprs().and(cond, ready.after);
        }
        let steps = self.choice(combination.group, combination.action, &chosen);
        let mut block = self.when(cond, steps);
        let mut tried = 1i128;
        for k in (0..chosen[0].items().len()).rev() {
            let local = self.state.offered[k];
            let items = chosen.iter().map(|a| a.items()[k]);
            block = self.bind(local, items, block, &mut tried);
            if tried > MOST_VALUES {
                return Err(KernelError::TooManyValues { group: combination.group });
            }
        }
        Ok(block)
    }

    /// Runs `inner` for the given value, if it is the same everywhere and all takers allow it; or for each
    /// value that they allow. `tried` is multiplied by the number of these.
    pub(super) fn bind(
        &mut self,
        local: Local,
        items: impl Iterator<Item = Item>,
        inner: Block,
        tried: &mut i128,
    ) -> Block {
        let (mut lo, mut hi) = (i64::MIN, i64::MAX);
        let mut given = Vec::new();
        for item in items {
            match item {
                Item::Give(value) => given.push(self.state.exprs().convert(Type::I64, value)),
                Item::Take(sort) => (lo, hi) = (lo.max(sort.bounds().0), hi.min(sort.bounds().1)),
            }
        }
        let e = self.state.exprs();
        let (from, to) = (e.i64(lo), e.i64(hi));
        let Some((&first, others)) = given.split_first() else {
            *tried = tried.saturating_mul((i128::from(hi) - i128::from(lo) + 1).max(0));
            let past = e.i64(hi.saturating_add(1));
            return if lo <= hi {
                vec![Stmt::For { local, from, to: past, body: inner }]
            } else {
                Vec::new()
            };
        };
        let value = e.local(local, Type::I64);
        let mut cond = e.bool(true);
        for &other in others {
            let same = e.binary(BinaryOp::Eq, value, other);
            cond = e.and(cond, same);
        }
        if lo > i64::MIN {
            let enough = e.binary(BinaryOp::Ge, value, from);
            cond = e.and(cond, enough);
        }
        if hi < i64::MAX {
            let not_more = e.binary(BinaryOp::Le, value, to);
            cond = e.and(cond, not_more);
        }
        if e.as_const(cond).and_then(Const::as_bool) == Some(false) {
            return Vec::new();
        }
        let mut block = vec![Stmt::Set { local, value: first }];
        block.extend(self.when(cond, inner));
        block
    }
}
