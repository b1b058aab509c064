//! Channels: what they hold, questions about them, sending and receiving.
//!
//! A channel is a slot of the second pool; its number is the slot plus one, and 0 is no channel. Channels that look
//! alike share a type. A statement that names its channel by a variable becomes one operation for each type that it
//! may mean.

use super::expression::{Access, CHANNELS, Value};
use super::statements::Op;
use super::types::{Scalar, Type};
use super::variables::Scope;
use super::{Lowering, PROCESS_LIMIT};
use crate::ast::{self, ChannelInit, ChannelQuery, ExprKind};
use volvelle_diagnostics::codes;
use volvelle_kernel::{BinaryOp, Block, ExprId, FailKind, Node, Stmt, Type as Ty};
use volvelle_model::{ComponentId, Domain, FieldId, Manner, Object, Role, SiteSubject, Which};

/// Channels of one capacity with messages of one type.
#[derive(Clone, Debug)]
pub struct ChannelType {
    /// Messages it holds; 0 is a rendezvous.
    pub capacity: u32,
    /// Scalars of a message, structures flattened.
    pub fields: Vec<Scalar>,
    /// The component of the pool.
    pub component: ComponentId,
    /// How many messages are there.
    pub length: Option<FieldId>,
    /// One array for each scalar of a message.
    pub messages: Vec<FieldId>,
}

/// What a channel expression may mean.
#[derive(Clone, Debug)]
struct Channel {
    /// Its number, `i64`, checked.
    number: ExprId,
    /// Its slot, `i64`.
    slot: ExprId,
    /// Types that it may have.
    types: Vec<usize>,
    /// The constant number, where it is known.
    known: Option<i64>,
    /// Which slot it is, as far as that is known beforehand.
    which: Which,
}

impl Channel {
    /// Its number, with the constant that it is where that is known.
    fn numbered(&self) -> (ExprId, Option<i64>) {
        (self.number, self.known)
    }
}

/// One argument of a receive.
enum Pattern {
    /// Must be equal.
    Value(Value),
    /// Takes what comes.
    Variable(Access),
    /// `_`
    Ignored,
}

