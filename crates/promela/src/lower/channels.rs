//! Channels: their types, their messages, and the conditions on them.
//!
//! A channel is a slot of the second pool; its number is the slot plus one, and 0 is no channel. Channels that look
//! alike share a type. A statement that names its channel by a variable becomes one operation for each type that it
//! may mean.

use super::code::Code;
use super::environment::PROCESS_LIMIT;
use super::instances::CHANNELS;
use super::symbols::{ChannelTypeId, Scope};
use super::types::Scalar;
use super::values::Value;
use super::variables::Access;
use crate::ast::{self, ChannelQuery};
use volvelle_diagnostics::codes;
use volvelle_kernel::{BinaryOp, ExprId, FailKind, Node, Stmt, Type as Ty};
use volvelle_model::{AccessMode, FieldId, SharedResource, SiteSubject, Which};

/// The channels that an expression may mean.
#[derive(Clone, Debug)]
pub(super) struct Channel {
    /// Its number, `i64`, checked.
    pub number: ExprId,
    /// Its slot, `i64`.
    pub slot: ExprId,
    /// Types that it may have.
    pub types: Vec<ChannelTypeId>,
    /// The constant number, where it is known.
    pub known: Option<i64>,
    /// The slot, as far as it is known before the model runs.
    pub which: Which,
}

impl Channel {
    /// Its number, with the constant that it is where that is known.
    pub fn numbered(&self) -> (ExprId, Option<i64>) {
        (self.number, self.known)
    }
}

/// One argument of a receive.
pub(super) enum Pattern {
    /// The part of the message must be equal.
    Value(Value),
    /// The part of the message is stored.
    Variable(Access),
    /// `_`
    Ignored,
}

impl Code<'_, '_> {
    /// The types that a channel named by an expression may have: one where a variable is never assigned another channel.
    pub(super) fn channel_types(
        &mut self,
        scope: &Scope,
        expr: ast::ExprId,
        place: ast::Place,
    ) -> Option<Vec<ChannelTypeId>> {
        let mut types: Vec<ChannelTypeId> = self.env.channel_types.keys().collect();
        if let Some(path) = self.env.path(expr) {
            let (name, members) = (path.name.text.clone(), path.members.len());
            if let Some(var) = self.env.lookup(scope, &name) {
                let info = &self.env.variables[var];
                if let (Some(ty), 0, false) = (info.channel, members, self.env.facts.assigned.contains(&name))
                {
                    types = vec![ty];
                }
                if let Some(leaf) = info.leaves.first()
                    && members == 0
                    && !matches!(leaf.ty, Scalar::Chan)
                    && !matches!(leaf.ty, Scalar::Byte | Scalar::Int | Scalar::Short)
                {
                    self.error(codes::TYPE_MISMATCH, format!("`{name}` is not a channel"), place, "");
                    return None;
                }
            }
        }
        Some(types)
    }

    /// The channel whose number is a value. `own`: a field of the process that never changes and has the number.
    pub(super) fn numbered_channel(
        &mut self,
        value: Value,
        types: Vec<ChannelTypeId>,
        own: Option<FieldId>,
        place: ast::Place,
    ) -> Channel {
        let known = self.out.program.exprs.as_const(value.id).and_then(|c| c.as_i64()).filter(|&n| n >= 1);
        let e = &mut self.out.program.exprs;
        let one = e.i64(1);
        let number = match known {
            Some(_) => value.id,
            None => {
                // 0 stands for no channel; numbers beyond the last for channels of processes that have ended.
                let last = self.out.program.field(self.env.fields.channels);
                let e = &mut self.out.program.exprs;
                let offset = e.binary(BinaryOp::Sub, value.id, one);
                let (offset, count) = (e.convert(Ty::U64, offset), e.convert(Ty::U64, last));
                let good = e.binary(BinaryOp::Lt, offset, count);
                let zero = e.i64(0);
                let checked = e.select(good, value.id, zero);
                let site = self.site(FailKind::Range, SiteSubject::Expression, place);
                self.out.program.exprs.add(Node::Range { arg: checked, lo: 1, hi: PROCESS_LIMIT, site })
            }
        };
        let slot = self.out.program.exprs.binary(BinaryOp::Sub, number, one);
        let which = match (known, own) {
            (Some(n), _) => Which::Constant(n - 1),
            (None, Some(field)) => Which::Own(field, 1),
            (None, None) => Which::Any,
        };
        Channel { number, slot, types, known, which }
    }

    /// `len(q)`
    pub(super) fn channel_length(&mut self, channel: &Channel) -> Value {
        self.access_to(SharedResource::Slot(CHANNELS, channel.which), AccessMode::Read);
        let mut value = self.out.program.exprs.i64(0);
        let mut hi = 0;
        for &ty in &channel.types {
            let (is, length) = (self.has_type(channel, ty), self.length_of(channel, ty));
            value = self.out.program.exprs.select(is, length, value);
            hi = hi.max(i64::from(self.env.channel_types[ty].capacity));
        }
        Value { id: value, lo: 0, hi }
    }

