//! `trace` and `notrace`: automata over what is sent and received.
//!
//! The state of the automaton is a global field. A send or receive on a channel that the automaton names in an event of that
//! kind moves it; where no event matches, a `trace` assertion is violated, and a `notrace` assertion can no more be. To come
//! to the end of a `notrace` assertion violates it. In a rendezvous the send comes first, then the receive, in one step.

use super::Lowering;
use super::flow::{Flow, Kind, NodeId, Work};
use super::statements::{Locations, locations};
use super::variables::Scope;
use crate::ast::{ExprKind, Place, StatementKind, Unit};
use rustc_hash::{FxHashMap, FxHashSet};
use volvelle_diagnostics::codes;
use volvelle_kernel::{BinaryOp as Op, Block, ExprId, FailKind, Site, Stmt};
use volvelle_model::{Domain, FieldId, Manner, Object, SiteSubject, Which};

/// What is wrong with a message, as a `trace` or `notrace` assertion has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventFault {
    /// No event of the `trace` assertion matches.
    Unexpected,
    /// All events of the `notrace` assertion happened.
    AllMatched,
    /// No step is possible any more, and the `trace` assertion is not at its end.
    Incomplete,
}

/// A message that moves an automaton.
#[derive(Clone, Debug, PartialEq)]
struct Event {
    sends: bool,
    /// Number of the channel.
    channel: i64,
    /// What the parts of the message must be; `None` is anything, as are those behind the last.
    parts: Vec<Option<i64>>,
    /// A state.
    target: i64,
    place: Place,
}

/// An automaton over messages.
#[derive(Clone, Debug)]
pub(super) struct Trace {
    /// Global field: the state.
    field: FieldId,
    negated: bool,
    /// Events of each state.
    states: Vec<Vec<Event>>,
    /// The state behind the last event; one that no event leads to, if there is none.
    end: i64,
}

