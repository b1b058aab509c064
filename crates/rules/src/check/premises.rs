//! Premises: what must hold, in order.

use super::Checker;
use crate::ast::{Ask, Blame as Written, ExprId, ExprKind, Mapping};
use crate::ir::{Blame, Expr, Kind, LocalId};
use crate::types::Ty;
use crate::value::Value;
use volvelle_diagnostics::codes;

impl Checker<'_> {
    /// All of a block must hold.
    pub(super) fn premises(&mut self, id: ExprId) -> Expr {
        let mark = self.scope.enter();
        let premises = self.open_premises(id);
        self.scope.leave(mark);
        premises
    }

    /// The same; what the block declares stays visible.
    pub(super) fn open_premises(&mut self, id: ExprId) -> Expr {
        let span = self.place(id);
        let ExprKind::Block(statements) = self.expr_kind(id).clone() else { return self.premise(id) };
        let all = statements.into_iter().map(|statement| self.premise(statement)).collect();
        Expr { kind: Kind::Seq(all), ty: Ty::Void, span }
    }

    /// The value of a block is that of its last expression; what stands before that must hold.
    pub(super) fn value_of(&mut self, id: ExprId, wanted: Option<&Ty>) -> Expr {
        let span = self.place(id);
        let ExprKind::Block(statements) = self.expr_kind(id).clone() else { return self.expr(id, wanted) };
        let mark = self.scope.enter();
        let mut all: Vec<Expr> = Vec::new();
        let last = statements.len().checked_sub(1);
        for (at, statement) in statements.into_iter().enumerate() {
            let expr =
                if Some(at) == last { self.value_of(statement, wanted) } else { self.premise(statement) };
            all.push(expr);
        }
        self.scope.leave(mark);
        let ty = all.last().map_or(Ty::Void, |last| last.ty.clone());
        Expr { kind: Kind::Seq(all), ty, span }
    }

    /// Something in a block. Truth values that are computed must be true; those of `if`, of assignments and of variables need not.
    pub(super) fn premise(&mut self, id: ExprId) -> Expr {
        let span = self.place(id);
        match self.expr_kind(id).clone() {
            ExprKind::Block(_) => self.premises(id),
            ExprKind::Or(alternatives) => self.alternatives(id, &alternatives),
            ExprKind::Ask(ask) => self.ask(&ask, span, false),
            ExprKind::If { condition, then, otherwise } => {
                let truth = self.truth();
                let condition = self.expr(condition, Some(&truth));
                let condition = Box::new(self.fit(condition, &truth, "the condition"));
                let before = self.scope.assigned.clone();
                let then = Box::new(self.branch(then));
                let after = std::mem::replace(&mut self.scope.assigned, before);
                let otherwise = otherwise.map(|otherwise| Box::new(self.branch(otherwise)));
                let never = |expr: &Expr| expr.fails();
                if never(&then) {
                    // Behind it only the other branch goes on.
                } else if otherwise.as_ref().is_some_and(|expr| never(expr)) {
                    self.scope.assigned = after;
                } else {
                    self.scope.assigned.retain(|local| after.contains(local));
                }
                Expr { kind: Kind::If { condition, then, otherwise }, ty: Ty::Void, span }
            }
            ExprKind::Switch { on, binder, cases, default } => {
                let asked = super::expressions::Cases { on, binder: binder.as_ref(), cases: &cases, default };
                self.switch(&asked, None, true, span)
            }
            kind => {
                let computed = matches!(
                    kind,
                    ExprKind::Call { .. }
                        | ExprKind::Member { .. }
                        | ExprKind::Not(_)
                        | ExprKind::Truth(_)
                        | ExprKind::InstanceOf(..)
                ) || matches!(kind, ExprKind::Binary(operator, ..) if !matches!(operator, crate::ast::Binary::Assign | crate::ast::Binary::Add));
                let expr = self.expr(id, None);
                if computed && expr.ty == self.truth() {
                    return Expr { kind: Kind::Premise(Box::new(expr)), ty: Ty::Void, span };
                }
                expr
            }
        }
    }

    /// What stands in `if`, a loop or a case without braces: a truth value there is no statement of a block, and need not be true.
    pub(super) fn branch(&mut self, id: ExprId) -> Expr {
        let is_premise = matches!(
            self.expr_kind(id),
            ExprKind::Block(_)
                | ExprKind::Or(_)
                | ExprKind::Ask(_)
                | ExprKind::If { .. }
                | ExprKind::Switch { .. }
        );
        if is_premise {
            return self.premise(id);
        }
        let expr = self.expr(id, None);
        if !matches!(expr.kind, Kind::Call { boolean: true, .. }) {
            return expr;
        }
        let span = expr.span;
        Expr { kind: Kind::Premise(Box::new(expr)), ty: Ty::Void, span }
    }

    /// What a function does with each item: all must hold but a last value without braces.
    pub(super) fn each(&mut self, body: ExprId) -> Expr {
        let span = self.place(body);
        match self.expr_kind(body).clone() {
            ExprKind::Block(statements) if !(self.source)(span).starts_with('{') => {
                let mark = self.scope.enter();
                let last = statements.len().saturating_sub(1);
                let all = statements.into_iter().enumerate();
                let all = all.map(|(at, one)| if at == last { self.branch(one) } else { self.premise(one) });
                let all = all.collect();
                self.scope.leave(mark);
                Expr { kind: Kind::Seq(all), ty: Ty::Void, span }
            }
            ExprKind::Block(_) => self.premises(body),
            _ => self.branch(body),
        }
    }

    fn alternatives(&mut self, id: ExprId, alternatives: &[ExprId]) -> Expr {
        let span = self.place(id);
        let outer = self.scope.previous;
        let previous = outer.unwrap_or_else(|| self.scope.hidden());
        let before = self.scope.assigned.clone();
        let mut common: Option<Vec<LocalId>> = None;
        let mut all = Vec::new();
        for (at, &alternative) in alternatives.iter().enumerate() {
            self.scope.previous = if at == 0 { outer } else { Some(previous) };
            self.scope.assigned.clone_from(&before);
            let expr = self.premise(alternative);
            if !expr.fails() {
                let assigned = std::mem::take(&mut self.scope.assigned);
                common = Some(match common {
                    Some(common) => common.into_iter().filter(|local| assigned.contains(local)).collect(),
                    None => assigned,
                });
            }
            all.push(expr);
        }
        self.scope.previous = outer;
        self.scope.assigned = common.unwrap_or(before);
        Expr { kind: Kind::Either { alternatives: all, previous }, ty: Ty::Void, span }
    }

    pub(super) fn blame(&mut self, written: &Written) -> Blame {
        let (text, any) = (self.text(), Ty::Any);
        let mut part = |expr: Option<ExprId>, wanted: &Ty, what: &str| {
            expr.map(|expr| {
                let value = self.expr(expr, Some(wanted));
                self.fit(value, wanted, what)
            })
        };
        let node = any.clone();
        Blame {
            message: part(written.message, &text, "the message"),
            source: part(written.source, &node, "the source"),
            feature: part(written.feature, &text, "the feature"),
            data: part(written.data, &any, "the data"),
        }
    }

    pub(super) fn environment(&mut self, mappings: &[Mapping]) -> Expr {
        let env = self.env();
        let mut whole: Option<Expr> = None;
        for mapping in mappings {
            let key = self.expr(mapping.key, Some(&env));
            let span = key.span;
            whole = Some(match (&mapping.value, whole) {
                (None, None) => self.fit(key, &env, "the environment"),
                (None, Some(below)) => {
                    let above = self.fit(key, &env, "the environment");
                    Expr { kind: Kind::Over(Box::new([below, above])), ty: env.clone(), span }
                }
                (Some(value), below) => {
                    let below = below.unwrap_or_else(|| self.empty(span));
                    let value = self.expr(*value, None);
                    let span = span.to(value.span);
                    Expr { kind: Kind::Bind(Box::new([below, key, value])), ty: env.clone(), span }
                }
            });
        }
        whole.unwrap_or_else(|| self.nothing(self.files[self.file].exprs[mappings[0].key].span))
    }

    pub(super) fn empty(&mut self, span: volvelle_diagnostics::Span) -> Expr {
        let ty = self.env();
        Expr { kind: Kind::Const(Value::Env(crate::value::EnvId::EMPTY)), ty, span }
    }

    /// A use of a judgment: with `boolean`, whether it holds.
    pub(super) fn ask(&mut self, ask: &Ask, span: volvelle_diagnostics::Span, boolean: bool) -> Expr {
        let env = self.environment(&ask.env);
        let Some(judgment) = self.judgment_of(ask.symbol, &ask.relations, ask.at) else {
            return self.nothing(span);
        };
        let places = self.judgments[judgment].places.clone();
        let (mut inputs, mut outputs, mut after) = (Vec::new(), Vec::new(), Vec::new());
        for (&arg, (ty, output)) in ask.args.iter().zip(&places) {
            if *output {
                outputs.push(self.target(arg, ty, &mut after));
            } else {
                let value = self.expr(arg, Some(ty));
                inputs.push(self.fit(value, ty, "the argument"));
            }
        }
        // One with outputs has no value.
        let boolean = boolean && outputs.is_empty();
        let ty = if boolean { self.truth() } else { Ty::Void };
        let kind = Kind::Ask { judgment, env: Box::new(env), inputs, outputs, boolean };
        let ask = Expr { kind, ty, span };
        if after.is_empty() {
            return ask;
        }
        let mut all = vec![ask];
        all.extend(after);
        Expr { kind: Kind::Seq(all), ty: Ty::Void, span }
    }

    /// Where an output goes: a variable, which may be declared there.
    fn target(&mut self, arg: ExprId, ty: &Ty, after: &mut Vec<Expr>) -> LocalId {
        let span = self.place(arg);
        match self.expr_kind(arg).clone() {
            ExprKind::Declare { ty: written, name, value: None, .. } => {
                let own = written.as_ref().map_or_else(|| ty.clone(), |written| self.ty(written));
                return self.received(&name.text, own, ty, span, after);
            }
            ExprKind::Name(name) => {
                let local = self.scope.find(&name).cloned();
                if let Some(local) = local.filter(|local| local.is_var) {
                    self.assigned(local.id, local.is_output, span);
                    if self.universe.fits(ty, &local.ty) {
                        return local.id;
                    }
                    return self.narrowed(local.id, &local.ty.clone(), ty, span, after);
                }
            }
            _ => {}
        }
        let help = "`var Type name` at this place declares one";
        self.error_with_help(
            codes::RULE_OUTPUT,
            span,
            "an output goes to a variable that may be assigned",
            help,
        );
        self.scope.hidden()
    }

    fn received(
        &mut self,
        name: &str,
        own: Ty,
        ty: &Ty,
        span: volvelle_diagnostics::Span,
        after: &mut Vec<Expr>,
    ) -> LocalId {
        let id = self.scope.declare(name, own.clone(), true);
        if self.universe.fits(ty, &own) { id } else { self.narrowed(id, &own, ty, span, after) }
    }

    /// An output whose value must be of a smaller type: received in a variable of its own, and checked.
    fn narrowed(
        &mut self,
        into: LocalId,
        own: &Ty,
        ty: &Ty,
        span: volvelle_diagnostics::Span,
        after: &mut Vec<Expr>,
    ) -> LocalId {
        let Some(class) = self.universe.class_of(own).filter(|_| self.universe.meets(own, ty)) else {
            let message = format!(
                "the output has type `{}`, the variable `{}`",
                self.universe.name(ty),
                self.universe.name(own)
            );
            self.type_error(span, message);
            return into;
        };
        let received = self.scope.hidden();
        let value = Expr { kind: Kind::Local(received), ty: ty.clone(), span };
        let cast = Expr { kind: Kind::Cast(Box::new(value), class), ty: own.clone(), span };
        after.push(Expr { kind: Kind::SetLocal(into, Box::new(cast)), ty: Ty::Void, span });
        received
    }

    pub(super) fn assigned(&mut self, local: LocalId, is_output: bool, span: volvelle_diagnostics::Span) {
        if is_output {
            if self.scope.in_closure || self.scope.in_list_function {
                self.output_in_function(span);
            }
            if !self.scope.assigned.contains(&local) {
                self.scope.assigned.push(local);
            }
        }
    }
}

impl Checker<'_> {
    pub(super) fn output_in_function(&mut self, span: volvelle_diagnostics::Span) {
        let message = "a function cannot use an output of the rule";
        self.error_with_help(
            codes::RULE_OUTPUT,
            span,
            message,
            "`for (item : list) { … }` is part of the rule",
        );
    }
}
