//! Sending and receiving.

use super::channels::{Channel, Pattern, plural};
use super::code::{Code, Context, Op};
use super::instances::CHANNELS;
use super::symbols::ChannelTypeId;
use super::values::Value;
use crate::ast;
use volvelle_diagnostics::codes;
use volvelle_kernel::{BinaryOp, ExprId, Stmt, Type as Ty};
use volvelle_model::{AccessMode, FieldId, Offer, SharedResource};

impl Code<'_, '_> {
    /// The operations of `q!args`.
    pub(super) fn send(
        &mut self,
        cx: Context<'_>,
        expr: ast::ExprId,
        sorted: bool,
        args: &[ast::ExprId],
        place: ast::Place,
    ) -> Option<Vec<Op>> {
        let channel = self.channel(cx, expr)?;
        let values = self.scalars(cx, args)?;
        let mut ops = Vec::new();
        for ty in channel.types.clone() {
            let info = self.env.channel_types[ty].clone();
            if values.len() != info.fields.len() {
                if channel.types.len() == 1 {
                    let message =
                        format!("{} for messages of {}", plural(values.len(), "value"), info.fields.len());
                    if values.len() > info.fields.len() {
                        self.error(codes::TYPE_MISMATCH, message, place, "");
                        return None;
                    }
                    self.warning(codes::TYPE_MISMATCH, message, place, "missing fields are sent as 0");
                } else {
                    continue;
                }
            }
            let (mut sent, mut message) = (Vec::new(), Vec::new());
            let mut notes = Vec::new();
            for (i, &field) in info.fields.iter().enumerate() {
                let value = values.get(i).copied().unwrap_or_else(|| self.number(0));
                sent.push(value.id);
                self.check_constant(field, value, place);
                if info.capacity > 0
                    && let Some((cond, then)) = self.truncation(value, field)
                {
                    notes.push(Stmt::If { cond, then, otherwise: vec![] });
                }
                message.push(self.wrapped(value, field).id);
            }
            let is = self.has_type(&channel, ty);
            if info.capacity == 0 {
                self.access_to(SharedResource::Slot(CHANNELS, channel.which), AccessMode::Meet);
                // The longest message may be one that no process receives.
                for i in 0..message.len() {
                    self.out.message_part(i);
                }
                let offer = Some(Offer::giving(channel.number, message));
                ops.push(Op { guard: is, offer, effect: Vec::new() });
                continue;
            }
            let length = self.length_of(&channel, ty);
            let e = &mut self.out.program.exprs;
            let capacity = e.i64(i64::from(info.capacity));
            let free = e.binary(BinaryOp::Lt, length, capacity);
            let guard = e.and(is, free);
            let manner = if sorted { AccessMode::Write } else { AccessMode::Put };
            self.access_to(SharedResource::Slot(CHANNELS, channel.which), manner);
            // Sending may change the variables that the message is made of.
            let mut effect = notes;
            effect.extend(self.observed(true, channel.numbered(), &message, place));
            effect.extend(if sorted {
                self.insert_sorted(&channel, ty, &sent, &message)
            } else {
                self.append(&channel, ty, &message)
            });
            ops.push(Op { guard, offer: None, effect });
        }
        Some(ops)
    }

    /// The operations of `q?args`.
    #[allow(clippy::too_many_arguments)] // the parts of one statement
    pub(super) fn receive(
        &mut self,
        cx: Context<'_>,
        expr: ast::ExprId,
        random: bool,
        keep: bool,
        args: &[ast::ExprId],
        place: ast::Place,
    ) -> Option<Vec<Op>> {
        if self.env.is_input(cx.scope, expr) && !random && !keep {
            let mut patterns = self.patterns(cx, args)?;
            let pattern = if patterns.len() == 1 { patterns.pop() } else { None };
            return self.receive_input(pattern, place).map(|op| vec![op]);
        }
        let channel = self.channel(cx, expr)?;
        let mut ops = Vec::new();
        for ty in channel.types.clone() {
            let patterns = self.patterns(cx, args)?;
            let Some(patterns) = self.fitted(patterns, ty, channel.types.len() > 1, place)? else {
                continue;
            };
            let is = self.has_type(&channel, ty);
            let op = if self.env.channel_types[ty].capacity == 0 {
                self.receive_rendezvous(&channel, (ty, is), &patterns, place)
            } else {
                self.receive_from_buffer(&channel, (ty, is), (random, keep), &patterns, place)
            };
            ops.push(op);
        }
        Some(ops)
    }

