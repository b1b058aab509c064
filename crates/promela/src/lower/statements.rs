//! Statements as operations: guards and effects.

use super::code::{Code, Context, Op};
use super::flow::Work;
use super::symbols::VarId;
use super::types::LOOP_COUNTER;
use super::values::Value;
use super::variables::Access;
use crate::ast::{self, ExprKind, Initial, Place, StatementKind};
use volvelle_diagnostics::codes;
use volvelle_kernel::{BinaryOp, ExprId, FailKind, Stmt};
use volvelle_model::SiteSubject;

impl Code<'_, '_> {
    /// The operations of a node. `beside_else`: the statement is an alternative to an `else`.
    pub(super) fn work(
        &mut self,
        work: &Work<'_>,
        cx: Context<'_>,
        beside_else: bool,
        place: Place,
    ) -> Option<Vec<Op>> {
        match *work {
            Work::Skip | Work::Else => Some(vec![self.nothing()]),
            Work::Statement(statement) => self.simple_statement(cx, &statement.kind, beside_else, place),
            Work::Assign(variable, value) => {
                let access = self.access(cx, variable)?;
                let value = self.expr(cx, value)?;
                let statement = self.write(access, value);
                Some(self.doing(statement))
            }
            Work::AssignConstant(variable, value) => {
                let access = self.access(cx, variable)?;
                let value = self.number(value);
                let statement = self.write(access, value);
                Some(self.doing(statement))
            }
            Work::Increment(variable) => self.add(cx, variable, 1),
            Work::AtMost(variable, value) => self.compare(BinaryOp::Le, cx, variable, value),
            Work::Below(variable, value) => self.compare(BinaryOp::Lt, cx, variable, value),
            Work::AtMostConstant(variable, value) => {
                let a = self.expr(cx, variable)?;
                let b = self.out.program.exprs.i64(value);
                let guard = self.out.program.exprs.binary(BinaryOp::Le, a.id, b);
                Some(guarded(guard))
            }
            Work::Declare(variable) => self.late_initial(cx, variable),
            Work::ChannelBegin(at) => {
                let access = self.counter(at);
                let zero = self.number(0);
                let statement = self.write(access, zero);
                Some(self.doing(statement))
            }
            Work::ChannelTest(at, channel) => {
                let access = self.counter(at);
                let (i, length) = (self.read(access), self.loop_length(cx, channel)?);
                let guard = self.out.program.exprs.binary(BinaryOp::Lt, i.id, length.id);
                Some(guarded(guard))
            }
            Work::ChannelReceive(channel, variable) => {
                self.receive(cx, channel, false, false, &[variable], place)
            }
            Work::ChannelSend(channel, variable) => self.send(cx, channel, false, &[variable], place),
            Work::ChannelNext(at) => {
                let access = self.counter(at);
                let (value, one) = (self.read(access), self.number(1));
                let id = self.out.program.exprs.binary(BinaryOp::Add, value.id, one.id);
                let sum = Value { id, lo: value.lo + 1, hi: value.hi + 1 };
                let statement = self.write(access, sum);
                Some(self.doing(statement))
            }
            Work::DStep(_) => unreachable!("a `d_step` is made of the transitions inside"),
        }
    }

    /// The number of messages over which a loop runs.
    fn loop_length(&mut self, cx: Context<'_>, channel: ast::ExprId) -> Option<Value> {
        let channel = self.channel(cx, channel)?;
        Some(self.channel_length(&channel))
    }

    /// The counter of a loop over a channel.
    fn counter(&self, at: Place) -> Access {
        let field = self.env.loop_counters[&at];
        Access::own(field, LOOP_COUNTER, None)
    }

    /// The test of a loop.
    fn compare(
        &mut self,
        op: BinaryOp,
        cx: Context<'_>,
        variable: ast::ExprId,
        value: ast::ExprId,
    ) -> Option<Vec<Op>> {
        let (a, b) = (self.expr(cx, variable)?, self.expr(cx, value)?);
        if op == BinaryOp::Le {
            self.check_counter(a.hi, value, b.hi);
        }
        let guard = self.out.program.exprs.binary(op, a.id, b.id);
        Some(guarded(guard))
    }

    /// `variable++`, `variable--`
    fn add(&mut self, cx: Context<'_>, variable: ast::ExprId, amount: i64) -> Option<Vec<Op>> {
        if self.env.is_own_priority(cx.scope, variable) {
            let effect = self.add_to_own_priority(cx, variable, amount)?;
            let op = self.nothing();
            return Some(vec![Op { effect, ..op }]);
        }
        let access = self.access(cx, variable)?;
        let statement = self.add_to(access, amount);
        Some(self.doing(statement))
    }

