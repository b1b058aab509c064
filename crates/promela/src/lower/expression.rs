//! Expressions: dispatch on their kinds, and the recursion over their operands.
//!
//! This file lowers operands to values, and calls the files of the subjects with these. So all recursion of expressions –
//! through indices, remote references, channels and the arguments of receives – is in this file.

use super::channels::{Channel, Pattern};
use super::code::{Code, Context};
use super::instances::{CHANNELS, PROCESSES};
use super::path::Path;
use super::reports::Once;
use super::symbols::{Instance, Leaf, ProcessId, Scope, VariableInfo};
use super::types::{Scalar, Type};
use super::values::Value;
use super::variables::Access;
use crate::ast::{self, BinaryOp, ChannelQuery, ExprKind, UnaryOp};
use volvelle_diagnostics::codes;
use volvelle_kernel::{BinaryOp as Op, ExprId};
use volvelle_model::{AccessMode, Place, SharedResource, Which};

impl Code<'_, '_> {
    /// The value of an expression. The parser limits the depth of the recursion.
    pub(super) fn expr(&mut self, cx: Context<'_>, id: ast::ExprId) -> Option<Value> {
        let cx = cx.operand();
        let model = self.env.model;
        let expr = model.exprs.get(id);
        match &expr.kind {
            ExprKind::Number(n) => Some(self.number(i64::from(*n as i32))),
            ExprKind::Name(name) => self.name(cx, id, name),
            ExprKind::Index { .. } | ExprKind::Field { .. } => {
                let access = self.access(cx, id)?;
                Some(self.read(access))
            }
            ExprKind::Unary { op, arg } => {
                if *op == UnaryOp::Not {
                    return self.condition(cx, id).map(|c| self.truth(c));
                }
                let a = self.expr(cx, *arg)?;
                match op {
                    UnaryOp::Neg => Some(self.negated(a)),
                    UnaryOp::Complement => Some(self.complemented(a)),
                    _ => {
                        self.temporal(expr.place);
                        None
                    }
                }
            }
            ExprKind::Binary { op, lhs, rhs } => self.binary(cx, id, *op, *lhs, *rhs),
            ExprKind::Conditional { cond, yes, no } => {
                let cond = self.condition(cx, *cond)?;
                let (cond, yes) = self.only_if(cond, true, |code| code.expr(cx, *yes))?;
                let (cond, no) = self.only_if(cond, false, |code| code.expr(cx, *no))?;
                let id = self.out.program.exprs.select(cond, yes.id, no.id);
                Some(Value { id, lo: yes.lo.min(no.lo), hi: yes.hi.max(no.hi) })
            }
            ExprKind::Query { query: ChannelQuery::Len, channel } => {
                let channel = self.channel(cx, *channel)?;
                Some(self.channel_length(&channel))
            }
            ExprKind::Query { .. }
            | ExprKind::Poll { .. }
            | ExprKind::Timeout
            | ExprKind::RemoteLabel { .. }
            | ExprKind::Enabled(_) => self.condition(cx, id).map(|c| self.truth(c)),
            ExprKind::Eval(inner) => self.expr(cx, *inner),
            ExprKind::RemoteVariable { process, pid, variable } => {
                // Variables of a process that is not there are 0, as for SPIN.
                let place = self.remote_slot(cx, process, *pid)?;
                let live = self.is_live(place.1);
                let (live, value) = self.only_if(live, true, |code| {
                    let access = code.remote_variable(cx, process.place, place, *variable)?;
                    Some(code.read(access))
                })?;
                let e = &mut self.out.program.exprs;
                let none = e.i64(0);
                let id = e.select(live, value.id, none);
                Some(Value { id, lo: value.lo.min(0), hi: value.hi.max(0) })
            }
            ExprKind::PcValue(pid) => {
                self.out.reads_remotely |= cx.scope.process.is_some();
                let slot = self.expr(cx, *pid)?.id;
                Some(self.pc_value(slot))
            }
            ExprKind::GetPriority(pid) => {
                let slot = self.expr(cx, *pid)?.id;
                self.priority_in(slot)
            }
            ExprKind::SetPriority(..) => {
                let message = "`set_priority` is a statement and has no value";
                self.error(codes::TYPE_MISMATCH, message, expr.place, "");
                None
            }
            ExprKind::Run { .. } => self.run_operand(cx, id, expr.place),
            ExprKind::Else => {
                self.error(
                    codes::TYPE_MISMATCH,
                    "`else` can only be the first statement of an alternative",
                    expr.place,
                    "",
                );
                None
            }
            ExprKind::Text(_) => {
                self.error(codes::TYPE_MISMATCH, "a string is not a value", expr.place, "");
                None
            }
            ExprKind::Error => None,
        }
    }