impl Lowering<'_> {
    /// The type of the channels that an initialiser makes.
    pub(super) fn declare_channel_type(&mut self, init: &ChannelInit, name: &str) -> Option<usize> {
        let capacity = match self.constant(init.capacity) {
            Some(n) if (0..=super::types::MAX_LENGTH).contains(&n) => n as u32,
            _ => {
                let place = self.place(init.capacity);
                self.error(codes::TYPE_MISMATCH, "the capacity of a channel must be a constant", place, "");
                return None;
            }
        };
        let mut fields = Vec::new();
        for ty in &init.fields {
            let ty = self.type_of(ty, None, init.place)?;
            self.flatten(ty, 1, &mut fields);
        }
        let same = |c: &ChannelType| c.capacity == capacity && c.fields == fields;
        if let Some(found) = self.channel_types.iter().position(same) {
            return Some(found);
        }
        let component = self.component(name);
        let internal = |this: &mut Self, name: String, domain, length| {
            this.field(name, domain, Some(component), length, init.place)
        };
        let (mut length, mut messages) = (None, Vec::new());
        if capacity > 0 {
            let domain = Domain::Int { lo: 0, hi: i64::from(capacity) };
            length = Some(internal(self, "len".into(), domain, 1));
            for (i, field) in fields.iter().enumerate() {
                let id = internal(self, format!("message.{i}"), field.domain(), capacity);
                self.field_types[id.index()] = Some(*field);
                messages.push(id);
            }
        }
        self.channel_types.push(ChannelType { capacity, fields, component, length, messages });
        Some(self.channel_types.len() - 1)
    }

    fn flatten(&self, ty: Type, count: u32, out: &mut Vec<Scalar>) {
        for _ in 0..count {
            match ty {
                Type::Scalar(scalar) => out.push(scalar),
                Type::Struct(number) => {
                    for member in &self.structs[number].members {
                        self.flatten(member.ty, member.length.unwrap_or(1), out);
                    }
                }
            }
        }
    }

    fn channel(&mut self, scope: &Scope, expr: ast::ExprId) -> Option<Channel> {
        if self.is_input(scope, expr) {
            let place = self.place(expr);
            self.no_input(place);
            return None;
        }
        let value = self.expr(scope, expr)?;
        let place = self.place(expr);
        // The types of a variable that is a channel of its own for ever.
        let mut types: Vec<usize> = (0..self.channel_types.len()).collect();
        if let Some(path) = self.path(expr) {
            let (name, members) = (path.name.text.clone(), path.members.len());
            if let Some(var) = self.lookup(scope, &name) {
                let info = &self.variables[var.0 as usize];
                if let (Some(ty), 0, false) = (info.channel, members, self.assigned.contains(&name)) {
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
        let known = self.program.exprs.as_const(value.id).and_then(|c| c.as_i64()).filter(|&n| n >= 1);
        let e = &mut self.program.exprs;
        let one = e.i64(1);
        let number = match known {
            Some(_) => value.id,
            None => {
                // 0 stands for no channel; numbers beyond the last for channels of processes that have ended.
                let last = self.program.field(self.internal.channels);
                let e = &mut self.program.exprs;
                let offset = e.binary(BinaryOp::Sub, value.id, one);
                let (offset, count) = (e.convert(Ty::U64, offset), e.convert(Ty::U64, last));
                let good = e.binary(BinaryOp::Lt, offset, count);
                let zero = e.i64(0);
                let checked = e.select(good, value.id, zero);
                let site = self.site(FailKind::Range, SiteSubject::Expression, place);
                self.program.exprs.add(Node::Range { arg: checked, lo: 1, hi: PROCESS_LIMIT, site })
            }
        };
        let slot = self.program.exprs.binary(BinaryOp::Sub, number, one);
        let own = match &self.model.exprs.get(expr).kind {
            ExprKind::Name(name) if scope.instance == super::variables::Instance::Own => {
                self.fixed_local(scope, &name.text)
            }
            _ => None,
        };
        let which = match (known, own) {
            (Some(n), _) => Which::Constant(n - 1),
            (None, Some(field)) => Which::Own(field, 1),
            (None, None) => Which::Any,
        };
        Some(Channel { number, slot, types, known, which })
    }

    /// Whether a channel has a type (`bool`).
    fn has_type(&mut self, channel: &Channel, ty: usize) -> ExprId {
        if channel.types.len() == 1 {
            return self.program.exprs.bool(true);
        }
        let kind = self.internal.kind.expect("there are channels");
        let kind = self.of_channel(kind, channel.slot, None);
        let e = &mut self.program.exprs;
        let wanted = e.i64(ty as i64);
        e.binary(BinaryOp::Eq, kind, wanted)
    }

    fn of_channel(&mut self, field: FieldId, slot: ExprId, element: Option<ExprId>) -> ExprId {
        let place = self.program.field_in(field, Some(slot));
        match element {
            Some(element) => self.program.read_element(place, element),
            None => self.program.read(place),
        }
    }

    fn set_of_channel(
        &mut self,
        field: FieldId,
        slot: ExprId,
        element: Option<ExprId>,
        value: ExprId,
    ) -> Stmt {
        let place = self.program.field_in(field, Some(slot));
        match element {
            Some(element) => self.program.set_element(place, element, value),
            None => self.program.set(place, value),
        }
    }

    fn length_of(&mut self, channel: &Channel, ty: usize) -> ExprId {
        match self.channel_types[ty].length {
            Some(length) => self.of_channel(length, channel.slot, None),
            None => self.program.exprs.i64(0),
        }
    }

    /// `len(q)`
    pub(super) fn channel_length(&mut self, scope: &Scope, expr: ast::ExprId) -> Option<Value> {
        let channel = self.channel(scope, expr)?;
        self.touch(Object::Slot(CHANNELS, channel.which), Manner::Read);
        let mut value = self.program.exprs.i64(0);
        let mut hi = 0;
        for &ty in &channel.types {
            let (is, length) = (self.has_type(&channel, ty), self.length_of(&channel, ty));
            value = self.program.exprs.select(is, length, value);
            hi = hi.max(i64::from(self.channel_types[ty].capacity));
        }
        Some(Value { id: value, lo: 0, hi })
    }

    /// `empty(q)` and its kin (`bool`). A rendezvous channel is always empty, and never full.
    pub(super) fn channel_query(
        &mut self,
        scope: &Scope,
        query: ChannelQuery,
        expr: ast::ExprId,
    ) -> Option<ExprId> {
        let channel = self.channel(scope, expr)?;
        // Once there is a message, only receivers take that away; once there is room, only senders.
        let manner = match query {
            ChannelQuery::NonEmpty if self.waited_for => Manner::Take,
            ChannelQuery::NonFull if self.waited_for => Manner::Put,
            _ => Manner::Read,
        };
        self.touch(Object::Slot(CHANNELS, channel.which), manner);
        let mut result = self.program.exprs.bool(false);
        for &ty in &channel.types {
            let (is, length) = (self.has_type(&channel, ty), self.length_of(&channel, ty));
            let capacity = i64::from(self.channel_types[ty].capacity);
            let e = &mut self.program.exprs;
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
        Some(result)
    }

    /// The message at `index` matches all patterns (`bool`).
    fn matches(&mut self, channel: &Channel, ty: usize, index: ExprId, patterns: &[Pattern]) -> ExprId {
        let mut result = self.program.exprs.bool(true);
        let messages = self.channel_types[ty].messages.clone();
        for (pattern, &field) in patterns.iter().zip(&messages) {
            if let Pattern::Value(value) = pattern {
                let found = self.of_channel(field, channel.slot, Some(index));
                let e = &mut self.program.exprs;
                let same = e.binary(BinaryOp::Eq, found, value.id);
                result = e.and(result, same);
            }
        }
        result
    }

    /// Whether a buffered channel has a message that a receive takes (`bool`): the first, or (`random`) any.
    fn receivable(&mut self, channel: &Channel, ty: usize, random: bool, patterns: &[Pattern]) -> ExprId {
        let length = self.length_of(channel, ty);
        let capacity = if random { self.channel_types[ty].capacity } else { 1 };
        let mut result = self.program.exprs.bool(false);
        let constrained = patterns.iter().any(|p| matches!(p, Pattern::Value(_)));
        for i in 0..if constrained { capacity } else { 1 } {
            let index = self.program.exprs.i64(i64::from(i));
            let there = self.program.exprs.binary(BinaryOp::Gt, length, index);
            let matching = self.matches(channel, ty, index, patterns);
            let e = &mut self.program.exprs;
            let good = e.and(there, matching);
            result = e.or(result, good);
        }
        result
    }

    /// `q?[args]`
    pub(super) fn poll(
        &mut self,
        scope: &Scope,
        expr: ast::ExprId,
        random: bool,
        args: &[ast::ExprId],
        place: ast::Place,
    ) -> Option<ExprId> {
        let channel = self.channel(scope, expr)?;
        let manner = if self.waited_for && !random { Manner::Take } else { Manner::Read };
        self.touch(Object::Slot(CHANNELS, channel.which), manner);
        let mut result = self.program.exprs.bool(false);
        for ty in channel.types.clone() {
            if self.channel_types[ty].capacity == 0 {
                continue;
            }
            let patterns = self.patterns(scope, ty, args, channel.types.len() > 1, place)?;
            let Some(patterns) = patterns else { continue };
            let (is, can) = (self.has_type(&channel, ty), self.receivable(&channel, ty, random, &patterns));
            let e = &mut self.program.exprs;
            let both = e.and(is, can);
            result = e.or(result, both);
        }
        Some(result)
    }

    /// The arguments of a receive for a type of channels; `Some(None)` if they do not fit one of several types.
    #[allow(clippy::option_option)] // complained about, or does not fit
    fn patterns(
        &mut self,
        scope: &Scope,
        ty: usize,
        args: &[ast::ExprId],
        lenient: bool,
        place: ast::Place,
    ) -> Option<Option<Vec<Pattern>>> {
        let mut patterns = Vec::new();
        for &arg in args {
            let model = self.model;
            match &model.exprs.get(arg).kind {
                ExprKind::Name(name) if name.text == "_" => patterns.push(Pattern::Ignored),
                ExprKind::Name(name) if self.lookup(scope, &name.text).is_some() => {
                    for access in self.flattened(scope, arg)? {
                        patterns.push(Pattern::Variable(access));
                    }
                }
                ExprKind::Index { .. } | ExprKind::Field { .. } => {
                    for access in self.flattened(scope, arg)? {
                        patterns.push(Pattern::Variable(access));
                    }
                }
                _ => {
                    let value = self.expr(scope, arg)?;
                    patterns.push(Pattern::Value(value));
                }
            }
        }
        let wanted = self.channel_types[ty].fields.len();
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

    /// A scalar, or all scalars of a structure.
    fn flattened(&mut self, scope: &Scope, expr: ast::ExprId) -> Option<Vec<Access>> {
        let path = self.path(expr);
        if let Some(path) = path {
            let name = path.name.text.clone();
            let simple = path.members.is_empty();
            let index = path.indices[0];
            if let Some(var) = self.lookup(scope, &name) {
                let info = self.variables[var.0 as usize].clone();
                if let (Type::Struct(_), true) = (info.ty, simple) {
                    return self.whole(scope, &info, index);
                }
            }
        }
        Some(vec![self.access(scope, expr)?])
    }

    /// All scalars of a structure, array elements one by one.
    fn whole(
        &mut self,
        scope: &Scope,
        info: &super::variables::VarInfo,
        index: Option<ast::ExprId>,
    ) -> Option<Vec<Access>> {
        let outer = match index {
            Some(index) => self.expr(scope, index)?,
            None => self.number(0),
        };
        let slot = match (info.process, scope.instance) {
            (Some(_), super::variables::Instance::At(slot)) => Some(slot),
            _ => None,
        };
        let mut out = Vec::new();
        for leaf in &info.leaves {
            let inner: u32 = leaf.lengths[1..].iter().product();
            for i in 0..inner {
                let total = inner * leaf.lengths[0];
                let element = (total > 1).then(|| {
                    let e = &mut self.program.exprs;
                    let (stride, i) = (e.i64(i64::from(inner)), e.i64(i64::from(i)));
                    let base = e.binary(BinaryOp::Mul, outer.id, stride);
                    e.binary(BinaryOp::Add, base, i)
                });
                out.push(Access::of(leaf.field, leaf.ty, element, slot));
            }
        }
        Some(out)
    }

    /// The operations of `q!args`.
    pub(super) fn send(
        &mut self,
        scope: &Scope,
        expr: ast::ExprId,
        sorted: bool,
        args: &[ast::ExprId],
        place: ast::Place,
    ) -> Option<Vec<Op>> {
        let channel = self.channel(scope, expr)?;
        let mut values = Vec::new();
        for &arg in args {
            let is_structure = self.path(arg).is_some_and(|p| {
                p.members.is_empty()
                    && self
                        .lookup(scope, &p.name.text)
                        .is_some_and(|v| matches!(self.variables[v.0 as usize].ty, Type::Struct(_)))
            });
            if is_structure {
                for access in self.flattened(scope, arg)? {
                    values.push(self.read(access));
                }
            } else {
                values.push(self.expr(scope, arg)?);
            }
        }
        let mut ops = Vec::new();
        for ty in channel.types.clone() {
            let info = self.channel_types[ty].clone();
            if values.len() != info.fields.len() {
                if channel.types.len() == 1 {
                    let message =
                        format!("{} for messages of {}", plural(values.len(), "value"), info.fields.len());
                    if values.len() > info.fields.len() {
                        self.error(codes::TYPE_MISMATCH, message, place, "");
                        return None;
                    }
                    self.warning(codes::TYPE_MISMATCH, message, place, "what is missing is sent as 0");
                } else {
                    continue;
                }
            }
            let mut message = Vec::new();
            let mut notes = Vec::new();
            for (i, &field) in info.fields.iter().enumerate() {
                let value = values.get(i).copied().unwrap_or_else(|| self.number(0));
                if info.capacity > 0
                    && let Some((cond, then)) = self.cut(value, field)
                {
                    notes.push(Stmt::If { cond, then, otherwise: vec![] });
                }
                message.push(self.wrapped(value, field).id);
            }
            let is = self.has_type(&channel, ty);
            if info.capacity == 0 {
                self.touch(Object::Slot(CHANNELS, channel.which), Manner::Meet);
                // The longest offer may be one that nobody takes.
                for i in 0..message.len() {
                    self.offered(i);
                }
                let role = Role::Offer { at: channel.number, values: message };
                ops.push(Op { guard: is, role, effect: Vec::new() });
                continue;
            }
            let length = self.length_of(&channel, ty);
            let e = &mut self.program.exprs;
            let capacity = e.i64(i64::from(info.capacity));
            let free = e.binary(BinaryOp::Lt, length, capacity);
            let guard = e.and(is, free);
            let manner = if sorted { Manner::Write } else { Manner::Put };
            self.touch(Object::Slot(CHANNELS, channel.which), manner);
            // What the message is made of may change when it is sent.
            let mut effect = notes;
            effect.extend(self.observed(true, channel.numbered(), &message, place));
            effect.extend(if sorted {
                self.insert_sorted(&channel, ty, &message)
            } else {
                self.append(&channel, ty, &message)
            });
            ops.push(Op { guard, role: Role::Alone, effect });
        }
        Some(ops)
    }

    fn append(&mut self, channel: &Channel, ty: usize, message: &[ExprId]) -> Block {
        let info = self.channel_types[ty].clone();
        let length = self.length_of(channel, ty);
        let mut block = Vec::new();
        for (&field, &value) in info.messages.iter().zip(message) {
            let element = (info.capacity > 1).then_some(length);
            block.push(self.set_of_channel(field, channel.slot, element, value));
        }
        let e = &mut self.program.exprs;
        let one = e.i64(1);
        let longer = e.binary(BinaryOp::Add, length, one);
        let field = info.length.expect("a buffered channel");
        block.push(self.set_of_channel(field, channel.slot, None, longer));
        block
    }

    /// Before the first message that is greater, field by field.
    fn insert_sorted(&mut self, channel: &Channel, ty: usize, message: &[ExprId]) -> Block {
        let info = self.channel_types[ty].clone();
        let length = self.length_of(channel, ty);
        let at = self.scratch(0);
        let at_value = self.program.exprs.local(at, Ty::I64);
        // Values are kept: moving messages changes what they might read.
        let mut block = Vec::new();
        let mut kept = Vec::new();
        for (i, &value) in message.iter().enumerate() {
            let local = self.scratch(2 + i);
            block.push(Stmt::Set { local, value });
            kept.push(self.program.exprs.local(local, Ty::I64));
        }
        // less := the new message comes before message `at`
        let mut less = self.program.exprs.bool(false);
        for (&field, &value) in info.messages.iter().zip(&kept).rev() {
            let found = self.of_channel(field, channel.slot, Some(at_value));
            let e = &mut self.program.exprs;
            let (smaller, equal) =
                (e.binary(BinaryOp::Lt, value, found), e.binary(BinaryOp::Eq, value, found));
            let rest = e.and(equal, less);
            less = e.or(smaller, rest);
        }
        let zero = self.program.exprs.i64(0);
        let stop = vec![Stmt::If { cond: less, then: vec![Stmt::Break], otherwise: vec![] }];
        block.push(Stmt::For { local: at, from: zero, to: length, body: stop });
        // Messages from the end on move up: step k moves message length - 1 - k.
        let k = self.scratch(1);
        let k_value = self.program.exprs.local(k, Ty::I64);
        let e = &mut self.program.exprs;
        let one = e.i64(1);
        let to = e.binary(BinaryOp::Sub, length, k_value);
        let from = e.binary(BinaryOp::Sub, to, one);
        let mut body = Vec::new();
        for &field in &info.messages {
            let value = self.of_channel(field, channel.slot, Some(from));
            body.push(self.set_of_channel(field, channel.slot, Some(to), value));
        }
        let moves = self.program.exprs.binary(BinaryOp::Sub, length, at_value);
        block.push(Stmt::For { local: k, from: zero, to: moves, body });
        for (&field, &value) in info.messages.iter().zip(&kept) {
            block.push(self.set_of_channel(field, channel.slot, Some(at_value), value));
        }
        let e = &mut self.program.exprs;
        let longer = e.binary(BinaryOp::Add, length, one);
        let field = info.length.expect("a buffered channel");
        block.push(self.set_of_channel(field, channel.slot, None, longer));
        block
    }

    /// The operations of `q?args`.
    #[allow(clippy::too_many_arguments)] // the parts of one statement
    pub(super) fn receive(
        &mut self,
        scope: &Scope,
        expr: ast::ExprId,
        random: bool,
        keep: bool,
        args: &[ast::ExprId],
        place: ast::Place,
    ) -> Option<Vec<Op>> {
        if self.is_input(scope, expr) && !random && !keep {
            return self.receive_input(scope, args, place);
        }
        let channel = self.channel(scope, expr)?;
        let mut ops = Vec::new();
        for ty in channel.types.clone() {
            let Some(patterns) = self.patterns(scope, ty, args, channel.types.len() > 1, place)? else {
                continue;
            };
            let is = self.has_type(&channel, ty);
            let op = if self.channel_types[ty].capacity == 0 {
                self.take(&channel, (ty, is), &patterns, place)
            } else {
                self.take_from_buffer(&channel, (ty, is), (random, keep), &patterns, place)
            };
            ops.push(op);
        }
        Some(ops)
    }

    fn take(
        &mut self,
        channel: &Channel,
        (ty, is): (usize, ExprId),
        patterns: &[Pattern],
        place: ast::Place,
    ) -> Op {
        self.touch(Object::Slot(CHANNELS, channel.which), Manner::Meet);
        let mut guard = is;
        let mut message = Vec::with_capacity(patterns.len());
        for i in 0..patterns.len() {
            message.push(self.offered(i));
        }
        let mut effect = self.observed(true, channel.numbered(), &message, place);
        effect.extend(self.observed(false, channel.numbered(), &message, place));
        for (i, pattern) in patterns.iter().enumerate() {
            let id = message[i];
            match pattern {
                Pattern::Ignored => {}
                Pattern::Value(value) => {
                    let e = &mut self.program.exprs;
                    let same = e.binary(BinaryOp::Eq, id, value.id);
                    guard = e.and(guard, same);
                }
                Pattern::Variable(access) => {
                    let (lo, hi) = self.channel_types[ty].fields[i].bounds();
                    let value = Value { id, lo, hi };
                    effect.push(self.write(*access, value));
                }
            }
        }
        Op { guard, role: Role::Take { at: channel.number, count: patterns.len() }, effect }
    }

    fn take_from_buffer(
        &mut self,
        channel: &Channel,
        (ty, is): (usize, ExprId),
        (random, keep): (bool, bool),
        patterns: &[Pattern],
        place: ast::Place,
    ) -> Op {
        let manner = match (keep, random) {
            (true, _) => Manner::Read,
            (false, true) => Manner::Write,
            (false, false) => Manner::Take,
        };
        self.touch(Object::Slot(CHANNELS, channel.which), manner);
        let can = self.receivable(channel, ty, random, patterns);
        let guard = self.program.exprs.and(is, can);
        let info = self.channel_types[ty].clone();
        let length = self.length_of(channel, ty);
        let zero = self.program.exprs.i64(0);
        let mut effect = Vec::new();
        let mut at_value = zero;
        let constrained = patterns.iter().any(|p| matches!(p, Pattern::Value(_)));
        if random && constrained && info.capacity > 1 {
            let at = self.scratch(0);
            at_value = self.program.exprs.local(at, Ty::I64);
            let found = self.matches(channel, ty, at_value, patterns);
            let body = vec![Stmt::If { cond: found, then: vec![Stmt::Break], otherwise: vec![] }];
            effect.push(Stmt::For { local: at, from: zero, to: length, body });
        }
        if !keep && self.has_trace() {
            let element = (info.capacity > 1).then_some(at_value);
            let part = |this: &mut Self, &field: &FieldId| this.of_channel(field, channel.slot, element);
            let message: Vec<ExprId> = info.messages.iter().map(|field| part(self, field)).collect();
            effect.extend(self.observed(false, channel.numbered(), &message, place));
        }
        // A variable may be the channel itself, or an index: read the message before anything is written.
        let mut reads = Vec::new();
        for (i, (pattern, &field)) in patterns.iter().zip(&info.messages).enumerate() {
            if let Pattern::Variable(access) = pattern {
                let local = self.scratch(3 + i);
                let value = self.of_channel(field, channel.slot, (info.capacity > 1).then_some(at_value));
                effect.push(Stmt::Set { local, value });
                let (lo, hi) = info.fields[i].bounds();
                reads.push((*access, Value { id: self.program.exprs.local(local, Ty::I64), lo, hi }));
            }
        }
        if !keep {
            self.remove(channel, &info, at_value, length, &mut effect);
        }
        for (access, value) in reads {
            let statement = self.write(access, value);
            effect.push(statement);
        }
        Op { guard, role: Role::Alone, effect }
    }

    /// Takes message `at` out: those behind it move down, and the last place becomes empty.
    fn remove(
        &mut self,
        channel: &Channel,
        info: &ChannelType,
        at: ExprId,
        length: ExprId,
        effect: &mut Block,
    ) {
        // The channel may be named by a variable that the message is written to: its slot is kept.
        let slot = match channel.known {
            Some(_) => channel.slot,
            None => {
                let local = self.scratch(2);
                effect.push(Stmt::Set { local, value: channel.slot });
                self.program.exprs.local(local, Ty::I64)
            }
        };
        let e = &mut self.program.exprs;
        let one = e.i64(1);
        let last = e.binary(BinaryOp::Sub, length, one);
        if info.capacity > 1 {
            let i = self.scratch(1);
            let i_value = self.program.exprs.local(i, Ty::I64);
            let next = self.program.exprs.binary(BinaryOp::Add, i_value, one);
            let mut body = Vec::new();
            for &field in &info.messages {
                let value = self.of_channel(field, slot, Some(next));
                body.push(self.set_of_channel(field, slot, Some(i_value), value));
            }
            effect.push(Stmt::For { local: i, from: at, to: last, body });
        }
        for (&field, ty) in info.messages.iter().zip(&info.fields) {
            // The pattern of a new slot: all bits zero.
            let empty = self.program.exprs.i64(ty.bounds().0);
            effect.push(self.set_of_channel(field, slot, (info.capacity > 1).then_some(last), empty));
        }
        let length_field = info.length.expect("a buffered channel");
        effect.push(self.set_of_channel(length_field, slot, None, last));
    }
}

pub(super) fn plural(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}
