//! Latencies: the stages of journeys, and what a process computes when they are over.

use super::lookup::{is_one_of, lookup};
use super::{Location, Lowering, View, Writes, transfer_kind};
use crate::machine::{Atomicity, Stage};
use crate::system::{NodeId, NodeKind, ProcessId};
use volvelle_diagnostics::Span;
use volvelle_kernel::{BinaryOp, ExprId};
use volvelle_model::SortId;

impl Lowering<'_> {
    /// The stages of all journeys of a process, by their numbers; the first has none.
    fn stages_of(&self, process: ProcessId) -> Vec<Vec<Stage>> {
        let of = self.of(process);
        let stages = |&journey: &_| self.machine.part(process, journey);
        let none = vec![Stage { mean: 1.0, goes_on: 0.0, station: None }];
        std::iter::once(none).chain(of.journeys.iter().map(stages)).collect()
    }

    /// The journey of a process, with its stage: one number for both, and how many there are.
    fn progress(&mut self, process: ProcessId) -> (ExprId, usize) {
        let of = self.of(process);
        let (journey, stage, most, count) = (of.journey, of.stage, of.most_stages, of.journeys.len() + 1);
        let journey = match journey {
            Some(field) => self.program.field(field),
            None => self.program.exprs.i64(0),
        };
        let Some(stage) = stage else { return (journey, count) };
        let stage = self.program.field(stage);
        let exprs = &mut self.program.exprs;
        let most_stages = exprs.i64(most as i64);
        let scaled = exprs.binary(BinaryOp::Mul, journey, most_stages);
        (exprs.binary(BinaryOp::Add, scaled, stage), count * most)
    }

    /// What a property of stages is for the journey and stage of a process.
    fn of_stage(&mut self, process: ProcessId, f: impl Fn(&Stage) -> i64) -> ExprId {
        let stages = self.stages_of(process);
        let most = self.of(process).most_stages;
        let (progress, count) = self.progress(process);
        let values = move |place: usize| stages[place / most].get(place % most).map_or(0, &f);
        lookup(&mut self.program.exprs, progress, count, values)
    }

    /// How many transfers are at the station of a process, itself included; 1 where it is at none.
    fn sharers(&mut self, process: ProcessId) -> ExprId {
        if self.machine.stations.is_empty() {
            return self.program.exprs.i64(1);
        }
        let station = |stage: &Stage| stage.station.map_or(0, |station| i64::from(station.0) + 1);
        let own = self.of_stage(process, station);
        let mut count = self.program.exprs.i64(1);
        for other in (0..self.system.processes.len() as u32).map(ProcessId).filter(|&other| other != process)
        {
            let theirs = self.of_stage(other, station);
            let exprs = &mut self.program.exprs;
            let together = exprs.binary(BinaryOp::Eq, own, theirs);
            let zero = exprs.i64(0);
            let somewhere = exprs.binary(BinaryOp::Ne, own, zero);
            let together = exprs.and(somewhere, together);
            let more = exprs.convert(volvelle_kernel::Type::I64, together);
            count = exprs.binary(BinaryOp::Add, count, more);
        }
        count
    }

    /// A latency, or a delay.
    pub fn waiting(&mut self, process: ProcessId, node: NodeId, again: bool) {
        let system = self.system;
        let of_node = &system.processes[process.index()].nodes[node.index()];
        let span = of_node.span;
        let location = if again { Location::WaitingAgain(node) } else { Location::Waiting(node) };
        let here = self.is_at(process, location);
        match &of_node.kind {
            NodeKind::Access(access) => {
                let next = access.next;
                let splits = self.machine.atomicity != Atomicity::Atomic;
                let then = if splits && !again { Location::Updating(node) } else { Location::Done(node) };
                if self.view == View::Interleaved {
                    self.latency_in_one(process, node, here, then, again);
                } else {
                    self.latency_in_stages(process, node, here, (then, next), span);
                }
            }
            NodeKind::Work(work, next) => {
                let exprs = &mut self.program.exprs;
                let number = exprs.i64(i64::from(work.0));
                let items = vec![self.process_item(process), (number, SortId::INTEGER)];
                let env = self.locals(process);
                let writes = self.zero_time(process, *next, env, true);
                let action = (self.action("WORK"), self.patient());
                self.step(process, action, here, items, writes, span);
            }
            other => unreachable!("{other:?} takes no time"),
        }
    }

    /// `LATENCY` as one step, after which the access ends or changes caches.
    fn latency_in_one(
        &mut self,
        process: ProcessId,
        node: NodeId,
        here: ExprId,
        then: Location,
        again: bool,
    ) {
        let span = self.system.processes[process.index()].nodes[node.index()].span;
        let journey = self.of(process).journey.expect("accesses have journeys");
        let journey = self.program.field(journey);
        let mut items = vec![self.process_item(process), self.variable_item(process, node)];
        items.push(self.transfer_item(process, journey));
        if self.machine.atomicity != Atomicity::Atomic {
            items.push((self.program.exprs.i64(1 + i64::from(again)), SortId::INTEGER));
        }
        let location = self.of(process).location;
        let mut writes = vec![(location, self.number(process, then))];
        if matches!(then, Location::Done(_)) {
            self.forget(process, &mut writes);
        }
        let action = (self.action("LATENCY"), self.patient());
        self.step(process, action, here, items, writes, span);
    }

    /// The variable of an access under way.
    fn variable_item(&mut self, process: ProcessId, node: NodeId) -> (ExprId, SortId) {
        let (access, _) = self.access_of(process, node);
        let value = match self.of(process).variable.filter(|_| !access.variable.indices.is_empty()) {
            Some(field) => {
                let one_more = self.program.field(field);
                let one = self.program.exprs.i64(1);
                self.program.exprs.binary(BinaryOp::Sub, one_more, one)
            }
            None => self.program.exprs.i64(i64::from(access.variable.base.0)),
        };
        (value, self.sorts.variable)
    }

    /// The transfer of a journey with its distance; without time, distances mean nothing.
    pub fn transfer_item(&mut self, process: ProcessId, journey: ExprId) -> (ExprId, SortId) {
        let of = self.of(process).journeys.clone();
        if matches!(self.view, View::Untimed { .. }) {
            let number = |place: usize| {
                let journey = place.checked_sub(1).and_then(|place| of.get(place));
                journey.map_or(0, |journey| i64::from(journey.transfer.0))
            };
            let value = lookup(&mut self.program.exprs, journey, of.len() + 1, number);
            return (value, self.sorts.transfer);
        }
        let number = |place: usize| {
            let journey = place.checked_sub(1).and_then(|place| of.get(place));
            journey.map_or(0, |&journey| transfer_kind(self.machine, process, journey) as i64)
        };
        let numbers: Vec<i64> = (0..=of.len()).map(number).collect();
        let value = lookup(&mut self.program.exprs, journey, numbers.len(), |place| numbers[place]);
        (value, self.sorts.transfer)
    }

    /// `LATENCY` where time passes: stage by stage. All values of labels are numbers: process, variable, node, journey, stage, how many
    /// transfers share the station, and whether the journey goes on.
    fn latency_in_stages(
        &mut self,
        process: ProcessId,
        node: NodeId,
        here: ExprId,
        (then, next): (Location, NodeId),
        span: Span,
    ) {
        let stages = self.stages_of(process);
        let of = self.of(process);
        let (journey, stage, most) = (of.journey.expect("accesses have journeys"), of.stage, of.most_stages);
        let journey_value = self.program.field(journey);
        let stage_value = match stage {
            Some(field) => self.program.field(field),
            None => self.program.exprs.i64(0),
        };
        let sharers = self.sharers(process);
        let (variable, _) = self.variable_item(process, node);
        let action = (self.action("LATENCY"), self.patient());
        let exprs = &mut self.program.exprs;
        let who = exprs.i64(i64::from(process.0));
        let site = exprs.i64(i64::from(node.0));
        let mut common = vec![who, variable, site, journey_value, stage_value, sharers];
        let to_items =
            |values: Vec<ExprId>| values.into_iter().map(|value| (value, SortId::INTEGER)).collect();
        let (progress, count) = self.progress(process);
        let stage_at = |place: usize| stages[place / most].get(place % most).copied();
        let goes_on = is_one_of(&mut self.program.exprs, progress, count, |p| {
            stage_at(p).is_some_and(|s| s.goes_on > 0.0)
        });
        let ends = is_one_of(&mut self.program.exprs, progress, count, |p| {
            stage_at(p).is_none_or(|s| s.goes_on < 1.0)
        });
        if let Some(field) = stage {
            let exprs = &mut self.program.exprs;
            let guard = exprs.and(here, goes_on);
            let one = exprs.i64(1);
            let following = exprs.binary(BinaryOp::Add, stage_value, one);
            let mut values = common.clone();
            values.push(one);
            self.step(process, action, guard, to_items(values), vec![(field, following)], span);
        }
        let exprs = &mut self.program.exprs;
        let guard = exprs.and(here, ends);
        common.push(exprs.i64(0));
        let writes = match then {
            Location::Updating(_) => {
                let mut writes = vec![(self.of(process).location, self.number(process, then))];
                writes.extend(stage.map(|field| (field, self.program.exprs.i64(0))));
                writes
            }
            _ => {
                let env = self.locals(process);
                let mut writes: Writes = self.zero_time(process, next, env, true);
                self.forget(process, &mut writes);
                writes
            }
        };
        self.step(process, action, guard, to_items(common), writes, span);
    }

    /// `END_ACTION`: the process computes.
    pub fn done(&mut self, process: ProcessId, node: NodeId) {
        let (access, span) = self.access_of(process, node);
        let here = self.is_at(process, Location::Done(node));
        let env = self.locals(process);
        let writes = self.zero_time(process, access.next, env, true);
        let action = (self.action("END_ACTION"), self.urgent(process));
        let items = vec![self.process_item(process)];
        self.step(process, action, here, items, writes, span);
    }
}