    /// `empty(q)`, `nempty(q)`, `full(q)` or `nfull(q)` (`bool`); `awaited` as in [`Context`](super::code::Context). A
    /// rendezvous channel is always empty, and never full.
    pub(super) fn channel_query(&mut self, channel: &Channel, query: ChannelQuery, awaited: bool) -> ExprId {
        // Only receivers make a channel empty, and only senders make it full.
        let manner = match query {
            ChannelQuery::NonEmpty if awaited => AccessMode::Take,
            ChannelQuery::NonFull if awaited => AccessMode::Put,
            _ => AccessMode::Read,
        };
        self.access_to(SharedResource::Slot(CHANNELS, channel.which), manner);
        let mut result = self.out.program.exprs.bool(false);
        for &ty in &channel.types {
            let (is, length) = (self.has_type(channel, ty), self.length_of(channel, ty));
            let capacity = i64::from(self.env.channel_types[ty].capacity);
            let e = &mut self.out.program.exprs;
            let (zero, full) = (e.i64(0), e.i64(capacity));
            let holds = match query {
                ChannelQuery::Empty => e.binary(BinaryOp::Eq, length, zero),
                ChannelQuery::NonEmpty => e.binary(BinaryOp::Gt, length, zero),
                ChannelQuery::Full if capacity > 0 => e.binary(BinaryOp::Eq, length, full),
                ChannelQuery::NonFull if capacity > 0 => e.binary(BinaryOp::Lt, length, full),
                ChannelQuery::Full => e.bool(false),
                ChannelQuery::NonFull | ChannelQuery::Len => e.bool(true),
            };
            result = e.select(is, holds, result);
        }
        result
    }

    /// The patterns of a receive for a type of channels: one for each part of a message. `Some(None)` if they do not fit
    /// one of several types.
    #[allow(clippy::option_option)] // reported, or does not fit
    pub(super) fn fitted(
        &mut self,
        mut patterns: Vec<Pattern>,
        ty: ChannelTypeId,
        lenient: bool,
        place: ast::Place,
    ) -> Option<Option<Vec<Pattern>>> {
        let wanted = self.env.channel_types[ty].fields.len();
        if patterns.len() > wanted {
            if !lenient {
                let message = format!("{} for messages of {wanted}", plural(patterns.len(), "argument"));
                self.error(codes::TYPE_MISMATCH, message, place, "");
                return None;
            }
            return Some(None);
        }
        while patterns.len() < wanted {
            patterns.push(Pattern::Ignored);
        }
        Some(Some(patterns))
    }

    /// Whether a channel has a type (`bool`).
    pub(super) fn has_type(&mut self, channel: &Channel, ty: ChannelTypeId) -> ExprId {
        if channel.types.len() == 1 {
            return self.out.program.exprs.bool(true);
        }
        let kind = self.env.fields.kind;
        let kind = self.of_channel(kind, channel.slot, None);
        let e = &mut self.out.program.exprs;
        let wanted = e.i64(i64::from(ty.0));
        e.binary(BinaryOp::Eq, kind, wanted)
    }

    /// The value of a field of a channel.
    pub(super) fn of_channel(&mut self, field: FieldId, slot: ExprId, element: Option<ExprId>) -> ExprId {
        let place = self.out.field_in(field, Some(slot));
        match element {
            Some(element) => self.out.program.read_element(place, element),
            None => self.out.program.read(place),
        }
    }

    /// The store to a field of a channel.
    pub(super) fn set_of_channel(
        &mut self,
        field: FieldId,
        slot: ExprId,
        element: Option<ExprId>,
        value: ExprId,
    ) -> Stmt {
        let place = self.out.field_in(field, Some(slot));
        match element {
            Some(element) => self.out.program.set_element(place, element, value),
            None => self.out.program.set(place, value),
        }
    }

    /// The number of messages in a channel of a type.
    pub(super) fn length_of(&mut self, channel: &Channel, ty: ChannelTypeId) -> ExprId {
        match self.env.channel_types[ty].length {
            Some(length) => self.of_channel(length, channel.slot, None),
            None => self.out.program.exprs.i64(0),
        }
    }

    /// The message at `index` matches all patterns (`bool`).
    pub(super) fn matches(
        &mut self,
        channel: &Channel,
        ty: ChannelTypeId,
        index: ExprId,
        patterns: &[Pattern],
    ) -> ExprId {
        let mut result = self.out.program.exprs.bool(true);
        let messages = self.env.channel_types[ty].messages.clone();
        for (pattern, &field) in patterns.iter().zip(&messages) {
            if let Pattern::Value(value) = pattern {
                let found = self.of_channel(field, channel.slot, Some(index));
                let e = &mut self.out.program.exprs;
                let same = e.binary(BinaryOp::Eq, found, value.id);
                result = e.and(result, same);
            }
        }
        result
    }

    /// Whether a buffered channel has a message that a receive takes (`bool`): the first, or (`random`) any.
    pub(super) fn receivable(
        &mut self,
        channel: &Channel,
        ty: ChannelTypeId,
        random: bool,
        patterns: &[Pattern],
    ) -> ExprId {
        let length = self.length_of(channel, ty);
        let capacity = if random { self.env.channel_types[ty].capacity } else { 1 };
        let mut result = self.out.program.exprs.bool(false);
        let constrained = patterns.iter().any(|p| matches!(p, Pattern::Value(_)));
        for i in 0..if constrained { capacity } else { 1 } {
            let index = self.out.program.exprs.i64(i64::from(i));
            let there = self.out.program.exprs.binary(BinaryOp::Gt, length, index);
            let matching = self.matches(channel, ty, index, patterns);
            let e = &mut self.out.program.exprs;
            let good = e.and(there, matching);
            result = e.or(result, good);
        }
        result
    }
}

/// A number of things: `1 value`, `2 values`.
pub(super) fn plural(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}