    fn binary(
        &mut self,
        cx: Context<'_>,
        id: ast::ExprId,
        op: BinaryOp,
        lhs: ast::ExprId,
        rhs: ast::ExprId,
    ) -> Option<Value> {
        use BinaryOp::*;
        match op {
            Lt | Le | Gt | Ge | Eq | Ne | And | Or => {
                return self.condition(cx, id).map(|c| self.truth(c));
            }
            Implies | Equivalent | Until | WeakUntil | Release => {
                self.temporal(self.env.model.exprs.get(id).place);
                return None;
            }
            _ => {}
        }
        let a = self.expr(cx, lhs)?;
        let (id, b) = self.before(a.id, |code| code.expr(cx, rhs))?;
        let place = self.env.place(rhs);
        Some(self.arithmetic(op, Value { id, ..a }, b, place))
    }

    /// Reports a temporal operator outside of formulas.
    fn temporal(&mut self, place: ast::Place) {
        self.error(codes::TYPE_MISMATCH, "temporal operators are allowed in `ltl` formulas only", place, "");
    }

    /// Whether an expression differs from zero (`bool`).
    pub(super) fn condition(&mut self, cx: Context<'_>, id: ast::ExprId) -> Option<ExprId> {
        let model = self.env.model;
        let expr = model.exprs.get(id);
        match &expr.kind {
            ExprKind::Unary { op: UnaryOp::Not, arg } => {
                let arg = self.condition(cx.operand(), *arg)?;
                Some(self.out.program.exprs.not(arg))
            }
            ExprKind::Binary { op, lhs, rhs } => {
                use BinaryOp::*;
                let comparison = match op {
                    And | Or => {
                        let a = self.condition(cx, *lhs)?;
                        let (a, b) = self.only_if(a, *op == And, |code| code.condition(cx, *rhs))?;
                        let e = &mut self.out.program.exprs;
                        return Some(if *op == And { e.and(a, b) } else { e.or(a, b) });
                    }
                    Lt => Op::Lt,
                    Le => Op::Le,
                    Gt => Op::Gt,
                    Ge => Op::Ge,
                    Eq => Op::Eq,
                    Ne => Op::Ne,
                    _ => {
                        let value = self.expr(cx, id)?;
                        return Some(self.nonzero(value));
                    }
                };
                self.check_pc_value(*lhs, *rhs);
                let a = self.expr(cx, *lhs)?;
                let (a, b) = self.before(a.id, |code| code.expr(cx, *rhs))?;
                Some(self.out.program.exprs.binary(comparison, a, b.id))
            }
            ExprKind::Query { query, channel } if *query != ChannelQuery::Len => {
                let channel = self.channel(cx, *channel)?;
                Some(self.channel_query(&channel, *query, cx.awaited))
            }
            ExprKind::Poll { channel, random, args } => self.poll(cx, *channel, *random, args, expr.place),
            ExprKind::Timeout => {
                self.access_to(SharedResource::Everything, AccessMode::Read);
                Some(self.out.program.read(Place::Timeout))
            }
            ExprKind::RemoteLabel { process, pid, label } => self.remote_label(cx, process, *pid, label),
            ExprKind::Enabled(pid) => {
                if !self.may_use_enabled(cx.scope, expr.place) {
                    return None;
                }
                let slot = self.expr(cx, *pid)?.id;
                Some(self.enabled(slot))
            }
            _ => {
                let value = self.expr(cx, id)?;
                Some(self.nonzero(value))
            }
        }
    }

