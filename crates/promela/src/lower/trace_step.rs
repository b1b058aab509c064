//! Transitions of the trace automaton, as parts of sends and receives.

use super::code::Code;
use super::trace::{Event, TraceViolation};
use crate::ast::Place;
use volvelle_kernel::{BinaryOp as Op, Block, ExprId, Stmt};
use volvelle_model::{AccessMode, SharedResource, Which};

impl Code<'_, '_> {
    /// The block that takes the transition of the automaton where a message is sent or received. `number` is that of the
    /// channel, and so is `known`, where it is constant.
    pub(super) fn observed(
        &mut self,
        sends: bool,
        (number, known): (ExprId, Option<i64>),
        message: &[ExprId],
        place: Place,
    ) -> Block {
        let Some(trace) = self.env.trace.clone() else { return Vec::new() };
        let meant = |e: &&Event| e.sends == sends && known.is_none_or(|n| n == e.channel);
        let mut channels: Vec<i64> = trace.states.iter().flatten().filter(meant).map(|e| e.channel).collect();
        channels.sort_unstable();
        channels.dedup();
        if channels.is_empty() {
            return Vec::new();
        }
        let event = SharedResource::Field(trace.field, Which::Constant(0));
        self.access_to(event, AccessMode::Read);
        self.access_to(event, AccessMode::Write);
        let fault = if trace.negated { TraceViolation::AllMatched } else { TraceViolation::Unexpected };
        let site = self.out.trace_site(fault, place);
        let go = |this: &mut Self, target: i64| {
            let value = this.out.program.exprs.i64(target);
            this.out.program.set(volvelle_model::Place::Field(trace.field), value)
        };
        let miss: Block = match trace.negated {
            true => vec![go(self, trace.end)],
            false => vec![Stmt::Fail { site }],
        };
        let mut cases = Vec::new();
        for (state, events) in trace.states.iter().enumerate() {
            let mut block = miss.clone();
            for event in events.iter().rev().filter(meant) {
                let cond = self.matching(event, number, known, message);
                let mut then = vec![go(self, event.target)];
                if trace.negated && event.target == trace.end {
                    then.push(Stmt::Fail { site });
                }
                block = vec![Stmt::If { cond, then, otherwise: block }];
            }
            if block != miss {
                cases.push((state as i64, block));
            }
        }
        let on = self.out.program.field(trace.field);
        let moves = Stmt::Switch { on, cases, default: miss };
        if known.is_some() {
            return vec![moves];
        }
        let mut cond = self.out.program.exprs.bool(false);
        for channel in channels {
            let e = &mut self.out.program.exprs;
            let channel = e.i64(channel);
            let same = e.binary(Op::Eq, number, channel);
            cond = e.or(cond, same);
        }
        vec![Stmt::If { cond, then: vec![moves], otherwise: vec![] }]
    }

    /// Whether a message is the one of an event (`bool`).
    fn matching(&mut self, event: &Event, number: ExprId, known: Option<i64>, message: &[ExprId]) -> ExprId {
        let e = &mut self.out.program.exprs;
        let mut cond = e.bool(true);
        if known.is_none() {
            let channel = e.i64(event.channel);
            cond = e.binary(Op::Eq, number, channel);
        }
        for (part, &value) in event.parts.iter().zip(message) {
            if let Some(part) = part {
                let part = e.i64(*part);
                let same = e.binary(Op::Eq, value, part);
                cond = e.and(cond, same);
            }
        }
        cond
    }
}