impl Lowering<'_> {
    /// Declares the state of the automaton, if there is one.
    pub(super) fn trace_field(&mut self, place: Place) {
        if self.model.units.iter().any(|u| matches!(u, Unit::Trace { .. })) {
            let field = self.field(":event".into(), Domain::Int { lo: 0, hi: 0 }, None, 1, place);
            self.internal.event = Some(field);
        }
    }

    /// Whether messages move an automaton.
    pub(super) fn has_trace(&self) -> bool {
        self.trace.is_some()
    }

    /// Makes the automaton.
    pub(super) fn trace(&mut self) {
        let model = self.model;
        let Some(field) = self.internal.event else { return };
        let mut traces = model.units.iter().filter_map(|unit| match unit {
            Unit::Trace { negated, body, place, .. } => Some((*negated, body, *place)),
            _ => None,
        });
        let Some((negated, body, place)) = traces.next() else { return };
        if let Some((_, _, place)) = traces.next() {
            self.unsupported(place, "a second `trace` assertion", "there can be one; put both together");
        }
        let flow = self.flow(body, None, Vec::new(), place);
        let locations = locations(&flow);
        let mut states = Vec::new();
        let (mut end, mut ends) = (None, Vec::new());
        for (number, &node) in locations.nodes.iter().enumerate() {
            let info = flow.get(node);
            if matches!(info.kind, Kind::End) {
                end = Some(number as i64);
            }
            if info.is_end || matches!(info.kind, Kind::End) {
                ends.push(number as i64);
            }
            let events = self.events(&flow, &locations, node);
            self.check_deterministic(&events);
            states.push(events);
        }
        let end = end.unwrap_or(states.len() as i64);
        self.program.fields[field.index()].domain = Domain::Int { lo: 0, hi: states.len() as i64 };
        if !negated {
            self.completion(field, &ends, place);
        }
        self.trace = Some(Trace { field, negated, states, end });
    }

    /// Where nothing can move, the automaton is to be at an end; SPIN asks for that only where processes are left.
    fn completion(&mut self, field: FieldId, ends: &[i64], place: Place) {
        let state = self.program.field(field);
        let count = self.program.field(self.internal.processes);
        let e = &mut self.program.exprs;
        let zero = e.i64(0);
        let mut good = e.binary(Op::Eq, count, zero);
        for &end in ends {
            let end = e.i64(end);
            let here = e.binary(Op::Eq, state, end);
            good = e.or(good, here);
        }
        let site = self.event_site(EventFault::Incomplete, place);
        self.program.network.completion = Some((good, site));
    }

    fn event_site(&mut self, fault: EventFault, place: Place) -> Site {
        let site = self.site(FailKind::Assertion, SiteSubject::Assertion, place);
        self.event_sites.insert(site.0, fault);
        site
    }

    /// The events that may come first at a node.
    fn events(&mut self, flow: &Flow<'_>, locations: &Locations, node: NodeId) -> Vec<Event> {
        let (mut stack, mut seen) = (vec![node], FxHashSet::default());
        let mut events = Vec::new();
        while let Some(node) = stack.pop() {
            if !seen.insert(node) {
                continue;
            }
            let info = flow.get(node);
            if !info.escapes.is_empty() {
                self.no_event(info.place);
                continue;
            }
            match &info.kind {
                // From the last to the first, as a stack wants them.
                Kind::Choice(options) => stack.extend(options.iter().rev()),
                Kind::Into(first) | Kind::Guarded(first) => stack.push(*first),
                Kind::Jump(next) => stack.push(flow.resolve(*next)),
                Kind::End => {}
                Kind::Basic { work: Work::Statement(statement), next, .. } => {
                    let target = i64::from(locations.numbers[&flow.resolve(*next)]);
                    events.extend(self.event(&statement.kind, target, info.place));
                }
                Kind::Basic { .. } => self.no_event(info.place),
            }
        }
        events
    }

    fn no_event(&mut self, place: Place) {
        let help = "state it as an assertion, or in an `ltl` formula";
        let message = "a `trace` assertion has sends and receives only";
        self.error(codes::TYPE_MISMATCH, message, place, help);
    }

    fn event(&mut self, kind: &StatementKind, target: i64, place: Place) -> Option<Event> {
        let (sends, channel, args) = match kind {
            StatementKind::Send { channel, args, .. } => (true, *channel, args),
            StatementKind::Receive { channel, args, keep: false, .. } => (false, *channel, args),
            _ => {
                self.no_event(place);
                return None;
            }
        };
        let value = self.expr(&Scope::global(), channel)?;
        let known = self.program.exprs.as_const(value.id).and_then(|c| c.as_i64());
        let Some(channel) = known.filter(|&n| n >= 1) else {
            let help = "name a global variable that is a channel from the beginning and is never assigned";
            let place = self.place(channel);
            self.error(
                codes::TYPE_MISMATCH,
                "an event names a channel that is known beforehand",
                place,
                help,
            );
            return None;
        };
        let mut parts = Vec::with_capacity(args.len());
        for &arg in args {
            let inner = match &self.model.exprs.get(arg).kind {
                ExprKind::Eval(inner) => *inner,
                _ => arg,
            };
            let any = matches!(&self.model.exprs.get(inner).kind, ExprKind::Name(n) if n.text == "_");
            match self.constant(inner) {
                _ if any => parts.push(None),
                Some(value) => parts.push(Some(value)),
                None => {
                    let place = self.place(arg);
                    let message = "an event has constants and `_` only";
                    self.error(codes::NOT_CONSTANT, message, place, "`_` stands for any value");
                    return None;
                }
            }
        }
        Some(Event { sends, channel, parts, target, place })
    }

    /// Complains of two events of a state that the same message matches.
    fn check_deterministic(&mut self, events: &[Event]) {
        for (i, a) in events.iter().enumerate() {
            for b in &events[i + 1..] {
                let differ = |(x, y): (&Option<i64>, &Option<i64>)| x.is_some() && y.is_some() && x != y;
                let apart = a.parts.iter().zip(&b.parts).any(differ);
                if a.sends == b.sends && a.channel == b.channel && !apart && a.target != b.target {
                    let help = "which of them was meant decides what may follow: put them together";
                    let message = "the same message matches another event, too";
                    self.error(codes::TYPE_MISMATCH, message, b.place, help);
                }
            }
        }
    }

    /// What moves the automaton when a message is sent or received. `number` is that of the channel, `known` too where it is
    /// known beforehand.
    pub(super) fn observed(
        &mut self,
        sends: bool,
        (number, known): (ExprId, Option<i64>),
        message: &[ExprId],
        place: Place,
    ) -> Block {
        let Some(trace) = self.trace.clone() else { return Vec::new() };
        let meant = |e: &&Event| e.sends == sends && known.is_none_or(|n| n == e.channel);
        let mut channels: Vec<i64> = trace.states.iter().flatten().filter(meant).map(|e| e.channel).collect();
        channels.sort_unstable();
        channels.dedup();
        if channels.is_empty() {
            return Vec::new();
        }
        let event = Object::Field(trace.field, Which::Constant(0));
        self.touch(event, Manner::Read);
        self.touch(event, Manner::Write);
        let fault = if trace.negated { EventFault::AllMatched } else { EventFault::Unexpected };
        let site = self.event_site(fault, place);
        let go = |this: &mut Self, target: i64| {
            let value = this.program.exprs.i64(target);
            this.program.set(volvelle_model::Place::Field(trace.field), value)
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
        let on = self.program.field(trace.field);
        let moves = Stmt::Switch { on, cases, default: miss };
        if known.is_some() {
            return vec![moves];
        }
        let mut cond = self.program.exprs.bool(false);
        for channel in channels {
            let e = &mut self.program.exprs;
            let channel = e.i64(channel);
            let same = e.binary(Op::Eq, number, channel);
            cond = e.or(cond, same);
        }
        vec![Stmt::If { cond, then: vec![moves], otherwise: vec![] }]
    }

    /// Whether a message is the one of an event (`bool`).
    fn matching(&mut self, event: &Event, number: ExprId, known: Option<i64>, message: &[ExprId]) -> ExprId {
        let e = &mut self.program.exprs;
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

/// Sites of events, with what is wrong there.
pub(super) type EventSites = FxHashMap<u32, EventFault>;
