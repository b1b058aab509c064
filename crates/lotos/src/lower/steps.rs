//! The steps of units, location by location.

use super::config::{Config, Frame};
use super::initial::{Initial, Signal};
use super::network::{At, ForkId, LocationId, UnitId};
use super::units::Writes;
use super::{Lowering, Reported};
use crate::core::NodeKind;
use crate::data::SortId;
use volvelle_kernel::{BinaryOp, ExprId};
use volvelle_model::{Alternative, Assignment, Item, Offer, Origin, Outcome, SortId as ModelSort, Weight};

/// Alternatives of a unit with one signal, in the order of its locations.
pub(super) type Signals = Vec<(Signal, Vec<Alternative>)>;

/// The steps of all units.
#[derive(Debug, Default)]
pub(super) struct Steps {
    /// By unit. For ends, what the unit does where others end with it.
    pub own: Vec<Signals>,
    /// By fork: what the unit above it does when all below have ended.
    pub consumers: Vec<Vec<Alternative>>,
    /// By fork: locations in which its end is also that of the unit above it.
    pub waiting: Vec<Vec<LocationId>>,
}

impl Steps {
    /// Room for units and forks that were made since.
    fn grow(&mut self, units: usize, forks: usize) {
        self.own.resize_with(self.own.len().max(units), Vec::new);
        self.consumers.resize_with(self.consumers.len().max(forks), Vec::new);
        self.waiting.resize_with(self.waiting.len().max(forks), Vec::new);
    }

    fn add(&mut self, unit: UnitId, signal: Signal, alternative: Alternative) {
        let all = &mut self.own[unit];
        match all.iter_mut().find(|(known, _)| *known == signal) {
            Some((_, alternatives)) => alternatives.push(alternative),
            None => all.push((signal, vec![alternative])),
        }
    }

    /// The alternatives of a unit with a signal.
    pub fn of(&self, unit: UnitId, signal: Signal) -> Option<&Vec<Alternative>> {
        self.own[unit].iter().find(|(known, _)| *known == signal).map(|(_, alternatives)| alternatives)
    }
}

