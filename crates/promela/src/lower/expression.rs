//! Expressions.
//!
//! Values are those of C's `int`: 64 bits while the interval of a value lies within 32, cut to 32 where it does not.

use super::Lowering;
use super::types::{Scalar, Type};
use super::variables::{Instance, Scope, VarId};
use crate::ast::{self, BinaryOp, ChannelQuery, ExprKind, UnaryOp};
use volvelle_diagnostics::{codes, suggest};
use volvelle_kernel::{
    BinaryOp as Op, CheckedOp, ExprId, FailKind, Node, Site, Stmt, Type as Ty, UnaryOp as Un,
};
use volvelle_model::{
    FieldId, LocationId, Manner, Object, Place, PoolId, SiteInfo, SiteSubject, Touch, Which,
};

/// The pool of processes.
pub(super) const PROCESSES: PoolId = PoolId(0);
/// The pool of channels.
pub(super) const CHANNELS: PoolId = PoolId(1);

/// Where `P@label` looks for a `P` that was started by `run`.
const SLOTS_LOOKED_AT: i64 = 32;

/// A value with the interval that it lies in.
#[derive(Clone, Copy, Debug)]
pub(super) struct Value {
    /// `i64`
    pub id: ExprId,
    pub lo: i64,
    pub hi: i64,
}

/// One scalar: where it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Access {
    pub field: FieldId,
    pub ty: Scalar,
    /// `i64`; `None` for a field of one element.
    pub element: Option<ExprId>,
    /// The slot (`i64`) of another instance.
    pub slot: Option<ExprId>,
    /// Which element it is, as far as that is known beforehand.
    pub which: Which,
}

impl Access {
    /// A field of the process itself.
    pub fn own(field: FieldId, ty: Scalar, element: Option<ExprId>) -> Self {
        Access { field, ty, element, slot: None, which: Which::Any }
    }

    /// A field of the process in a slot; without one, a global field.
    pub fn of(field: FieldId, ty: Scalar, element: Option<ExprId>, slot: Option<ExprId>) -> Self {
        Access { field, ty, element, slot, which: Which::Any }
    }
}