    /// The value of a name.
    fn name(&mut self, cx: Context<'_>, id: ast::ExprId, name: &ast::Name) -> Option<Value> {
        if self.env.lookup(cx.scope, &name.text).is_some() {
            let access = self.access(cx, id)?;
            return Some(self.read(access));
        }
        if let Some(&(_, value)) = self.env.mtypes.values.get(&name.text) {
            return Some(self.number(value));
        }
        match name.text.as_str() {
            "_pid" => {
                if cx.scope.process.is_none() {
                    self.error(codes::UNKNOWN_NAME, "`_pid` is available in processes only", name.place, "");
                    return None;
                }
                let id = match cx.scope.instance {
                    Instance::Own => self.out.program.read(Place::Mover),
                    Instance::At(slot) => slot,
                };
                Some(Value { id, lo: 0, hi: 65_535 })
            }
            "_nr_pr" => {
                let count = self.env.fields.processes;
                self.access_to(SharedResource::Count(PROCESSES), AccessMode::Read);
                Some(self.global_value(count, Scalar::Pid))
            }
            "_priority" => self.own_priority(cx, name.place),
            "_last" => match self.env.fields.last {
                Some(last) => Some(self.global_value(last, Scalar::Pid)),
                None => Some(self.number(0)),
            },
            "_" => {
                self.error(codes::TYPE_MISMATCH, "`_` can be written but not read", name.place, "");
                None
            }
            "np_" => self.no_progress(cx, name.place).map(|holds| self.truth(holds)),
            "STDIN" => {
                self.input_misuse(name.place);
                None
            }
            _ => {
                self.undeclared(cx.scope, name);
                None
            }
        }
    }

    /// The process type and the slot that `P[pid]` or `P` means.
    fn remote_slot(
        &mut self,
        cx: Context<'_>,
        process: &ast::Name,
        pid: Option<ast::ExprId>,
    ) -> Option<(ProcessId, ExprId)> {
        self.out.reads_remotely |= cx.scope.process.is_some();
        let Some(number) = self.env.process(&process.text) else {
            let message = format!("`{}` is not a process", process.text);
            let known = self.env.processes.values().map(|known| known.name.as_str());
            self.out.reports.misspelt(codes::UNKNOWN_NAME, message, process.place, &process.text, known);
            return None;
        };
        let slot = match pid {
            Some(pid) => self.expr(cx, pid)?.id,
            None => self.youngest(number, process),
        };
        Some((number, slot))
    }

    /// `P[pid]@label` (`bool`)
    fn remote_label(
        &mut self,
        cx: Context<'_>,
        process: &ast::Name,
        pid: Option<ast::ExprId>,
        label: &ast::Name,
    ) -> Option<ExprId> {
        let (number, slot) = self.remote_slot(cx, process, pid)?;
        let Some(location) = self.env.label_location(number, &label.text) else {
            let message = format!("`{}` has no label `{}`", process.text, label.text);
            let mut known: Vec<&String> = self.env.processes[number].labels.keys().collect();
            known.sort_unstable();
            self.out.reports.misspelt(codes::UNKNOWN_NAME, message, label.place, &label.text, known);
            return None;
        };
        let found = self.location_of(slot);
        let wanted = self.out.program.exprs.i64(i64::from(location.0));
        Some(self.out.program.exprs.binary(Op::Eq, found.id, wanted))
    }

    /// `P[pid]:variable`, of a process type and a slot.
    fn remote_variable(
        &mut self,
        cx: Context<'_>,
        place: ast::Place,
        (number, slot): (ProcessId, ExprId),
        variable: ast::ExprId,
    ) -> Option<Access> {
        let slot = self.checked_slot(number, slot, place);
        let variables = self.env.variables_of(number).iter();
        let names = variables.map(|&id| (self.env.variables[id].name.clone(), id)).collect();
        let scope = Scope { process: cx.scope.process, instance: Instance::At(slot), names };
        self.access(Context::of(&scope), variable)
    }

    /// The scalar that an expression names.
    pub(super) fn access(&mut self, cx: Context<'_>, id: ast::ExprId) -> Option<Access> {
        let place = self.env.place(id);
        let model = self.env.model;
        if let ExprKind::RemoteVariable { process, pid, variable } = &model.exprs.get(id).kind {
            let slot = self.remote_slot(cx, process, *pid)?;
            return self.remote_variable(cx, process.place, slot, *variable);
        }
        let env = self.env;
        let Some(path) = env.path(id) else {
            self.error(codes::TYPE_MISMATCH, "this is not a variable", place, "");
            return None;
        };
        let Path { name, indices, members } = path;
        let Some(var) = self.env.lookup(cx.scope, &name.text) else {
            self.undeclared(cx.scope, name);
            return None;
        };
        let info = &env.variables[var];
        let path: Vec<String> = members.iter().map(|m| m.text.clone()).collect();
        let Some(leaf) = self.out.member(var, &info.leaves, &path).map(|number| &info.leaves[number]) else {
            self.no_such_member(info, name, &members);
            return None;
        };
        if let (Some(index), None) = (indices[0], info.length)
            && self.env.constant(index).is_some_and(|index| index != 0)
        {
            let message = format!("`{}` is no array", name.text);
            self.error(codes::TYPE_MISMATCH, message, place, "SPIN refuses an index other than 0 as well");
            return None;
        }
        let (element, which) = self.element(cx, &indices, &leaf.lengths)?;
        let total: u32 = leaf.lengths.iter().product();
        // The index into an array of one element is checked, too.
        let is_first = self.out.program.exprs.as_const(element.id).and_then(|c| c.as_i64()) == Some(0);
        let element = (total > 1 || !is_first).then_some(element.id);
        let slot = match (info.process, cx.scope.instance) {
            (Some(_), Instance::At(slot)) => Some(slot),
            _ => None,
        };
        Some(Access { field: leaf.field, ty: leaf.ty, element, slot, which })
    }