    /// The step of a declaration after a statement: SPIN assigns only the first element of an array.
    fn late_initial(&mut self, cx: Context<'_>, variable: VarId) -> Option<Vec<Op>> {
        let info = &self.env.variables[variable];
        let mut effect = Vec::new();
        if let [leaf] = info.leaves.as_slice()
            && leaf.path.is_empty()
        {
            let value = match &info.initial {
                Some(Initial::Value(value)) => self.expr(cx, *value)?,
                Some(Initial::Channel(_)) => {
                    let help = "declare it before the first statement";
                    self.error(
                        codes::TYPE_MISMATCH,
                        "a channel is created when its process starts",
                        info.place,
                        help,
                    );
                    return None;
                }
                Some(Initial::List(_)) => {
                    self.error(
                        codes::TYPE_MISMATCH,
                        "an array cannot get a list of values here",
                        info.place,
                        "declare it before the first statement, or assign to its elements; SPIN refuses this as well",
                    );
                    return None;
                }
                None => self.number(0),
            };
            let element = (leaf.lengths[0] > 1).then(|| self.out.program.exprs.i64(0));
            let access = Access::own(leaf.field, leaf.ty, element);
            effect.push(self.write(access, value));
        }
        let op = self.nothing();
        Some(vec![Op { effect, ..op }])
    }

    /// The operations of a statement that is one step.
    fn simple_statement(
        &mut self,
        cx: Context<'_>,
        kind: &StatementKind,
        beside_else: bool,
        place: Place,
    ) -> Option<Vec<Op>> {
        let model = self.env.model;
        match kind {
            StatementKind::Expression(e) => match &model.exprs.get(*e).kind {
                ExprKind::Run { name, args, priority } => {
                    let (mut op, _) = self.run(cx, name, args, *priority)?;
                    op.guard = self.out.program.exprs.bool(true);
                    Some(vec![op])
                }
                ExprKind::SetPriority(pid, priority) => {
                    let (slot, place) = (self.expr(cx, *pid)?.id, self.env.place(*priority));
                    let value = self.expr(cx, *priority)?;
                    let effect = self.set_priority(slot, value, place)?;
                    let op = self.nothing();
                    Some(vec![Op { effect, ..op }])
                }
                _ => {
                    // The process waits for the condition, unless an `else` is taken where it is false.
                    let guard = self.condition(Context { awaited: !beside_else, ..cx }, *e)?;
                    Some(guarded(guard))
                }
            },
            StatementKind::Assign { target, value } => {
                if let ExprKind::Name(name) = &model.exprs.get(*target).kind
                    && name.text == "_"
                {
                    let (effect, _) = self.with_runs(|code| code.expr(cx, *value))?;
                    let op = self.nothing();
                    return Some(vec![Op { effect, ..op }]);
                }
                if self.env.is_own_priority(cx.scope, *target) {
                    let place = self.env.place(*value);
                    let (mut effect, value) = self.with_runs(|code| code.expr(cx, *value))?;
                    effect.extend(self.set_own_priority(cx, value, place)?);
                    let op = self.nothing();
                    return Some(vec![Op { effect, ..op }]);
                }
                let access = self.access(cx, *target)?;
                self.check_set(cx, access.ty, *value);
                let (mut effect, value) = self.with_runs(|code| code.expr(cx, *value))?;
                effect.push(self.write(access, value));
                let op = self.nothing();
                Some(vec![Op { effect, ..op }])
            }
            StatementKind::Increment(target) => self.add(cx, *target, 1),
            StatementKind::Decrement(target) => self.add(cx, *target, -1),
            StatementKind::Send { channel, sorted, args } => self.send(cx, *channel, *sorted, args, place),
            StatementKind::Receive { channel, random, keep, args } => {
                self.receive(cx, *channel, *random, *keep, args, place)
            }
            StatementKind::Printf { format, args } => self.print(cx, format, args),
            StatementKind::Printm(arg) => self.print(cx, "%e", std::slice::from_ref(arg)),
            StatementKind::Assert(e) => {
                let (mut effect, holds) = self.with_runs(|code| code.condition(cx, *e))?;
                let site = self.site(FailKind::Assertion, SiteSubject::Assertion, place);
                let cond = self.out.program.exprs.not(holds);
                effect.push(Stmt::If { cond, then: vec![Stmt::Fail { site }], otherwise: vec![] });
                let op = self.nothing();
                Some(vec![Op { effect, ..op }])
            }
            StatementKind::Error => None,
            _ => unreachable!("control flow is made of nodes"),
        }
    }
}

/// An operation that does nothing but wait for a condition.
fn guarded(guard: ExprId) -> Vec<Op> {
    vec![Op { guard, offer: None, effect: Vec::new() }]
}
