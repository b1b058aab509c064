//! Steps that take no time: marks, annotations, choices, heads of loops; and where a process begins to wait.

use super::expressions::Value;
use super::{Location, Lowering, View, Writes, label_name};
use crate::system::{ChannelReference, Event, Expr, Mistake, NodeId, NodeKind, ProcessId, Reference};
use volvelle_diagnostics::Span;
use volvelle_kernel::{BinaryOp, ExprId};
use volvelle_model::{ActionId, SortId};

impl Lowering<'_> {
    /// The steps of a process that is about to do a node.
    pub fn ready(&mut self, process: ProcessId, node: NodeId) {
        let system = self.system;
        let of_node = &system.processes[process.index()].nodes[node.index()];
        let span = of_node.span;
        match &of_node.kind {
            NodeKind::Access(_) => self.begin_access(process, node),
            NodeKind::Work(work, _) => {
                // Without time, or between all others, a delay is a step like an access.
                if matches!(self.view, View::Timed { .. }) {
                    let here = self.is_at(process, Location::Ready(node));
                    let writes =
                        vec![(self.of(process).location, self.number(process, Location::Waiting(node)))];
                    let action = (ActionId::SILENT, self.urgent(process));
                    self.step(process, action, here, Vec::new(), writes, span);
                } else {
                    let here = self.is_at(process, Location::Ready(node));
                    let NodeKind::Work(_, next) = &of_node.kind else { unreachable!("matched above") };
                    let number = self.program.exprs.i64(i64::from(work.0));
                    let items = vec![self.process_item(process), (number, SortId::INTEGER)];
                    let env = self.locals(process);
                    let writes = self.zero_time(process, *next, env, true);
                    let action = (self.action("WORK"), self.patient());
                    self.step(process, action, here, items, writes, span);
                }
            }
            NodeKind::Event(event, next) => self.event(process, node, event, *next, span),
            NodeKind::Choice(ways) => {
                for (number, &way) in ways.iter().enumerate() {
                    let here = self.is_at(process, Location::Ready(node));
                    let number = self.program.exprs.i64(number as i64 + 1);
                    let items = vec![self.process_item(process), (number, SortId::INTEGER)];
                    let env = self.locals(process);
                    let writes = self.zero_time(process, way, env, true);
                    let action = (self.action("CHOICE"), self.urgent(process));
                    self.step(process, action, here, items, writes, span);
                }
            }
            NodeKind::End => {}
            // The head of a loop.
            NodeKind::Assign(..) | NodeKind::Branch(..) | NodeKind::Assert(..) => {
                let here = self.is_at(process, Location::Ready(node));
                let env = self.locals(process);
                let writes = self.zero_time(process, node, env, false);
                let action = (ActionId::SILENT, self.urgent(process));
                self.step(process, action, here, Vec::new(), writes, span);
            }
        }
    }

    fn event(&mut self, process: ProcessId, node: NodeId, event: &Event, next: NodeId, span: Span) {
        match event {
            Event::Mark(mark) => {
                let here = self.is_at(process, Location::Ready(node));
                let name = label_name(&self.system.marks[mark.index()]);
                let items = vec![self.process_item(process)];
                let env = self.locals(process);
                let writes = self.zero_time(process, next, env, true);
                let action = (self.action(&name), self.urgent(process));
                self.step(process, action, here, items, writes, span);
            }
            Event::Enter(reference) => self.section(process, node, reference, next, true, span),
            Event::Leave(reference) => self.section(process, node, reference, next, false, span),
            Event::Sent(channel, content) => {
                self.message(process, node, (channel, content), next, true, span);
            }
            Event::Received(channel, content) => {
                self.message(process, node, (channel, content), next, false, span);
            }
        }
    }

    /// Entering or leaving a critical section.
    fn section(
        &mut self,
        process: ProcessId,
        node: NodeId,
        reference: &Reference,
        next: NodeId,
        enters: bool,
        span: Span,
    ) {
        let here = self.is_at(process, Location::Ready(node));
        let env = self.locals(process);
        let (variables, index) = self.resolved(reference.base.0, &reference.indices, &env);
        let class = self.urgent(process);
        self.bad_index(process, node, here, index, class);
        let own = self.program.exprs.i64(i64::from(process.0) + 1);
        for (variable, cond) in variables {
            let mut guard = self.program.exprs.and(here, cond);
            let mut writes = self.zero_time(process, next, env.clone(), true);
            if let Some(field) = self.fields.holders[variable as usize] {
                let holder = self.program.field(field);
                let exprs = &mut self.program.exprs;
                let zero = exprs.i64(0);
                let (wanted, mistake) =
                    if enters { (zero, Mistake::Exclusion) } else { (own, Mistake::NotInside) };
                let holds = exprs.binary(BinaryOp::Eq, holder, wanted);
                let fails = exprs.not(holds);
                let fails = exprs.and(guard, fails);
                guard = exprs.and(guard, holds);
                writes.push((field, if enters { own } else { zero }));
                self.fail(process, node, fails, mistake, class, span);
            }
            let exprs = &mut self.program.exprs;
            let variable = (exprs.i64(i64::from(variable)), self.sorts.variable);
            let items = vec![self.process_item(process), variable];
            let action = (self.action(if enters { "ENTER" } else { "LEAVE" }), class);
            self.step(process, action, guard, items, writes, span);
        }
    }

    /// Sending or receiving a message.
    fn message(
        &mut self,
        process: ProcessId,
        node: NodeId,
        (channel, content): (&ChannelReference, &Expr),
        next: NodeId,
        sends: bool,
        span: Span,
    ) {
        let here = self.is_at(process, Location::Ready(node));
        let env = self.locals(process);
        let (channels, index) = self.resolved(channel.base.0, &channel.indices, &env);
        let Value { value: content, exists } = self.value(content, &env);
        let class = self.urgent(process);
        self.bad_index(process, node, here, index, class);
        // A mistake in the index comes first.
        let found = self.program.exprs.and(index.exists, index.value);
        let here = self.program.exprs.and(here, found);
        let missing = self.program.exprs.not(exists);
        let missing = self.program.exprs.and(here, missing);
        self.fail(process, node, missing, Mistake::Arithmetic, class, span);
        for (channel, cond) in channels {
            let of = self.system.channels[channel as usize].clone();
            let exprs = &mut self.program.exprs;
            let guard = exprs.and(here, exists);
            let mut guard = exprs.and(guard, cond);
            let fits = if of.lo == of.hi {
                self.program.exprs.bool(true)
            } else {
                self.is_within_known(content, of.lo, of.hi)
            };
            let outside = self.program.exprs.not(fits);
            let outside = self.program.exprs.and(guard, outside);
            self.fail(process, node, outside, Mistake::Range, class, span);
            guard = self.program.exprs.and(guard, fits);
            let mut writes = self.zero_time(process, next, env.clone(), true);
            if self.fields.channels[channel as usize].is_some() {
                let (holds, mistake, more) = self.queue(channel as usize, content, of.capacity, sends);
                let exprs = &mut self.program.exprs;
                let fails = exprs.not(holds);
                let fails = exprs.and(guard, fails);
                guard = exprs.and(guard, holds);
                writes.extend(more);
                self.fail(process, node, fails, mistake, class, span);
            }
            let exprs = &mut self.program.exprs;
            let number = (exprs.i64(i64::from(channel)), self.sorts.channel);
            let mut items = vec![self.process_item(process), number];
            if of.lo < of.hi {
                items.push((content, SortId::INTEGER));
            }
            let action = (self.action(if sends { "SENT" } else { "RECEIVED" }), class);
            self.step(process, action, guard, items, writes, span);
        }
    }

    /// A message comes to the end of a queue, or is taken from its front, which has to have this content.
    fn queue(
        &mut self,
        channel: usize,
        content: ExprId,
        capacity: u32,
        sends: bool,
    ) -> (ExprId, Mistake, Writes) {
        let fields = self.fields.channels[channel].as_ref().expect("the channel is used");
        let (count_field, contents) = (fields.count, fields.contents.clone());
        let least = self.system.channels[channel].lo;
        let count = self.program.field(count_field);
        let one = self.program.exprs.i64(1);
        let mut writes = Writes::new();
        if sends {
            let exprs = &mut self.program.exprs;
            let full = exprs.i64(i64::from(capacity));
            let holds = exprs.binary(BinaryOp::Lt, count, full);
            writes.push((count_field, exprs.binary(BinaryOp::Add, count, one)));
            for (place, field) in contents.into_iter().enumerate() {
                let Some(field) = field else { continue };
                let present = self.program.field(field);
                let exprs = &mut self.program.exprs;
                let place = exprs.i64(place as i64);
                let is_here = exprs.binary(BinaryOp::Eq, count, place);
                writes.push((field, exprs.select(is_here, content, present)));
            }
            return (holds, Mistake::Overflow, writes);
        }
        let exprs = &mut self.program.exprs;
        let zero = exprs.i64(0);
        let mut holds = exprs.binary(BinaryOp::Gt, count, zero);
        writes.push((count_field, exprs.binary(BinaryOp::Sub, count, one)));
        if let Some(Some(first)) = contents.first() {
            let first = self.program.field(*first);
            let equal = self.program.exprs.binary(BinaryOp::Eq, first, content);
            holds = self.program.exprs.and(holds, equal);
        }
        for (place, &field) in contents.iter().enumerate() {
            let Some(field) = field else { continue };
            let following = match contents.get(place + 1) {
                Some(Some(next)) => self.program.field(*next),
                _ => self.program.exprs.i64(least),
            };
            writes.push((field, following));
        }
        (holds, Mistake::NotSent, writes)
    }
}