    /// The number of an element, counted over the arrays that it lies in, and which elements it may be.
    fn element(
        &mut self,
        cx: Context<'_>,
        indices: &[Option<ast::ExprId>],
        lengths: &[u32],
    ) -> Option<(Value, Which)> {
        let mut element: Option<Value> = None;
        let mut which = Which::Constant(0);
        for (index, &length) in indices.iter().zip(lengths) {
            let index = match index {
                Some(index) => {
                    let place = self.env.place(*index);
                    let this = self.env.index_of(cx.scope, *index);
                    let several = lengths.iter().filter(|&&n| n > 1).count() > 1;
                    if length > 1 {
                        which = if several { Which::Any } else { this };
                    }
                    let value = self.expr(cx, *index)?;
                    self.checked_index(value, length, place)
                }
                None => {
                    if length > 1 {
                        let message = "this is an array: its first element is meant";
                        let note = "SPIN reads it like this, or refuses it: \"missing array index\"";
                        self.warning_once(Once::WithoutIndex(self.place), message, self.place, note);
                    }
                    self.number(0)
                }
            };
            element = Some(match element {
                None => index,
                Some(outer) => {
                    let length = self.number(i64::from(length));
                    let scaled = self.op(Op::Mul, outer, length);
                    let id = self.out.program.exprs.binary(Op::Add, scaled, index.id);
                    Value { id, lo: 0, hi: outer.hi * length.hi + index.hi }
                }
            });
        }
        Some((element.unwrap_or_else(|| self.number(0)), which))
    }

    /// Reports a variable with members that it does not have.
    fn no_such_member(&mut self, info: &VariableInfo, name: &ast::Name, members: &[&ast::Name]) {
        let (message, place) = match (info.ty, members.last()) {
            (Type::Struct(_), None) => (format!("`{}` is a structure: name a member", name.text), name.place),
            (Type::Struct(s), Some(m)) => {
                let structure = &self.env.structs[s];
                let message = format!("`{}` has no member `{}`", structure.name, m.text);
                let known = structure.members.iter().map(|member| member.name.as_str());
                return self.out.reports.misspelt(codes::TYPE_MISMATCH, message, m.place, &m.text, known);
            }
            (_, Some(m)) => (format!("`{}` is not a structure", name.text), m.place),
            (_, None) => (format!("`{}` cannot be read", name.text), name.place),
        };
        self.error(codes::TYPE_MISMATCH, message, place, "");
    }

    /// The channel that an expression names.
    pub(super) fn channel(&mut self, cx: Context<'_>, expr: ast::ExprId) -> Option<Channel> {
        let place = self.env.place(expr);
        if self.env.is_input(cx.scope, expr) {
            self.input_misuse(place);
            return None;
        }
        let value = self.expr(cx, expr)?;
        let types = self.channel_types(cx.scope, expr, place)?;
        let own = match &self.env.model.exprs.get(expr).kind {
            ExprKind::Name(name) if cx.scope.instance == Instance::Own => {
                self.env.fixed_local(cx.scope, &name.text)
            }
            _ => None,
        };
        Some(self.numbered_channel(value, types, own, place))
    }

    /// `q?[args]`
    fn poll(
        &mut self,
        cx: Context<'_>,
        expr: ast::ExprId,
        random: bool,
        args: &[ast::ExprId],
        place: ast::Place,
    ) -> Option<ExprId> {
        let channel = self.channel(cx, expr)?;
        let manner = if cx.awaited && !random { AccessMode::Take } else { AccessMode::Read };
        self.access_to(SharedResource::Slot(CHANNELS, channel.which), manner);
        let mut result = self.out.program.exprs.bool(false);
        for ty in channel.types.clone() {
            if self.env.channel_types[ty].capacity == 0 {
                continue;
            }
            let patterns = self.patterns(cx, args)?;
            let Some(patterns) = self.fitted(patterns, ty, channel.types.len() > 1, place)? else {
                continue;
            };
            let (is, can) = (self.has_type(&channel, ty), self.receivable(&channel, ty, random, &patterns));
            let e = &mut self.out.program.exprs;
            let both = e.and(is, can);
            result = e.or(result, both);
        }
        Some(result)
    }

