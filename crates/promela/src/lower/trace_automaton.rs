//! The automaton of a trace assertion, from its text.

use super::builder::Builder;
use super::code::{Code, Context};
use super::environment::Environment;
use super::flow::{Flow, Kind, NodeId, Work, flow};
use super::locations::{Locations, locations};
use super::symbols::{LocalNames, Scope};
use super::trace::{Event, Trace, TraceViolation};
use crate::ast::{ExprKind, Place, StatementKind, Unit};
use rustc_hash::FxHashSet;
use volvelle_diagnostics::codes;
use volvelle_kernel::BinaryOp as Op;
use volvelle_model::{Domain, FieldId};

/// The automaton of the trace assertion of a model, if there is one.
pub(super) fn trace_automaton<'a>(env: &Environment<'a>, out: &mut Builder<'a>) -> Option<Trace> {
    Automaton { env, out }.trace(env.fields.trace?)
}

/// The automaton in the making.
struct Automaton<'e, 'a> {
    env: &'e Environment<'a>,
    out: &'e mut Builder<'a>,
}

impl Automaton<'_, '_> {
    fn trace(&mut self, field: FieldId) -> Option<Trace> {
        let model = self.env.model;
        let mut traces = model.units.iter().filter_map(|unit| match unit {
            Unit::Trace { negated, body, place, .. } => Some((*negated, body, *place)),
            _ => None,
        });
        let (negated, body, place) = traces.next()?;
        if let Some((_, _, place)) = traces.next() {
            self.out.reports.unsupported(
                place,
                "a second `trace` assertion",
                "there can be only one; combine them",
            );
        }
        let flow = flow(self.env, &mut self.out.reports, body, None, LocalNames::default(), place);
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
        self.out.program.fields[field.index()].domain = Domain::Int { lo: 0, hi: states.len() as i64 };
        if !negated {
            self.completion(field, &ends, place);
        }
        Some(Trace { field, negated, states, end })
    }

    /// The automaton must be at an end where nothing can move; SPIN requires that only where processes are left.
    fn completion(&mut self, field: FieldId, ends: &[i64], place: Place) {
        let state = self.out.program.field(field);
        let count = self.out.program.field(self.env.fields.processes);
        let e = &mut self.out.program.exprs;
        let zero = e.i64(0);
        let mut good = e.binary(Op::Eq, count, zero);
        for &end in ends {
            let end = e.i64(end);
            let here = e.binary(Op::Eq, state, end);
            good = e.or(good, here);
        }
        let site = self.out.trace_site(TraceViolation::Incomplete, place);
        self.out.program.network.completion = Some((good, site));
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
                self.not_an_event(info.place);
                continue;
            }
            match &info.kind {
                // From the last to the first: a stack reverses them.
                Kind::Choice(options) => stack.extend(options.iter().rev()),
                Kind::Into(first) | Kind::Guarded(first) => stack.push(*first),
                Kind::Jump(next) => stack.push(flow.resolve(*next)),
                Kind::End => {}
                Kind::Basic { work: Work::Statement(statement), next, .. } => {
                    let target = i64::from(locations.numbers[&flow.resolve(*next)]);
                    events.extend(self.event(&statement.kind, target, info.place));
                }
                Kind::Basic { .. } => self.not_an_event(info.place),
            }
        }
        events
    }

    /// Reports a statement that is no event.
    fn not_an_event(&mut self, place: Place) {
        let help = "write it as an assertion or in an `ltl` formula";
        let message = "a `trace` assertion can contain only sends and receives";
        self.out.reports.error(codes::TYPE_MISMATCH, message, place, help);
    }

    /// The event that a send or receive is.
    fn event(&mut self, kind: &StatementKind, target: i64, place: Place) -> Option<Event> {
        let (sends, channel, args) = match kind {
            StatementKind::Send { channel, args, .. } => (true, *channel, args),
            StatementKind::Receive { channel, args, keep: false, .. } => (false, *channel, args),
            _ => {
                self.not_an_event(place);
                return None;
            }
        };
        let scope = Scope::global();
        let value = Code::new(self.env, self.out, place).expr(Context::of(&scope), channel)?;
        let known = self.out.program.exprs.as_const(value.id).and_then(|c| c.as_i64());
        let Some(channel) = known.filter(|&n| n >= 1) else {
            let help = "use a global channel that is initialised in its declaration and never assigned";
            let place = self.env.place(channel);
            self.out.reports.error(codes::TYPE_MISMATCH, "an event must name a fixed channel", place, help);
            return None;
        };
        let mut parts = Vec::with_capacity(args.len());
        for &arg in args {
            let inner = match &self.env.model.exprs.get(arg).kind {
                ExprKind::Eval(inner) => *inner,
                _ => arg,
            };
            let any = matches!(&self.env.model.exprs.get(inner).kind, ExprKind::Name(n) if n.text == "_");
            match self.env.constant(inner) {
                _ if any => parts.push(None),
                Some(value) => parts.push(Some(value)),
                None => {
                    let place = self.env.place(arg);
                    let message = "an event can contain only constants and `_`";
                    self.out.reports.error(codes::NOT_CONSTANT, message, place, "`_` matches any value");
                    return None;
                }
            }
        }
        Some(Event { sends, channel, parts, target, place })
    }

    /// Reports two events of a state that the same message matches.
    fn check_deterministic(&mut self, events: &[Event]) {
        for (i, a) in events.iter().enumerate() {
            for b in &events[i + 1..] {
                let differ = |(x, y): (&Option<i64>, &Option<i64>)| x.is_some() && y.is_some() && x != y;
                let apart = a.parts.iter().zip(&b.parts).any(differ);
                if a.sends == b.sends && a.channel == b.channel && !apart && a.target != b.target {
                    let help = "the matched event determines what may follow: combine the events";
                    let message = "the same message also matches another event";
                    self.out.reports.error(codes::TYPE_MISMATCH, message, b.place, help);
                }
            }
        }
    }
}