impl Lowering<'_> {
    /// The steps from all locations that are met.
    pub fn steps(&mut self) -> Result<Steps, Reported> {
        let mut steps = Steps::default();
        while let Some(location) = self.todo.pop_front() {
            self.steps_from(location, &mut steps)?;
            steps.grow(self.units.len(), self.forks.len());
        }
        steps.grow(self.units.len(), self.forks.len());
        Ok(steps)
    }

    fn steps_from(&mut self, location: LocationId, steps: &mut Steps) -> Result<(), Reported> {
        steps.grow(self.units.len(), self.forks.len());
        let (env, frames) = self.environment(location);
        let at = self.locations[location].key.at.clone();
        if let At::Node(node) = at {
            for first in self.initials(&Config::Term(node, env), &mut Vec::new())? {
                self.step(location, first, &frames, steps)?;
            }
        }
        if let At::Fork(fork) = at {
            self.end_of_fork(location, fork, &frames, steps)?;
        }
        let core = self.core;
        for k in 0..frames.len() {
            if let NodeKind::Disable { right, .. } = core.nodes[frames[k].node].kind {
                let right = Config::Term(right, frames[k].env.clone());
                for first in self.initials(&right, &mut Vec::new())? {
                    self.step(location, first, &frames[..k], steps)?;
                }
            }
        }
        Ok(())
    }

    /// The innermost `>>` of some frames.
    fn enabling(&self, frames: &[Frame]) -> Option<usize> {
        let is_enable = |frame: &Frame| matches!(self.core.nodes[frame.node].kind, NodeKind::Enable { .. });
        frames.iter().rposition(is_enable)
    }

    fn step(
        &mut self,
        location: LocationId,
        first: Initial,
        frames: &[Frame],
        steps: &mut Steps,
    ) -> Result<(), Reported> {
        let unit = self.locations[location].key.unit;
        let mut writes = Writes::default();
        let Initial { mut signal, guard, mut items, next, node } = first;
        if signal == Signal::Ended {
            match self.enabling(frames) {
                Some(at) => {
                    let (next, open) = self.continuation(frames[at].node, &frames[at].env, &items);
                    (signal, items) = (Signal::Internal, open);
                    self.enter(unit, &next, frames[..at].to_vec(), &mut writes)?;
                }
                // Where the unit has others beside it in a fork, the unit above resets all of them.
                None if self.units[unit].fork.is_some() => {}
                None => self.enter(unit, &Config::Ended, Vec::new(), &mut writes)?,
            }
        } else {
            self.enter(unit, &next, frames.to_vec(), &mut writes)?;
        }
        if signal != Signal::Ended || self.units[unit].fork.is_none() {
            self.kill(location, &mut writes);
            self.leave(location, &mut writes);
        }
        let span = self.core.nodes[node].span;
        let alternative = self.alternative(location, guard, &items, writes, span);
        steps.grow(self.units.len(), self.forks.len());
        steps.add(unit, signal, alternative);
        Ok(())
    }

    /// What a unit does when all units of the fork below it have ended.
    fn end_of_fork(
        &mut self,
        location: LocationId,
        fork: ForkId,
        frames: &[Frame],
        steps: &mut Steps,
    ) -> Result<(), Reported> {
        let Some(at) = self.enabling(frames) else {
            steps.waiting[fork].push(location);
            return Ok(());
        };
        let core = self.core;
        let frame = frames[at].clone();
        let NodeKind::Enable { accept, .. } = &core.nodes[frame.node].kind else { return Ok(()) };
        let taken: Vec<(Item, SortId)> = accept
            .iter()
            .map(|&variable| {
                let sort = self.data.variables[variable].sort;
                (self.take(sort), sort)
            })
            .collect();
        let (next, items) = self.continuation(frame.node, &frame.env, &taken);
        let unit = self.locations[location].key.unit;
        let mut writes = Writes::default();
        self.enter(unit, &next, frames[..at].to_vec(), &mut writes)?;
        self.kill(location, &mut writes);
        self.leave(location, &mut writes);
        let truth = self.program.exprs.bool(true);
        let span = core.nodes[frame.node].span;
        let alternative = self.alternative(location, truth, &items, writes, span);
        steps.grow(self.units.len(), self.forks.len());
        steps.consumers[fork].push(alternative);
        Ok(())
    }

    /// What a unit does that ends with the fork below it: nothing, but at the top it ends.
    pub fn waiting(
        &mut self,
        location: LocationId,
        sorts: &[ModelSort],
        items: &[Item],
    ) -> Result<Alternative, Reported> {
        let unit = self.locations[location].key.unit;
        let mut writes = Writes::default();
        if self.units[unit].fork.is_none() {
            self.enter(unit, &Config::Ended, Vec::new(), &mut writes)?;
            self.kill(location, &mut writes);
            self.leave(location, &mut writes);
        }
        let truth = self.program.exprs.bool(true);
        let nowhere = self.nowhere;
        let mut alternative = self.alternative_at(location, truth, writes, nowhere);
        if !sorts.is_empty() {
            let items = items.iter().copied().zip(sorts.iter().copied());
            alternative.offer = Some(Offer::of_sorts(items));
        }
        Ok(alternative)
    }

    fn alternative(
        &mut self,
        location: LocationId,
        guard: ExprId,
        items: &[(Item, SortId)],
        writes: Writes,
        span: volvelle_diagnostics::Span,
    ) -> Alternative {
        let origin = self.origin(span);
        let mut alternative = self.alternative_at(location, guard, writes, origin);
        if !items.is_empty() {
            let items: Vec<(Item, ModelSort)> =
                items.iter().map(|&(item, sort)| (item, self.model_sort(sort))).collect();
            alternative.offer = Some(Offer::of_sorts(items));
        }
        alternative
    }

    fn alternative_at(
        &mut self,
        location: LocationId,
        guard: ExprId,
        writes: Writes,
        origin: Origin,
    ) -> Alternative {
        let unit = &self.units[self.locations[location].key.unit];
        let (field, number) = (unit.field, self.locations[location].number);
        let e = &mut self.program;
        let at = e.field(field);
        let number = e.exprs.i64(number);
        let here = e.exprs.binary(BinaryOp::Eq, at, number);
        let guard = e.exprs.and(here, guard);
        let mut writes: Vec<_> = writes.into_iter().collect();
        writes.sort_unstable_by_key(|&(field, _)| field);
        let mut assignments = Vec::with_capacity(writes.len());
        for (field, value) in writes {
            // What stays as it is needs no assignment.
            if self.program.field(field) == value {
                continue;
            }
            let site = self.assignment_site(field, origin);
            assignments.push(Assignment { field, value, site });
        }
        let outcome = Outcome::assigning(Weight::ONE, assignments, origin);
        Alternative::command(guard, vec![outcome], None, origin)
    }
}