    /// The patterns of the arguments of a receive, structures part by part.
    pub(super) fn patterns(&mut self, cx: Context<'_>, args: &[ast::ExprId]) -> Option<Vec<Pattern>> {
        let mut patterns = Vec::new();
        for &arg in args {
            let model = self.env.model;
            match &model.exprs.get(arg).kind {
                ExprKind::Name(name) if name.text == "_" => patterns.push(Pattern::Ignored),
                ExprKind::Name(name) if self.env.lookup(cx.scope, &name.text).is_some() => {
                    for access in self.flattened(cx, arg)? {
                        patterns.push(Pattern::Variable(access));
                    }
                }
                ExprKind::Index { .. } | ExprKind::Field { .. } => {
                    for access in self.flattened(cx, arg)? {
                        patterns.push(Pattern::Variable(access));
                    }
                }
                _ => {
                    let value = self.expr(cx, arg)?;
                    patterns.push(Pattern::Value(value));
                }
            }
        }
        Some(patterns)
    }

    /// Whether an expression names a structure, which may be a member of another one.
    pub(super) fn is_structure(&self, cx: Context<'_>, expr: ast::ExprId) -> bool {
        let path = self.env.path(expr);
        path.and_then(|path| Some((self.env.lookup(cx.scope, &path.name.text)?, path.members))).is_some_and(
            |(var, members)| self.env.variables[var].leaves.iter().any(|leaf| is_within(leaf, &members)),
        )
    }

    /// The values of arguments, of a structure those of all its scalars.
    pub(super) fn scalars(&mut self, cx: Context<'_>, args: &[ast::ExprId]) -> Option<Vec<Value>> {
        let mut values = Vec::new();
        for &arg in args {
            if self.is_structure(cx, arg) {
                for access in self.flattened(cx, arg)? {
                    values.push(self.read(access));
                }
            } else {
                values.push(self.expr(cx, arg)?);
            }
        }
        Some(values)
    }

    /// A scalar, or all scalars of a structure.
    pub(super) fn flattened(&mut self, cx: Context<'_>, expr: ast::ExprId) -> Option<Vec<Access>> {
        if !self.is_structure(cx, expr) {
            return Some(vec![self.access(cx, expr)?]);
        }
        let env = self.env;
        let Path { name, indices, members } = env.path(expr)?;
        let info = &env.variables[env.lookup(cx.scope, &name.text)?];
        self.whole(cx, info, &indices, &members)
    }

    /// All scalars of a structure, array elements one by one: of a variable, or of a member of one, with an index for each of
    /// the arrays on the way.
    fn whole(
        &mut self,
        cx: Context<'_>,
        info: &VariableInfo,
        indices: &[Option<ast::ExprId>],
        members: &[&ast::Name],
    ) -> Option<Vec<Access>> {
        let slot = match (info.process, cx.scope.instance) {
            (Some(_), Instance::At(slot)) => Some(slot),
            _ => None,
        };
        let mut out = Vec::new();
        let mut outer: Option<Value> = None;
        for leaf in info.leaves.iter().filter(|leaf| is_within(leaf, members)) {
            let (before, behind) = leaf.lengths.split_at(indices.len());
            let inner: u32 = behind.iter().product();
            let total = inner * before.iter().product::<u32>();
            let first = match outer {
                Some(outer) => outer,
                None => self.element(cx, indices, before)?.0,
            };
            outer = Some(first);
            for i in 0..inner {
                let element = (total > 1).then(|| {
                    let e = &mut self.out.program.exprs;
                    let (stride, i) = (e.i64(i64::from(inner)), e.i64(i64::from(i)));
                    let base = e.binary(Op::Mul, first.id, stride);
                    e.binary(Op::Add, base, i)
                });
                out.push(Access::of(leaf.field, leaf.ty, element, slot));
            }
        }
        Some(out)
    }
}

/// Whether a scalar is a part of a structure, which is found by these members.
fn is_within(leaf: &Leaf, members: &[&ast::Name]) -> bool {
    leaf.path.len() > members.len() && leaf.path.iter().zip(members).all(|(part, name)| *part == name.text)
}
