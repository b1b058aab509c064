//! Takes consecutive steps of an atomic sequence at once, as long as there is no choice between steps.
//!
//! If a process with exclusive control has a single step, searches do not need the state in between: it is
//! neither stored nor observed, and its successor is computed in place. Guards after the first are evaluated
//! in the state under construction. Where no guard holds, and at a choice, a handshake or an assertion, the
//! process stops, and the next statement is a step of its own. [`super::run_on`] handles loops.

use super::access::{Version, Who};
use super::builder::Builder;
use crate::ids::LocationId;
use crate::network::Condition;
use crate::places::Place;
use crate::program::SiteSubject;
use crate::steps::Alternative;
use volvelle_kernel::{Block, ExprId, Stmt};

/// Limit of steps that follow a transition, over all branches.
const MOST_STEPS: usize = 12;

impl<'a> Builder<'a> {
    /// The effect of a transition with this number and of the steps that follow it, including the record of
    /// the step.
    pub(super) fn follow(&mut self, alternative: &'a Alternative, number: u32) -> Block {
        let step = self.step_of(number, alternative.then_exclusive());
        let mut chain = Vec::new();
        let mut left = if self.is_fusing && !self.is_counting { MOST_STEPS } else { 0 };
        self.go_on(alternative, number, Some(step), &mut chain, &mut left)
    }

    fn go_on(
        &mut self,
        alternative: &'a Alternative,
        number: u32,
        step: Option<ExprId>,
        chain: &mut Vec<LocationId>,
        left: &mut usize,
    ) -> Block {
        let context = (Version::Target, Who::Mover);
        let mut block = self.block(alternative.effect(), context, step);
        let target = alternative.target();
        let choices = match self.choices(alternative) {
            Some(choices) if choices.len() <= *left && !chain.contains(&target) => choices,
            found => {
                if found.is_some() && self.is_fusing {
                    self.entries.insert(target);
                }
                block.extend(self.stay(target, alternative.then_exclusive(), number));
                return block;
            }
        };
        *left -= choices.len();
        chain.push(target);
        let mut otherwise = self.stay(target, true, number);
        let mut branches = Vec::with_capacity(choices.len());
        for choice in choices {
            let cond = self.access.expr(choice.guard, context);
            let then = match asserts(self, choice.effect()) {
                true => self.stay(target, true, number),
                false => self.go_on(choice, number, None, chain, left),
            };
            branches.push((cond, then));
        }
        chain.pop();
        for (cond, then) in branches.into_iter().rev() {
            otherwise = self.branch(cond, then, otherwise);
        }
        block.extend(otherwise);
        block
    }

    /// The end of a step.
    fn stay(&mut self, target: LocationId, atomic: bool, number: u32) -> Block {
        let mut block = Vec::new();
        if target != LocationId::NOWHERE {
            let target = self.access.exprs().i64(i64::from(target.0));
            block.extend(self.move_to(Who::Mover, target));
        }
        block.extend(self.bookkeeping(Who::Mover, atomic));
        let step = self.step_of(number, atomic);
        block.push(Stmt::Emit { buffer: self.steps, value: step });
        block
    }

    pub(super) fn branch(&mut self, cond: ExprId, then: Block, otherwise: Block) -> Block {
        match self.access.exprs().as_const(cond).and_then(|c| c.as_bool()) {
            Some(true) => then,
            Some(false) => otherwise,
            None => vec![Stmt::If { cond, then, otherwise }],
        }
    }

    /// The transitions after an atomic one, of which only the first enabled one can happen. `None` if there
    /// is a choice, or nothing to follow.
    pub(super) fn choices(&self, alternative: &'a Alternative) -> Option<Vec<&'a Alternative>> {
        if !alternative.then_exclusive()
            || alternative.target() == LocationId::NOWHERE
            || asserts(self, alternative.effect())
        {
            return None;
        }
        self.choices_at(alternative.target())
    }

    /// Like [`Builder::choices`], for a location.
    pub(super) fn choices_at(&self, location: LocationId) -> Option<Vec<&'a Alternative>> {
        let program = self.program();
        let network = &program.network;
        if network.has_remote_reads || network.last.is_some() || network.priority.is_some() {
            return None;
        }
        let has_guard =
            network.type_of(location).is_some_and(|process| network.types[process].guard.is_some());
        let location = &network.locations[location.index()];
        if location.blocks.is_empty() || location.is_observed || has_guard {
            return None;
        }
        let mut choices = Vec::with_capacity(location.blocks.len());
        for (at, block) in location.blocks.iter().enumerate() {
            let [only] = &block.alternatives[..] else { return None };
            let waits = at == 0 || block.condition == Condition::NothingBefore;
            if block.is_escape || !waits || only.offer.is_some() || self.asks_for_timeout(only.guard) {
                return None;
            }
            choices.push(only);
        }
        Some(choices)
    }

    fn asks_for_timeout(&self, guard: ExprId) -> bool {
        let program = self.program();
        let mut stack = vec![guard];
        while let Some(id) = stack.pop() {
            let node = program.exprs.node(id);
            if program.place_read(&node) == Some(Place::Timeout) {
                return true;
            }
            program.each_operand(&node, |operand| stack.push(operand));
        }
        false
    }
}

/// Whether an effect contains assertions.
fn asserts(builder: &Builder<'_>, block: &Block) -> bool {
    may_fail(builder, block, &|subject| matches!(subject, SiteSubject::Assertion))
}

/// Whether an effect may fail at sites of certain subjects. Recursion is as deep as blocks nest, which front
/// ends limit.
pub(super) fn may_fail(builder: &Builder<'_>, block: &Block, at: &dyn Fn(&SiteSubject) -> bool) -> bool {
    block.iter().any(|statement| match statement {
        Stmt::Fail { site } => at(&builder.program().sites[site.index()].subject),
        Stmt::If { then, otherwise, .. } => may_fail(builder, then, at) || may_fail(builder, otherwise, at),
        Stmt::For { body, .. } => may_fail(builder, body, at),
        Stmt::Machine { blocks, .. } => blocks.iter().any(|block| may_fail(builder, block, at)),
        Stmt::Switch { cases, default, .. } => {
            cases.iter().any(|(_, case)| may_fail(builder, case, at)) || may_fail(builder, default, at)
        }
        _ => false,
    })
}
