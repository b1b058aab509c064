//! Expressions.

use super::Checker;
use crate::ast::{Binary, Case, ExprId, ExprKind, Name, Param};
use crate::ir::{Arithmetic, Comparison, Expr, Kind, Purpose};
use crate::types::Ty;
use crate::value::Value;
use volvelle_diagnostics::{Span, codes};

/// A `switch` as written.
pub(super) struct Cases<'a> {
    pub(super) on: ExprId,
    pub(super) binder: Option<&'a Name>,
    pub(super) cases: &'a [Case],
    pub(super) default: Option<ExprId>,
}

impl Checker<'_> {
    /// An expression. `wanted` is what its place asks for; it helps empty lists and functions, and is not checked here.
    #[expect(clippy::too_many_lines, reason = "an arm for each kind")]
    pub(super) fn expr(&mut self, id: ExprId, wanted: Option<&Ty>) -> Expr {
        let span = self.place(id);
        let with = |kind, ty| Expr { kind, ty, span };
        match self.expr_kind(id).clone() {
            ExprKind::Null => with(Kind::Const(Value::Null), Ty::Nothing),
            ExprKind::Truth(truth) => with(Kind::Const(Value::Truth(truth)), self.truth()),
            ExprKind::Number(number) => match i32::try_from(number) {
                Ok(small) => with(Kind::Const(Value::Number(small)), self.number()),
                Err(_) => {
                    self.error(codes::NUMBER_TOO_LARGE, span, "the number has more than 32 bits");
                    self.nothing(span)
                }
            },
            ExprKind::Text(text) => {
                let value = self.constant(&text);
                with(Kind::Const(value), self.text())
            }
            ExprKind::Name(name) => self.named(&name, span),
            ExprKind::Empty => self.empty(span),
            ExprKind::Env(mappings) => self.environment(&mappings),
            ExprKind::List(items) => {
                let item_wanted = match wanted {
                    Some(Ty::List(item)) => Some((**item).clone()),
                    _ => None,
                };
                let items: Vec<Expr> =
                    items.into_iter().map(|item| self.expr(item, item_wanted.as_ref())).collect();
                let item = items.iter().fold(Ty::Nothing, |ty, item| self.universe.join(&ty, &item.ty));
                with(Kind::List(items), Ty::List(Box::new(item)))
            }
            ExprKind::Closure { params, implicit, body } => {
                self.closure(&params, implicit, body, wanted, span)
            }
            ExprKind::Block(_) => self.value_of(id, wanted),
            ExprKind::If { condition, then, otherwise } => {
                let truth = self.truth();
                let condition = self.expr(condition, Some(&truth));
                let condition = Box::new(self.fit(condition, &truth, "the condition"));
                let then = Box::new(self.value_of(then, wanted));
                let otherwise = otherwise.map(|otherwise| Box::new(self.value_of(otherwise, wanted)));
                let ty = otherwise.as_ref().map_or(Ty::Void, |other| self.universe.join(&then.ty, &other.ty));
                with(Kind::If { condition, then, otherwise }, ty)
            }
            ExprKind::Switch { on, binder, cases, default } => {
                let asked = Cases { on, binder: binder.as_ref(), cases: &cases, default };
                self.switch(&asked, wanted, false, span)
            }
            ExprKind::While { condition, body } => {
                let truth = self.truth();
                let condition = self.expr(condition, Some(&truth));
                let condition = Box::new(self.fit(condition, &truth, "the condition"));
                let assigned = self.scope.assigned.clone();
                let body = Box::new(self.branch(body));
                self.scope.assigned = assigned;
                with(Kind::While { condition, body }, Ty::Void)
            }
            ExprKind::For { variable, over, body } => self.loop_over(&variable, over, body, span),
            ExprKind::Member { on, name, args, safe } => {
                self.member(on, &name, args.as_deref(), safe, wanted, span)
            }
            ExprKind::Call { name, args } => self.call(&name, &args, span),
            ExprKind::Lookup { env, key, ty } => {
                let wanted = self.env();
                let env = self.expr(env, Some(&wanted));
                let env = Box::new(self.fit(env, &wanted, "the environment"));
                let key = Box::new(self.expr(key, None));
                let ty = self.ty(&ty);
                with(Kind::Lookup { env, key, class: self.universe.class_of(&ty) }, ty)
            }
            ExprKind::New { ty, args } => {
                let made = self.ty(&ty);
                match made {
                    Ty::Map(..) if args.is_empty() => with(Kind::NewMap, made),
                    Ty::Class(class) => self.make(class, &args, span),
                    Ty::List(_) if args.is_empty() => with(Kind::List(Vec::new()), made),
                    _ => {
                        self.type_error(
                            span,
                            format!("`{}` is not made by `new`", self.universe.name(&made)),
                        );
                        self.nothing(span)
                    }
                }
            }
            ExprKind::Binary(operator, left, right) => self.binary(operator, left, right, span),
            ExprKind::Not(operand) => {
                let truth = self.truth();
                let operand = self.expr(operand, Some(&truth));
                let operand = self.fit(operand, &truth, "the operand");
                with(Kind::Not(Box::new(operand)), truth)
            }
            ExprKind::Negate(operand) => {
                let number = self.number();
                let operand = self.expr(operand, Some(&number));
                let operand = self.fit(operand, &number, "the operand");
                let zero = Expr { kind: Kind::Const(Value::Number(0)), ty: number.clone(), span };
                with(Kind::Arithmetic(Arithmetic::Subtract, Box::new([zero, operand])), number)
            }
            ExprKind::InstanceOf(operand, ty) => {
                let operand = self.expr(operand, None);
                let ty = self.ty(&ty);
                let Some(class) = self.tested(&operand, &ty, span) else { return self.nothing(span) };
                with(Kind::Is(Box::new(operand), class), self.truth())
            }
            ExprKind::As(operand, ty) => {
                let operand = self.expr(operand, None);
                let ty = self.ty(&ty);
                let Some(class) = self.tested(&operand, &ty, span) else { return self.nothing(span) };
                with(Kind::Cast(Box::new(operand), class), ty)
            }
            ExprKind::Declare { is_var, ty, name, value } => {
                self.declare(is_var, ty.as_ref(), &name, value, span)
            }
            ExprKind::Ask(ask) => self.ask(&ask, span, true),
            ExprKind::Or(_) => self.premise(id),
            ExprKind::Fail(written) => {
                let blame = self.blame(&written);
                with(Kind::Fail(Box::new(blame)), Ty::Nothing)
            }
        }
    }

    /// The class that a test asks for, where some value may have it.
    fn tested(&mut self, operand: &Expr, ty: &Ty, span: Span) -> Option<volvelle_trees::ClassId> {
        let class = self.universe.class_of(ty)?;
        if !self.universe.meets(&operand.ty, ty) {
            let message = format!(
                "no value is both of `{}` and of `{}`",
                self.universe.name(&operand.ty),
                self.universe.name(ty)
            );
            self.type_error(span, message);
        }
        Some(class)
    }

    fn named(&mut self, name: &str, span: Span) -> Expr {
        if name == "previousFailure" {
            let ty = self.failure();
            let kind = match self.scope.previous {
                Some(previous) => Kind::Local(previous),
                None => {
                    let message = "`previousFailure` is there in the second and later alternatives of `or`";
                    self.error(codes::RULE_NAME, span, message);
                    Kind::Const(Value::Null)
                }
            };
            return Expr { kind, ty, span };
        }
        if let Some(local) = self.scope.find(name).cloned() {
            if local.is_output && self.scope.in_closure {
                self.output_in_function(span);
            }
            return Expr { kind: Kind::Local(local.id), ty: local.ty, span };
        }
        if let Some(&global) = self.global_names.get(name) {
            return Expr { kind: Kind::Global(global), ty: self.globals[global].ty.clone(), span };
        }
        if let Some(class) = self.universe.classes.find(name)
            && class.0 >= self.universe.nodes
            && self.universe.data.iter().any(|data| data.class == class && data.fields.is_empty())
        {
            return self.make(class, &[], span);
        }
        // A member of `it`.
        if let Some(it) = self.scope.find("it").cloned()
            && let Ty::Class(class) = it.ty
            && self.universe.field(class, name).is_some()
        {
            let on = Expr { kind: Kind::Local(it.id), ty: it.ty, span };
            return self.field(on, class, name, false, span);
        }
        let mut known: Vec<String> = self.scope.names().map(str::to_owned).collect();
        known.extend(self.global_names.keys().cloned());
        known.extend(
            self.universe.data.iter().map(|data| self.universe.classes.class(data.class).name.clone()),
        );
        self.unknown("variable", span, name, known.iter().map(String::as_str));
        self.nothing(span)
    }

    fn closure(
        &mut self,
        params: &[Param],
        implicit: bool,
        body: ExprId,
        wanted: Option<&Ty>,
        span: Span,
    ) -> Expr {
        let (types, result) = match wanted {
            Some(Ty::Function(types, result)) => (types.clone(), Some((**result).clone())),
            _ => (Vec::new(), None),
        };
        let visible = self.scope.visible();
        let outer = self.scope.clone();
        // The variables around it come first, then its parameters.
        let mut scope = super::scope::Scope::of_closure();
        for local in &visible {
            if local.is_output {
                scope.declare_output(&local.name, local.ty.clone());
            } else {
                scope.declare(&local.name, local.ty.clone(), false);
            }
        }
        self.scope = scope;
        let mut own = Vec::new();
        if implicit {
            if let Some(ty) = types.first() {
                self.scope.declare("it", ty.clone(), false);
                own.push(ty.clone());
            }
        } else {
            for (at, param) in params.iter().enumerate() {
                self.no_reserved(&param.name);
                let ty = match (&param.ty, types.get(at)) {
                    (Some(written), _) => self.ty(written),
                    (None, Some(ty)) => ty.clone(),
                    (None, None) => {
                        self.type_error(param.name.span, "the type of the parameter is not known here");
                        Ty::Nothing
                    }
                };
                self.scope.declare(&param.name.text, ty.clone(), false);
                own.push(ty);
            }
        }
        let value = self.closure_body(body, result.as_ref());
        let ty = Ty::Function(own.clone(), Box::new(value.ty.clone()));
        let name = Name { text: "function".to_owned(), span };
        let count = visible.len() + own.len();
        let routine = self.finish(&name, Purpose::Closure, count, None, vec![value], None);
        self.scope = outer;
        let captured = visible.iter().map(|local| local.id).collect();
        Expr { kind: Kind::Closure { routine, captured }, ty, span }
    }

    /// What a function gives: the last expression; a block in braces holds or fails.
    pub(super) fn closure_body(&mut self, body: ExprId, wanted: Option<&Ty>) -> Expr {
        let span = self.place(body);
        let braces =
            matches!(self.expr_kind(body), ExprKind::Block(_)) && (self.source)(span).starts_with('{');
        if braces && wanted == Some(&self.truth()) {
            let premises = self.premises(body);
            let truth = self.truth();
            let held = Expr { kind: Kind::Const(Value::Truth(true)), ty: truth.clone(), span };
            return Expr { kind: Kind::Seq(vec![premises, held]), ty: truth, span };
        }
        let mut value = self.value_of(body, wanted);
        let truth = self.truth();
        if braces
            && value.ty == truth
            && let Kind::Seq(all) = &mut value.kind
            && let Some(last) = all.pop()
        {
            all.push(Expr { ty: Ty::Void, span: last.span, kind: Kind::Premise(Box::new(last)) });
            all.push(Expr { kind: Kind::Const(Value::Truth(true)), ty: truth, span });
        }
        value
    }

    /// `is_premise`: it gives no value, and what its cases say must hold.
    pub(super) fn switch(
        &mut self,
        asked: &Cases<'_>,
        wanted: Option<&Ty>,
        is_premise: bool,
        span: Span,
    ) -> Expr {
        let &Cases { on, binder, cases, default } = asked;
        let value = self.expr(on, None);
        let mark = self.scope.enter();
        let given = match (self.expr_kind(on), binder) {
            (_, Some(name)) => Some(name.text.clone()),
            (ExprKind::Name(name), None) => Some(name.clone()),
            _ => None,
        };
        let subject = self.scope.hidden();
        let subject_ty = value.ty.clone();
        let local = |ty: Ty| Expr { kind: Kind::Local(subject), ty, span };
        let mut branches = Vec::new();
        let before = self.scope.assigned.clone();
        let mut common: Option<Vec<crate::ir::LocalId>> = None;
        let mut meet = |checker: &mut Self, body: &Expr| {
            let assigned = std::mem::replace(&mut checker.scope.assigned, before.clone());
            if body.ty != Ty::Nothing && !body.fails() {
                common = Some(match common.take() {
                    Some(common) => common.into_iter().filter(|local| assigned.contains(local)).collect(),
                    None => assigned,
                });
            }
        };
        for case in cases {
            let mut tests = Vec::new();
            let inner = self.scope.enter();
            let mut ty = subject_ty.clone();
            if let Some(guard) = &case.guard {
                ty = self.ty(guard);
                if let Some(class) = self.tested(&local(subject_ty.clone()), &ty, guard.name.span) {
                    tests.push(Expr {
                        kind: Kind::Is(Box::new(local(subject_ty.clone())), class),
                        ty: self.truth(),
                        span,
                    });
                }
            }
            if let Some(case_value) = case.value {
                let expr = self.expr(case_value, Some(&ty));
                let truth = self.truth();
                tests.push(Expr { kind: Kind::Equal(Box::new([local(ty.clone()), expr])), ty: truth, span });
            }
            if let Some(name) = &given {
                // Within the case, the name has the type that was tested.
                let narrowed = self.scope.declare(name, ty.clone(), false);
                tests.push(Expr {
                    kind: Kind::Seq(vec![
                        Expr { kind: Kind::SetLocal(narrowed, Box::new(local(ty))), ty: Ty::Void, span },
                        Expr { kind: Kind::Const(Value::Truth(true)), ty: self.truth(), span },
                    ]),
                    ty: self.truth(),
                    span,
                });
            }
            let body = if is_premise { self.branch(case.body) } else { self.value_of(case.body, wanted) };
            self.scope.leave(inner);
            meet(self, &body);
            branches.push((tests, body));
        }
        let default = default.map(|default| {
            let body = if is_premise { self.branch(default) } else { self.value_of(default, wanted) };
            meet(self, &body);
            body
        });
        let is_whole = default.is_some();
        self.scope.assigned = if is_whole { common.unwrap_or(before) } else { before };
        self.scope.leave(mark);
        let mut ty = branches.iter().fold(Ty::Nothing, |ty, (_, body)| self.universe.join(&ty, &body.ty));
        ty = default.as_ref().map_or(Ty::Void, |default| self.universe.join(&ty, &default.ty));
        if is_premise {
            ty = Ty::Void;
        }
        if !is_whole && wanted.is_some_and(|wanted| *wanted != Ty::Void) {
            self.type_error(span, "a `switch` that gives a value has a `default`");
        }
        let truth = self.truth();
        let mut whole = default;
        for (tests, body) in branches.into_iter().rev() {
            let condition = tests
                .into_iter()
                .reduce(|a, b| Expr { kind: Kind::And(Box::new([a, b])), ty: truth.clone(), span })
                .unwrap_or(Expr { kind: Kind::Const(Value::Truth(true)), ty: truth.clone(), span });
            let body_ty = ty.clone();
            whole = Some(Expr {
                kind: Kind::If {
                    condition: Box::new(condition),
                    then: Box::new(body),
                    otherwise: whole.map(Box::new),
                },
                ty: body_ty,
                span,
            });
        }
        let set = Expr { kind: Kind::SetLocal(subject, Box::new(value)), ty: Ty::Void, span };
        let mut all = vec![set];
        all.extend(whole);
        Expr { kind: Kind::Seq(all), ty, span }
    }

    fn loop_over(&mut self, variable: &Param, over: ExprId, body: ExprId, span: Span) -> Expr {
        let list = self.expr(over, None);
        let Ty::List(item) = &list.ty else {
            if list.ty != Ty::Nothing {
                let message = format!("a loop goes over a list, found `{}`", self.universe.name(&list.ty));
                self.type_error(list.span, message);
            }
            return self.nothing(span);
        };
        let mut ty = (**item).clone();
        if let Some(written) = &variable.ty {
            let own = self.ty(written);
            if !self.universe.fits(&ty, &own) {
                let message = format!("items have type `{}`", self.universe.name(&ty));
                self.type_error(written.name.span, message);
            }
            ty = own;
        }
        let mark = self.scope.enter();
        self.no_reserved(&variable.name);
        let item = self.scope.declare(&variable.name.text, ty, false);
        let assigned = self.scope.assigned.clone();
        let body = Box::new(self.branch(body));
        self.scope.assigned = assigned;
        self.scope.leave(mark);
        let kind = Kind::Through { how: crate::ir::Through::Each, list: Box::new(list), item, body };
        Expr { kind, ty: Ty::Void, span }
    }

    fn declare(
        &mut self,
        is_var: bool,
        ty: Option<&crate::ast::TypeRef>,
        name: &Name,
        value: Option<ExprId>,
        span: Span,
    ) -> Expr {
        let declared = ty.map(|ty| self.ty(ty));
        let value = value.map(|value| self.expr(value, declared.as_ref()));
        let value = match (&declared, value) {
            (Some(ty), Some(value)) => Some(self.fit(value, ty, "the value")),
            (_, value) => value,
        };
        let ty = declared.or_else(|| value.as_ref().map(|value| value.ty.clone())).unwrap_or_else(|| {
            self.type_error(name.span, "the variable has neither a type nor a value");
            Ty::Nothing
        });
        if ty == Ty::Void {
            self.type_error(name.span, "the variable would have no value");
        }
        let value = value.unwrap_or(Expr { kind: Kind::Const(Value::Null), ty: Ty::Nothing, span });
        self.no_reserved(name);
        let local = self.scope.declare(&name.text, ty, is_var);
        Expr { kind: Kind::SetLocal(local, Box::new(value)), ty: Ty::Void, span }
    }

    fn binary(&mut self, operator: Binary, left: ExprId, right: ExprId, span: Span) -> Expr {
        use Binary as B;
        if matches!(operator, B::Assign | B::Add) {
            return self.assign(operator == B::Add, left, right, span);
        }
        let a = self.expr(left, None);
        let hint = a.ty.clone();
        let b = self.expr(right, Some(&hint));
        let (truth, number) = (self.truth(), self.number());
        let both = |checker: &mut Self, ty: &Ty, a, b| {
            Box::new([checker.fit(a, ty, "the operand"), checker.fit(b, ty, "the operand")])
        };
        let with = |kind, ty| Expr { kind, ty, span };
        match operator {
            B::Or => with(Kind::Or(both(self, &truth, a, b)), truth),
            B::And => with(Kind::And(both(self, &truth, a, b)), truth),
            B::Equal | B::Unequal => {
                if !self.universe.meets(&a.ty, &b.ty) {
                    let message = format!(
                        "`{}` and `{}` have no value in common",
                        self.universe.name(&a.ty),
                        self.universe.name(&b.ty)
                    );
                    self.type_error(span, message);
                }
                let equal = with(Kind::Equal(Box::new([a, b])), truth.clone());
                if operator == B::Equal { equal } else { with(Kind::Not(Box::new(equal)), truth) }
            }
            B::Less => with(Kind::Compare(Comparison::Less, both(self, &number, a, b)), truth),
            B::AtMost => with(Kind::Compare(Comparison::AtMost, both(self, &number, a, b)), truth),
            B::Greater => with(Kind::Compare(Comparison::Less, both(self, &number, b, a)), truth),
            B::AtLeast => with(Kind::Compare(Comparison::AtMost, both(self, &number, b, a)), truth),
            B::Pair => {
                let ty = Ty::Pair(Box::new(a.ty.clone()), Box::new(b.ty.clone()));
                with(Kind::Make { class: self.universe.common.pair, args: vec![a, b] }, ty)
            }
            B::Elvis => {
                let ty = self.universe.join(&a.ty, &b.ty);
                with(Kind::Elvis(Box::new([a, b])), ty)
            }
            B::Plus => match (&a.ty, &b.ty) {
                (Ty::List(_), Ty::List(_)) => {
                    let ty = self.universe.join(&a.ty, &b.ty);
                    with(Kind::Join(Box::new([a, b])), ty)
                }
                (x, y) if *x == number && *y == number => {
                    with(Kind::Arithmetic(Arithmetic::Add, Box::new([a, b])), number)
                }
                (x, y) if *x == self.text() || *y == self.text() => {
                    with(Kind::Concat(Box::new([a, b])), self.text())
                }
                (Ty::Nothing, _) | (_, Ty::Nothing) => self.nothing(span),
                _ => {
                    let message = format!(
                        "`+` adds two numbers, two lists, or a text and anything, found `{}` and `{}`",
                        self.universe.name(&a.ty),
                        self.universe.name(&b.ty)
                    );
                    self.type_error(span, message);
                    self.nothing(span)
                }
            },
            B::Minus | B::Times | B::Over | B::Modulo => {
                let operation = match operator {
                    B::Minus => Arithmetic::Subtract,
                    B::Times => Arithmetic::Multiply,
                    B::Over => Arithmetic::Divide,
                    _ => Arithmetic::Modulo,
                };
                with(Kind::Arithmetic(operation, both(self, &number, a, b)), number)
            }
            B::Assign | B::Add => self.nothing(span),
        }
    }

    /// `name = value`, `list += item`
    fn assign(&mut self, adds: bool, left: ExprId, right: ExprId, span: Span) -> Expr {
        let place = self.place(left);
        let ExprKind::Name(name) = self.expr_kind(left).clone() else {
            self.error(codes::RULE_OUTPUT, place, "only variables are assigned");
            return self.nothing(span);
        };
        let local = self.scope.find(&name).cloned();
        let (ty, old, is_output) = match (&local, self.global_names.get(&name).copied()) {
            (Some(local), _) if local.is_var => (local.ty.clone(), Kind::Local(local.id), local.is_output),
            (None, Some(global)) if self.globals[global].is_var => {
                (self.globals[global].ty.clone(), Kind::Global(global), false)
            }
            (None, None) => {
                let known: Vec<String> = self.scope.names().map(str::to_owned).collect();
                self.unknown("variable", place, &name, known.iter().map(String::as_str));
                return self.nothing(span);
            }
            _ => {
                let message = if self.scope.in_closure {
                    format!("`{name}` cannot be assigned in a function that is a value")
                } else {
                    format!("`{name}` cannot be assigned")
                };
                self.error_with_help(
                    codes::RULE_OUTPUT,
                    place,
                    message,
                    "inputs and `val` keep their values",
                );
                return self.nothing(span);
            }
        };
        let value = if adds {
            let old = Expr { kind: old, ty: ty.clone(), span: place };
            match &ty {
                Ty::List(item) => {
                    let value = self.expr(right, Some(item));
                    let value = self.fit(value, item, "the item");
                    Expr { kind: Kind::Append(Box::new([old, value])), ty: ty.clone(), span }
                }
                _ if ty == self.number() => {
                    let value = self.expr(right, Some(&ty));
                    let value = self.fit(value, &ty, "the value");
                    Expr {
                        kind: Kind::Arithmetic(Arithmetic::Add, Box::new([old, value])),
                        ty: ty.clone(),
                        span,
                    }
                }
                _ => {
                    self.type_error(
                        span,
                        format!("`+=` adds to a list or a number, found `{}`", self.universe.name(&ty)),
                    );
                    return self.nothing(span);
                }
            }
        } else {
            let value = match self.expr_kind(right) {
                ExprKind::Ask(_) => self.expr(right, Some(&ty)),
                _ => self.value_of(right, Some(&ty)),
            };
            self.fit(value, &ty, "the value")
        };
        match local {
            Some(local) => {
                self.assigned(local.id, is_output, place);
                Expr { kind: Kind::SetLocal(local.id, Box::new(value)), ty: Ty::Void, span }
            }
            None => {
                let global = self.global_names[&name];
                Expr { kind: Kind::SetGlobal(global, Box::new(value)), ty: Ty::Void, span }
            }
        }
    }
}