impl Lowering<'_> {
    pub(super) fn number(&mut self, value: i64) -> Value {
        Value { id: self.program.exprs.i64(value), lo: value, hi: value }
    }

    /// A place at which evaluating fails.
    pub(super) fn site(&mut self, kind: FailKind, subject: SiteSubject, place: ast::Place) -> Site {
        let origin = self.origin(place);
        self.program.site(SiteInfo { kind, subject, origin, command: None })
    }

    /// The value of an expression. Recursion is as deep as the parser lets expressions nest.
    pub(super) fn expr(&mut self, scope: &Scope, id: ast::ExprId) -> Option<Value> {
        let model = self.model;
        let expr = model.exprs.get(id);
        match &expr.kind {
            ExprKind::Number(n) => Some(self.number(i64::from(*n as i32))),
            ExprKind::Name(name) => self.name(scope, id, name),
            ExprKind::Index { .. } | ExprKind::Field { .. } => {
                let access = self.access(scope, id)?;
                Some(self.read(access))
            }
            ExprKind::Unary { op, arg } => {
                if *op == UnaryOp::Not {
                    return self.condition(scope, id).map(|c| self.truth(c));
                }
                let a = self.expr(scope, *arg)?;
                match op {
                    UnaryOp::Neg => {
                        let id = self.program.exprs.unary(Un::Neg, a.id);
                        Some(self.int(Value { id, lo: -a.hi, hi: -a.lo }))
                    }
                    UnaryOp::Complement => {
                        let id = self.program.exprs.unary(Un::Not, a.id);
                        Some(Value { id, lo: !a.hi, hi: !a.lo })
                    }
                    _ => {
                        self.temporal(expr.place);
                        None
                    }
                }
            }
            ExprKind::Binary { op, lhs, rhs } => self.binary(scope, id, *op, *lhs, *rhs),
            ExprKind::Conditional { cond, yes, no } => {
                let cond = self.condition(scope, *cond)?;
                let (yes, no) = (self.expr(scope, *yes)?, self.expr(scope, *no)?);
                let id = self.program.exprs.select(cond, yes.id, no.id);
                Some(Value { id, lo: yes.lo.min(no.lo), hi: yes.hi.max(no.hi) })
            }
            ExprKind::Query { query: ChannelQuery::Len, channel } => self.channel_length(scope, *channel),
            ExprKind::Query { .. }
            | ExprKind::Poll { .. }
            | ExprKind::Timeout
            | ExprKind::RemoteLabel { .. }
            | ExprKind::Enabled(_) => self.condition(scope, id).map(|c| self.truth(c)),
            ExprKind::Eval(inner) => self.expr(scope, *inner),
            ExprKind::RemoteVariable { process, pid, variable } => {
                let access = self.remote_variable(scope, process, *pid, *variable)?;
                Some(self.read(access))
            }
            ExprKind::PcValue(pid) => self.pc_value(scope, *pid),
            ExprKind::GetPriority(pid) => self.get_priority(scope, *pid),
            ExprKind::SetPriority(..) => {
                let message = "`set_priority` is a statement and has no value";
                self.error(codes::TYPE_MISMATCH, message, expr.place, "");
                None
            }
            ExprKind::Run { .. } => {
                let help = "make it a statement of its own: `run P()` or `p = run P()`";
                self.unsupported(expr.place, "`run` cannot be a part of an expression", help);
                None
            }
            ExprKind::Else => {
                self.error(
                    codes::TYPE_MISMATCH,
                    "`else` is only the first statement of an alternative",
                    expr.place,
                    "",
                );
                None
            }
            ExprKind::Text(_) => {
                self.error(codes::TYPE_MISMATCH, "a text is no value", expr.place, "");
                None
            }
            ExprKind::Error => None,
        }
    }

    fn temporal(&mut self, place: ast::Place) {
        self.error(codes::TYPE_MISMATCH, "a temporal operator is for `ltl` formulas", place, "");
    }

    /// 0 or 1.
    pub(super) fn truth(&mut self, cond: ExprId) -> Value {
        Value { id: self.program.exprs.convert(Ty::I64, cond), lo: 0, hi: 1 }
    }

    /// Cuts a value to 32 bits where it may need that.
    fn int(&mut self, value: Value) -> Value {
        let (lo, hi) = Scalar::Int.bounds();
        if value.lo >= lo && value.hi <= hi {
            return value;
        }
        let e = &mut self.program.exprs;
        let narrow = e.convert(Ty::I32, value.id);
        Value { id: e.convert(Ty::I64, narrow), lo, hi }
    }

    /// Cuts a value as a store to a variable of this type does.
    pub(super) fn wrapped(&mut self, value: Value, ty: Scalar) -> Value {
        let (lo, hi) = ty.bounds();
        if value.lo >= lo && value.hi <= hi {
            return value;
        }
        if let Some(c) = self.program.exprs.as_const(value.id).and_then(|c| c.as_i64()) {
            return self.number(ty.wrap(c));
        }
        let e = &mut self.program.exprs;
        let id = match ty {
            Scalar::Short => {
                let narrow = e.convert(Ty::I16, value.id);
                e.convert(Ty::I64, narrow)
            }
            Scalar::Int => {
                let narrow = e.convert(Ty::I32, value.id);
                e.convert(Ty::I64, narrow)
            }
            _ => {
                let mask = e.i64(hi);
                e.binary(Op::BitAnd, value.id, mask)
            }
        };
        Value { id, lo, hi }
    }

    fn binary(
        &mut self,
        scope: &Scope,
        id: ast::ExprId,
        op: BinaryOp,
        lhs: ast::ExprId,
        rhs: ast::ExprId,
    ) -> Option<Value> {
        use BinaryOp::*;
        match op {
            Lt | Le | Gt | Ge | Eq | Ne | And | Or => {
                return self.condition(scope, id).map(|c| self.truth(c));
            }
            Implies | Equivalent | Until | WeakUntil | Release => {
                self.temporal(self.model.exprs.get(id).place);
                return None;
            }
            _ => {}
        }
        let (a, b) = (self.expr(scope, lhs)?, self.expr(scope, rhs)?);
        let (all_lo, all_hi) = Scalar::Int.bounds();
        let all = |id| Value { id, lo: all_lo, hi: all_hi };
        let bits = |v: i64| if v <= 0 { 0 } else { (1i64 << (64 - v.leading_zeros())) - 1 };
        let nonnegative = a.lo >= 0 && b.lo >= 0;
        let value = match op {
            Add => Value { id: self.op(Op::Add, a, b), lo: a.lo + b.lo, hi: a.hi + b.hi },
            Sub => Value { id: self.op(Op::Sub, a, b), lo: a.lo - b.hi, hi: a.hi - b.lo },
            Mul => {
                let products = [a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi];
                let lo = products.into_iter().min().unwrap_or(0);
                let hi = products.into_iter().max().unwrap_or(0);
                Value { id: self.op(Op::Mul, a, b), lo, hi }
            }
            Div | Rem => {
                let checked = if op == Div { CheckedOp::Div } else { CheckedOp::Rem };
                let place = self.place(rhs);
                let site = self.site(FailKind::Division, SiteSubject::Expression, place);
                let id = self.program.exprs.checked(checked, a.id, b.id, site);
                if nonnegative {
                    let hi = if op == Div { a.hi } else { a.hi.min((b.hi - 1).max(0)) };
                    Value { id, lo: 0, hi }
                } else {
                    Value { id, lo: all_lo, hi: all_hi + 1 }
                }
            }
            BitAnd if nonnegative => Value { id: self.op(Op::BitAnd, a, b), lo: 0, hi: a.hi.min(b.hi) },
            BitAnd => all(self.op(Op::BitAnd, a, b)),
            BitOr if nonnegative => Value { id: self.op(Op::BitOr, a, b), lo: 0, hi: bits(a.hi | b.hi) },
            BitOr => all(self.op(Op::BitOr, a, b)),
            BitXor if nonnegative => Value { id: self.op(Op::BitXor, a, b), lo: 0, hi: bits(a.hi | b.hi) },
            BitXor => all(self.op(Op::BitXor, a, b)),
            Shl | Shr => {
                // As the processors do it that SPIN runs on: the amount counts modulo 32.
                let amount = if b.lo >= 0 && b.hi < 32 {
                    b.id
                } else {
                    let e = &mut self.program.exprs;
                    let mask = e.i64(31);
                    e.binary(Op::BitAnd, b.id, mask)
                };
                let id = self.program.exprs.binary(if op == Shl { Op::Shl } else { Op::Shr }, a.id, amount);
                if op == Shr {
                    Value { id, lo: a.lo.min(0), hi: a.hi.max(0) }
                } else if a.lo >= 0 && b.lo >= 0 && b.hi < 31 {
                    Value { id, lo: 0, hi: a.hi << b.hi }
                } else {
                    Value { id, lo: i64::MIN, hi: i64::MAX }
                }
            }
            _ => unreachable!("handled above"),
        };
        Some(self.int(value))
    }

    fn op(&mut self, op: Op, a: Value, b: Value) -> ExprId {
        self.program.exprs.binary(op, a.id, b.id)
    }

    /// Whether an expression differs from zero (`bool`).
    pub(super) fn condition(&mut self, scope: &Scope, id: ast::ExprId) -> Option<ExprId> {
        let waited_for = self.waited_for;
        let grows = |kind: &ExprKind| {
            use BinaryOp::{And, Or};
            matches!(
                kind,
                ExprKind::Binary { op: And | Or, .. } | ExprKind::Query { .. } | ExprKind::Poll { .. }
            )
        };
        self.waited_for &= grows(&self.model.exprs.get(id).kind);
        let result = self.any_condition(scope, id);
        self.waited_for = waited_for;
        result
    }

    fn any_condition(&mut self, scope: &Scope, id: ast::ExprId) -> Option<ExprId> {
        let model = self.model;
        let expr = model.exprs.get(id);
        match &expr.kind {
            ExprKind::Unary { op: UnaryOp::Not, arg } => {
                let arg = self.condition(scope, *arg)?;
                Some(self.program.exprs.not(arg))
            }
            ExprKind::Binary { op, lhs, rhs } => {
                use BinaryOp::*;
                let comparison = match op {
                    And | Or => {
                        let (a, b) = (self.condition(scope, *lhs)?, self.condition(scope, *rhs)?);
                        let e = &mut self.program.exprs;
                        return Some(if *op == And { e.and(a, b) } else { e.or(a, b) });
                    }
                    Lt => Op::Lt,
                    Le => Op::Le,
                    Gt => Op::Gt,
                    Ge => Op::Ge,
                    Eq => Op::Eq,
                    Ne => Op::Ne,
                    _ => {
                        let value = self.expr(scope, id)?;
                        return Some(self.nonzero(value));
                    }
                };
                self.check_pc_value(*lhs, *rhs);
                let (a, b) = (self.expr(scope, *lhs)?, self.expr(scope, *rhs)?);
                Some(self.program.exprs.binary(comparison, a.id, b.id))
            }
            ExprKind::Query { query, channel } if *query != ChannelQuery::Len => {
                self.channel_query(scope, *query, *channel)
            }
            ExprKind::Poll { channel, random, args } => self.poll(scope, *channel, *random, args, expr.place),
            ExprKind::Timeout => {
                self.touch(Object::Everything, Manner::Read);
                Some(self.program.read(Place::Timeout))
            }
            ExprKind::RemoteLabel { process, pid, label } => self.remote_label(scope, process, *pid, label),
            ExprKind::Enabled(pid) => self.enabled(scope, *pid, expr.place),
            _ => {
                let value = self.expr(scope, id)?;
                Some(self.nonzero(value))
            }
        }
    }

    pub(super) fn nonzero(&mut self, value: Value) -> ExprId {
        if let Node::Convert { to: Ty::I64, arg } = self.program.exprs.node(value.id)
            && self.program.exprs.ty(arg) == Ty::Bool
        {
            return arg;
        }
        let e = &mut self.program.exprs;
        let zero = e.i64(0);
        e.binary(Op::Ne, value.id, zero)
    }

    fn name(&mut self, scope: &Scope, id: ast::ExprId, name: &ast::Name) -> Option<Value> {
        if self.lookup(scope, &name.text).is_some() {
            let access = self.access(scope, id)?;
            return Some(self.read(access));
        }
        if let Some(&(_, value)) = self.mtypes.values.get(&name.text) {
            return Some(self.number(value));
        }
        match name.text.as_str() {
            "_pid" => {
                if scope.process.is_none() {
                    self.error(codes::UNKNOWN_NAME, "`_pid` is known in processes only", name.place, "");
                    return None;
                }
                let id = match scope.instance {
                    Instance::Own => self.program.read(Place::Mover),
                    Instance::At(slot) => slot,
                };
                Some(Value { id, lo: 0, hi: 65_535 })
            }
            "_nr_pr" => {
                let count = self.internal.processes;
                self.touch(Object::Count(PROCESSES), Manner::Read);
                Some(self.global_value(count, Scalar::Pid))
            }
            "_priority" => self.own_priority(scope, name.place),
            "_last" => match self.internal.last {
                Some(last) => Some(self.global_value(last, Scalar::Pid)),
                None => Some(self.number(0)),
            },
            "_" => {
                self.error(codes::TYPE_MISMATCH, "`_` can be written, not read", name.place, "");
                None
            }
            "np_" => self.no_progress(scope, name.place).map(|holds| self.truth(holds)),
            "STDIN" => {
                self.no_input(name.place);
                None
            }
            _ => {
                self.undeclared(scope, name);
                None
            }
        }
    }

    pub(super) fn undeclared(&mut self, scope: &Scope, name: &ast::Name) {
        if !self.complained.insert(name.text.clone()) {
            return;
        }
        let known: Vec<&str> = scope
            .names
            .iter()
            .map(|(n, _)| n.as_str())
            .chain(self.globals.keys().map(String::as_str))
            .chain(self.mtypes.values.keys().map(String::as_str))
            .collect();
        let text = suggest(&name.text, known).map_or(String::new(), |near| format!("did you mean `{near}`?"));
        let message = format!("`{}` is not declared", name.text);
        self.error(codes::UNKNOWN_NAME, message, name.place, &text);
    }

    pub(super) fn global_value(&mut self, field: FieldId, ty: Scalar) -> Value {
        let (lo, hi) = ty.bounds();
        Value { id: self.program.field(field), lo, hi }
    }

    /// The location of the process in a slot; 0 where there is none.
    pub(super) fn location_of(&mut self, slot: ExprId) -> Value {
        let live = self.is_live(slot);
        let field = self.internal.location;
        let place = self.program.field_in(field, Some(slot));
        let location = self.program.read(place);
        let e = &mut self.program.exprs;
        let zero = e.i64(0);
        let id = e.select(live, location, zero);
        Value { id, lo: 0, hi: i64::from(u32::MAX) }
    }

    pub(super) fn is_live(&mut self, slot: ExprId) -> ExprId {
        let count = self.program.field(self.internal.processes);
        let e = &mut self.program.exprs;
        let (slot, count) = (e.convert(Ty::U64, slot), e.convert(Ty::U64, count));
        e.binary(Op::Lt, slot, count)
    }

    /// The slot that `P[pid]` or `P` means.
    fn remote_slot(
        &mut self,
        scope: &Scope,
        process: &ast::Name,
        pid: Option<ast::ExprId>,
    ) -> Option<ExprId> {
        let Some(number) = self.processes.iter().position(|p| p.name == process.text) else {
            let message = format!("`{}` is not a process", process.text);
            self.error(codes::UNKNOWN_NAME, message, process.place, "");
            return None;
        };
        match pid {
            Some(pid) => self.expr(scope, pid).map(|v| v.id),
            None => Some(self.last_of_type(number, process)),
        }
    }

    /// The youngest process of a type, as SPIN takes it; -1 if there is none among the first few.
    fn last_of_type(&mut self, number: usize, process: &ast::Name) -> ExprId {
        let slots = self.processes[number].slots.clone();
        let started = self.started.contains(&process.text);
        if let ([slot], false) = (slots.as_slice(), started) {
            return self.program.exprs.i64(*slot);
        }
        if slots.len() > 1 {
            let message = format!("`{}` has several instances: the youngest is meant", process.text);
            let note = format!("`{}[pid]` names one", process.text);
            self.warning(codes::UNUSED_OR_SUSPICIOUS, message, process.place, &note);
        }
        let (first, count) = self.processes[number].locations;
        let mut found = self.program.exprs.i64(-1);
        for slot in 0..SLOTS_LOOKED_AT {
            let slot = self.program.exprs.i64(slot);
            let location = self.location_of(slot);
            let e = &mut self.program.exprs;
            let first = e.i64(i64::from(first));
            let offset = e.binary(Op::Sub, location.id, first);
            let offset = e.convert(Ty::U64, offset);
            let count = e.u64(u64::from(count));
            let right = e.binary(Op::Lt, offset, count);
            found = e.select(right, slot, found);
        }
        found
    }

    fn remote_label(
        &mut self,
        scope: &Scope,
        process: &ast::Name,
        pid: Option<ast::ExprId>,
        label: &ast::Name,
    ) -> Option<ExprId> {
        self.looks_into_others |= scope.process.is_some();
        let slot = self.remote_slot(scope, process, pid)?;
        let number = self.processes.iter().position(|p| p.name == process.text)?;
        let Some(location) = self.label_location(number, &label.text) else {
            let message = format!("`{}` has no label `{}`", process.text, label.text);
            self.error(codes::UNKNOWN_NAME, message, label.place, "");
            return None;
        };
        let found = self.location_of(slot);
        let LocationId(location) = location;
        let wanted = self.program.exprs.i64(i64::from(location));
        Some(self.program.exprs.binary(Op::Eq, found.id, wanted))
    }

    fn remote_variable(
        &mut self,
        scope: &Scope,
        process: &ast::Name,
        pid: Option<ast::ExprId>,
        variable: ast::ExprId,
    ) -> Option<Access> {
        self.looks_into_others |= scope.process.is_some();
        let slot = self.remote_slot(scope, process, pid)?;
        let number = self.processes.iter().position(|p| p.name == process.text)?;
        let place = process.place;
        // The process must be there, and of that type.
        let live = self.is_live(slot);
        let location = self.location_of(slot);
        let (first, count) = self.processes[number].locations;
        let e = &mut self.program.exprs;
        let first = e.i64(i64::from(first));
        let offset = e.binary(Op::Sub, location.id, first);
        let offset = e.convert(Ty::U64, offset);
        let count = e.u64(u64::from(count));
        let right = e.binary(Op::Lt, offset, count);
        let good = e.and(live, right);
        let minus = e.i64(-1);
        let checked = e.select(good, slot, minus);
        let site = self.site(FailKind::Range, SiteSubject::Expression, place);
        let slot = self.program.exprs.add(Node::Range { arg: checked, lo: 0, hi: 65_535, site });
        let mut names: Vec<(String, VarId)> = Vec::new();
        for (i, v) in self.variables.iter().enumerate() {
            if v.process.is_some_and(|p| p.0 as usize == number) {
                names.push((v.name.clone(), VarId(i as u32)));
            }
        }
        let inner = Scope { process: scope.process, instance: Instance::At(slot), names };
        self.access(&inner, variable)
    }

    /// The scalar that an expression names.
    pub(super) fn access(&mut self, scope: &Scope, id: ast::ExprId) -> Option<Access> {
        let place = self.place(id);
        let model = self.model;
        if let ExprKind::RemoteVariable { process, pid, variable } = &model.exprs.get(id).kind {
            return self.remote_variable(scope, process, *pid, *variable);
        }
        let Some(path) = self.path(id) else {
            self.error(codes::TYPE_MISMATCH, "this is not a variable", place, "");
            return None;
        };
        let (name, indices) = (path.name.clone(), path.indices.clone());
        let members: Vec<ast::Name> = path.members.iter().map(|&m| m.clone()).collect();
        let Some(var) = self.lookup(scope, &name.text) else {
            self.undeclared(scope, &name);
            return None;
        };
        let info = self.variables[var.0 as usize].clone();
        let leaf = info.leaves.iter().find(|l| l.path.iter().eq(members.iter().map(|m| &m.text)));
        let Some(leaf) = leaf.cloned() else {
            self.no_such_member(&info, &name, &members);
            return None;
        };
        let mut element: Option<Value> = None;
        let lengths = leaf.lengths.clone();
        let mut which = Which::Constant(0);
        for (index, &length) in indices.iter().zip(&lengths) {
            let index = match index {
                Some(index) => {
                    let place = self.place(*index);
                    let this = self.which(scope, *index);
                    let several = lengths.iter().filter(|&&n| n > 1).count() > 1;
                    if length > 1 {
                        which = if several { Which::Any } else { this };
                    }
                    let value = self.expr(scope, *index)?;
                    self.checked_index(value, length, place)
                }
                // `a` for `a[0]`, as SPIN reads it.
                None => self.number(0),
            };
            element = Some(match element {
                None => index,
                Some(outer) => {
                    let length = self.number(i64::from(length));
                    let scaled = self.op(Op::Mul, outer, length);
                    let id = self.program.exprs.binary(Op::Add, scaled, index.id);
                    Value { id, lo: 0, hi: outer.hi * length.hi + index.hi }
                }
            });
        }
        let total: u32 = lengths.iter().product();
        let element = if total == 1 { None } else { element.map(|e| e.id) };
        let slot = match (info.process, scope.instance) {
            (Some(_), Instance::At(slot)) => Some(slot),
            _ => None,
        };
        Some(Access { field: leaf.field, ty: leaf.ty, element, slot, which })
    }

    /// The value of an index, as far as it is known beforehand.
    fn which(&self, scope: &Scope, index: ast::ExprId) -> Which {
        if let Some(value) = self.constant(index) {
            return Which::Constant(value);
        }
        if scope.instance != Instance::Own {
            return Which::Any;
        }
        match &self.model.exprs.get(index).kind {
            ExprKind::Name(name) => match self.fixed_local(scope, &name.text) {
                Some(field) => Which::Own(field, 0),
                None if name.text == "_pid" && self.lookup(scope, "_pid").is_none() => Which::Mover,
                None => Which::Any,
            },
            _ => Which::Any,
        }
    }

    /// The field of a local scalar that keeps what it gets when its process starts.
    pub(super) fn fixed_local(&self, scope: &Scope, name: &str) -> Option<FieldId> {
        let info = &self.variables[self.lookup(scope, name)?.0 as usize];
        let fixed = info.process.is_some() && !info.late && !self.assigned.contains(name);
        match info.leaves.as_slice() {
            [leaf] if fixed && info.length.is_none() && leaf.path.is_empty() => Some(leaf.field),
            _ => None,
        }
    }

    /// Notes what the statement at hand uses.
    pub(super) fn touch(&mut self, object: Object, manner: Manner) {
        let touch = Touch { object, manner };
        if !self.touches.contains(&touch) {
            self.touches.push(touch);
        }
    }

    /// Notes the use of a variable, if others may use it, too.
    fn touch_variable(&mut self, access: Access, manner: Manner) {
        if self.program.fields[access.field.index()].component.is_none() {
            self.touch(Object::Field(access.field, access.which), manner);
        }
    }

    fn checked_index(&mut self, value: Value, length: u32, place: ast::Place) -> Value {
        let hi = i64::from(length) - 1;
        if value.lo >= 0 && value.hi <= hi {
            return value;
        }
        let site = self.site(FailKind::Range, SiteSubject::Expression, place);
        let id = self.program.exprs.add(Node::Range { arg: value.id, lo: 0, hi, site });
        Value { id, lo: 0, hi }
    }

    fn no_such_member(&mut self, info: &super::variables::VarInfo, name: &ast::Name, members: &[ast::Name]) {
        let (message, place) = match (info.ty, members.last()) {
            (Type::Struct(_), None) => (format!("`{}` is a structure: name a member", name.text), name.place),
            (Type::Struct(s), Some(m)) => {
                (format!("`{}` has no member `{}`", self.structs[s].name, m.text), m.place)
            }
            (_, Some(m)) => (format!("`{}` is no structure", name.text), m.place),
            (_, None) => (format!("`{}` cannot be read", name.text), name.place),
        };
        self.error(codes::TYPE_MISMATCH, message, place, "");
    }

    pub(super) fn read(&mut self, access: Access) -> Value {
        if !self.constant_channels.contains_key(&access.field) {
            self.touch_variable(access, Manner::Read);
        }
        self.value_of(access)
    }

    /// The value, where what it is read for has been noted.
    pub(super) fn value_of(&mut self, access: Access) -> Value {
        let (lo, hi) = access.ty.bounds();
        if let Some(&first) = self.constant_channels.get(&access.field) {
            let first = self.program.exprs.i64(first);
            let id = match access.element {
                Some(element) => self.program.exprs.binary(Op::Add, first, element),
                None => first,
            };
            return Value { id, lo, hi };
        }
        let place = self.program.field_in(access.field, access.slot);
        let id = match access.element {
            None => self.program.read(place),
            Some(element) => self.program.read_element(place, element),
        };
        Value { id, lo, hi }
    }

    /// The store of a value, cut to the type.
    pub(super) fn write(&mut self, access: Access, value: Value) -> Stmt {
        self.touch_variable(access, Manner::Write);
        self.store(access, value)
    }

    /// The store of the old value and an amount.
    pub(super) fn add_to(&mut self, access: Access, amount: i64) -> Stmt {
        self.touch_variable(access, Manner::Add);
        let old = self.value_of(access);
        let amount = self.number(amount);
        let id = self.program.exprs.binary(Op::Add, old.id, amount.id);
        let sum = Value { id, lo: old.lo + amount.lo, hi: old.hi + amount.hi };
        self.store(access, sum)
    }

    fn store(&mut self, access: Access, value: Value) -> Stmt {
        let is_hidden =
            self.variables.iter().any(|v| v.hidden && v.leaves.iter().any(|l| l.field == access.field));
        let cut = if is_hidden { None } else { self.cut(value, access.ty) };
        let wrapped = self.wrapped(value, access.ty).id;
        let store = self.store_of(access, wrapped);
        match cut {
            Some((cond, mut then)) => {
                then.push(store);
                let plain = self.store_of(access, value.id);
                Stmt::If { cond, then, otherwise: vec![plain] }
            }
            None => store,
        }
    }

    fn store_of(&mut self, access: Access, value: ExprId) -> Stmt {
        let place = self.program.field_in(access.field, access.slot);
        match access.element {
            None => self.program.set(place, value),
            Some(element) => self.program.set_element(place, element, value),
        }
    }
}