    /// The operation of a receive from a rendezvous channel.
    fn receive_rendezvous(
        &mut self,
        channel: &Channel,
        (ty, is): (ChannelTypeId, ExprId),
        patterns: &[Pattern],
        place: ast::Place,
    ) -> Op {
        self.access_to(SharedResource::Slot(CHANNELS, channel.which), AccessMode::Meet);
        let mut guard = is;
        let mut message = Vec::with_capacity(patterns.len());
        for i in 0..patterns.len() {
            message.push(self.out.message_part(i));
        }
        let mut effect = self.observed(true, channel.numbered(), &message, place);
        effect.extend(self.observed(false, channel.numbered(), &message, place));
        for (i, pattern) in patterns.iter().enumerate() {
            let id = message[i];
            match pattern {
                Pattern::Ignored => {}
                Pattern::Value(value) => {
                    let e = &mut self.out.program.exprs;
                    let same = e.binary(BinaryOp::Eq, id, value.id);
                    guard = e.and(guard, same);
                }
                Pattern::Variable(access) => {
                    let (lo, hi) = self.env.channel_types[ty].fields[i].bounds();
                    let value = Value { id, lo, hi };
                    effect.push(self.write(*access, value));
                }
            }
        }
        Op { guard, offer: Some(Offer::taking(channel.number, patterns.len())), effect }
    }

    /// The operation of a receive from a buffered channel.
    fn receive_from_buffer(
        &mut self,
        channel: &Channel,
        (ty, is): (ChannelTypeId, ExprId),
        (random, keep): (bool, bool),
        patterns: &[Pattern],
        place: ast::Place,
    ) -> Op {
        let manner = match (keep, random) {
            (true, _) => AccessMode::Read,
            (false, true) => AccessMode::Write,
            (false, false) => AccessMode::Take,
        };
        self.access_to(SharedResource::Slot(CHANNELS, channel.which), manner);
        let can = self.receivable(channel, ty, random, patterns);
        let guard = self.out.program.exprs.and(is, can);
        let info = self.env.channel_types[ty].clone();
        let length = self.length_of(channel, ty);
        let zero = self.out.program.exprs.i64(0);
        let mut effect = Vec::new();
        let mut at_value = zero;
        let constrained = patterns.iter().any(|p| matches!(p, Pattern::Value(_)));
        if random && constrained && info.capacity > 1 {
            let at = self.out.scratch(0);
            at_value = self.out.program.exprs.local(at, Ty::I64);
            let found = self.matches(channel, ty, at_value, patterns);
            let body = vec![Stmt::If { cond: found, then: vec![Stmt::Break], otherwise: vec![] }];
            effect.push(Stmt::For { local: at, from: zero, to: length, body });
        }
        if !keep && self.env.trace.is_some() {
            let element = (info.capacity > 1).then_some(at_value);
            let part = |this: &mut Self, &field: &FieldId| this.of_channel(field, channel.slot, element);
            let message: Vec<ExprId> = info.messages.iter().map(|field| part(self, field)).collect();
            effect.extend(self.observed(false, channel.numbered(), &message, place));
        }
        // A variable may be the channel itself, or an index: read the message before anything is written.
        let mut reads = Vec::new();
        for (i, (pattern, &field)) in patterns.iter().zip(&info.messages).enumerate() {
            if let Pattern::Variable(access) = pattern {
                let local = self.out.scratch(3 + i);
                let value = self.of_channel(field, channel.slot, (info.capacity > 1).then_some(at_value));
                effect.push(Stmt::Set { local, value });
                let (lo, hi) = info.fields[i].bounds();
                reads.push((*access, Value { id: self.out.program.exprs.local(local, Ty::I64), lo, hi }));
            }
        }
        if !keep {
            self.remove(channel, &info, at_value, length, &mut effect);
        }
        for (access, value) in reads {
            let statement = self.write(access, value);
            effect.push(statement);
        }
        Op { guard, offer: None, effect }
    }
}
