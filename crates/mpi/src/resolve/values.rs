//! Expressions: accesses and calls in them become steps, from left to right; what is left is over locals.

use super::body::{Body, Reach, Register};
use super::fold;
use super::globals::{Symbol, Values, without_value};
use super::graph::Ends;
use super::places::Meaning;
use crate::syntax::{self, Atomic, ExprKind, Place};
use crate::system::{Access, Binary, Expr, LocalId, NodeKind, Operation, Unary};
use volvelle_diagnostics::{Diagnostic, Span, codes};

impl Body<'_, '_> {
    /// The value of an expression; registers that it needs are held.
    pub fn value(&mut self, expr: &syntax::Expr) -> Expr {
        self.value_into(expr, None)
    }

    /// The value of an expression, which may be put into a local at once; then it is that local.
    pub fn value_into(&mut self, expr: &syntax::Expr, target: Option<LocalId>) -> Expr {
        self.nested(expr.span, Expr::Constant(0), |body| body.any_value(expr, target))
    }

    fn any_value(&mut self, expr: &syntax::Expr, target: Option<LocalId>) -> Expr {
        let span = expr.span;
        match &expr.kind {
            ExprKind::Number(value) => Expr::Constant(*value),
            ExprKind::Place(place) => self.read(place, target),
            ExprKind::Unary(operator, a) => {
                let a = self.value(a);
                self.unary(*operator, a, span)
            }
            ExprKind::Binary(operator @ (Binary::And | Binary::Or), _, b) if !self.is_plain(b) => {
                self.by_branches(*operator, expr, target)
            }
            ExprKind::Binary(operator, a, b) => {
                let left = self.value(a);
                // What does not matter is not evaluated: it may have no value.
                match (operator, &left) {
                    (Binary::And, Expr::Constant(0)) => return Expr::Constant(0),
                    (Binary::Or, Expr::Constant(value)) if *value != 0 => return Expr::Constant(1),
                    _ => {}
                }
                let left = self.settle(left, &[b], a.span);
                let right = self.value(b);
                self.binary(*operator, left, right, span)
            }
            ExprKind::Conditional(condition, yes, no) => {
                let (when_yes, when_no) = self.condition(condition);
                self.join_values(&[(when_yes, Some(yes)), (when_no, Some(no))], expr, target)
            }
            ExprKind::Call(name, arguments) => match target {
                Some(target) => {
                    self.call(name, arguments, Some(target), span);
                    Expr::Local(target)
                }
                None => {
                    let level = self.held.len();
                    let result = self.register(Register::Of(span.start), span);
                    self.call(name, arguments, Some(result), span);
                    debug_assert_eq!(self.held.len(), level + 1);
                    Expr::Local(result)
                }
            },
            ExprKind::Operation(operation, place, values) => {
                self.operation(*operation, place, values, target, span)
            }
        }
    }

    /// `a && b` or `a || b` whose second part may do something or go wrong.
    fn by_branches(&mut self, operator: Binary, expr: &syntax::Expr, target: Option<LocalId>) -> Expr {
        debug_assert!(matches!(operator, Binary::And | Binary::Or));
        let (yes, no) = self.condition(expr);
        match (yes.is_empty(), no.is_empty()) {
            (_, true) => {
                self.graph.join(yes);
                Expr::Constant(1)
            }
            (true, false) => {
                self.graph.join(no);
                Expr::Constant(0)
            }
            _ => {
                let result = target.unwrap_or_else(|| self.register(Register::Values(TRUTH), expr.span));
                self.graph.join(yes);
                self.assign(result, Expr::Constant(1), expr.span);
                let end = self.graph.take();
                self.graph.join(no);
                self.assign(result, Expr::Constant(0), expr.span);
                self.graph.join(end);
                Expr::Local(result)
            }
        }
    }

    /// The value of one of several expressions, each behind its ends.
    fn join_values(
        &mut self,
        ways: &[(Ends, Option<&syntax::Expr>)],
        expr: &syntax::Expr,
        target: Option<LocalId>,
    ) -> Expr {
        let reached: Vec<_> = ways.iter().filter(|(ends, _)| !ends.is_empty()).collect();
        if let [(ends, Some(way))] = reached.as_slice() {
            self.graph.join(ends.clone());
            return self.value_into(way, target);
        }
        let result = target.unwrap_or_else(|| self.register(Register::Of(expr.span.start), expr.span));
        let mut end = Vec::new();
        for (ends, way) in reached {
            let Some(way) = way else { continue };
            self.graph.join(ends.clone());
            let level = self.held.len();
            let value = self.value_into(way, Some(result));
            self.assign(result, value, way.span);
            self.release(level, 0, way.span);
            end.extend(self.graph.take());
        }
        self.graph.join(end);
        Expr::Local(result)
    }

    /// Goes on in two ways: where a condition holds, and where it does not.
    pub fn condition(&mut self, expr: &syntax::Expr) -> (Ends, Ends) {
        self.nested(expr.span, (Vec::new(), Vec::new()), |body| body.any_condition(expr))
    }

    fn any_condition(&mut self, expr: &syntax::Expr) -> (Ends, Ends) {
        match &expr.kind {
            ExprKind::Unary(Unary::Not, a) => {
                let (yes, no) = self.condition(a);
                (no, yes)
            }
            ExprKind::Binary(operator @ (Binary::And | Binary::Or), a, b) if !self.is_plain(b) => {
                let (yes, no) = self.condition(a);
                let (decided, open) = if *operator == Binary::And { (no, yes) } else { (yes, no) };
                if open.is_empty() {
                    return if *operator == Binary::And { (open, decided) } else { (decided, open) };
                }
                self.graph.join(open);
                let (mut yes, mut no) = self.condition(b);
                if *operator == Binary::And {
                    no.extend(decided)
                } else {
                    yes.extend(decided)
                }
                (yes, no)
            }
            _ => {
                let level = self.held.len();
                let value = self.value(expr);
                let ends = match value {
                    Expr::Constant(0) => (Vec::new(), self.graph.take()),
                    Expr::Constant(_) => (self.graph.take(), Vec::new()),
                    value => self.graph.branch(value, expr.span),
                };
                self.release_at_branch(level, ends, expr.span)
            }
        }
    }

    /// Whether an expression does nothing and always has a value, so that evaluating it needlessly does not matter.
    fn is_plain(&self, expr: &syntax::Expr) -> bool {
        match &expr.kind {
            ExprKind::Number(_) => true,
            ExprKind::Place(place) => {
                let local = match self.binding(&place.name.text) {
                    Some(binding) => !matches!(binding, super::body::Binding::Shared(_)),
                    None => !matches!(self.symbol(&place.name.text), Some(Symbol::Shared(_))),
                };
                local && place.all_indices().all(|index| self.is_plain(index))
            }
            ExprKind::Conditional(..) | ExprKind::Call(..) | ExprKind::Operation(..) => false,
            ExprKind::Binary(Binary::Divide | Binary::Remainder, a, b) => {
                matches!(b.kind, ExprKind::Number(value) if value > 0) && self.is_plain(a)
            }
            ExprKind::Unary(_, a) => self.is_plain(a),
            ExprKind::Binary(_, a, b) => self.is_plain(a) && self.is_plain(b),
        }
    }

    /// A value that stays what it is while other expressions are evaluated: a procedure may change private variables.
    pub fn settle(&mut self, value: Expr, then: &[&syntax::Expr], span: Span) -> Expr {
        let mut changes = false;
        fold::locals(&value, &mut |local| changes |= !self.held.contains(&local));
        if !changes || !then.iter().any(|expr| expr.calls()) {
            return value;
        }
        let register = self.register(Register::Of(span.start), span);
        self.assign(register, value, span);
        Expr::Local(register)
    }

    fn unary(&mut self, operator: Unary, a: Expr, span: Span) -> Expr {
        match a {
            Expr::Constant(a) => self.folded(fold::unary(operator, a), span),
            a => Expr::Unary(operator, Box::new(a)),
        }
    }

    fn binary(&mut self, operator: Binary, a: Expr, b: Expr, span: Span) -> Expr {
        match (operator, a, b) {
            (_, Expr::Constant(a), Expr::Constant(b)) => self.folded(fold::binary(operator, a, b), span),
            (Binary::And, Expr::Constant(value), other) | (Binary::Or, Expr::Constant(value), other)
                if (value != 0) == (operator == Binary::And) =>
            {
                if fold::is_truth(&other) {
                    other
                } else {
                    Expr::Binary(Binary::NotEqual, Box::new(other), Box::new(Expr::Constant(0)))
                }
            }
            (operator, a, b) => Expr::Binary(operator, Box::new(a), Box::new(b)),
        }
    }

    fn folded(&mut self, value: Option<i64>, span: Span) -> Expr {
        if value.is_none() {
            let diagnostic = self.called_from(without_value(span));
            self.report.push(diagnostic);
        }
        Expr::Constant(value.unwrap_or(0))
    }

    /// Reads a constant, a local or a variable.
    fn read(&mut self, place: &Place, target: Option<LocalId>) -> Expr {
        let level = self.held.len();
        match self.meaning(place, &[]) {
            Some(Meaning::Constant(value)) => Expr::Constant(value),
            Some(Meaning::Local(local)) => Expr::Local(local),
            Some(Meaning::Shared(reach)) => {
                self.access(&reach, Operation::Load, None, Some(target), level, place.span)
            }
            None => Expr::Constant(0),
        }
    }

    fn operation(
        &mut self,
        operation: Atomic,
        place: &Place,
        values: &[syntax::Expr],
        target: Option<LocalId>,
        span: Span,
    ) -> Expr {
        let level = self.held.len();
        let later: Vec<&syntax::Expr> = values.iter().collect();
        let Some(reach) = self.reach(place, &later) else { return Expr::Constant(0) };
        let mut operands = Vec::new();
        for (number, value) in values.iter().enumerate() {
            let operand = self.value(value);
            operands.push(self.settle(operand, &later[number + 1..], value.span));
        }
        let operation = match (operation, operands.as_slice()) {
            (Atomic::TestAndSet, _) => Operation::TestAndSet,
            (Atomic::Swap, [value]) => Operation::Swap(value.clone()),
            (Atomic::FetchAdd, [value]) => Operation::FetchAdd(value.clone()),
            (_, [old, new]) => Operation::CompareAndSwap(old.clone(), new.clone()),
            _ => return Expr::Constant(0),
        };
        self.access(&reach, operation, values.last(), Some(target), level, span)
    }

    /// An access; registers beyond some are released behind it. The result goes into a target, if it is wanted at all: a local, or a
    /// register.
    pub fn access(
        &mut self,
        reach: &Reach,
        operation: Operation,
        operand: Option<&syntax::Expr>,
        result: Option<Option<LocalId>>,
        level: usize,
        span: Span,
    ) -> Expr {
        let Some((variable, values)) = self.reference(reach) else {
            self.release(level, 0, span);
            return Expr::Constant(0);
        };
        self.check_operation(reach, &operation, values, operand.map_or(span, |operand| operand.span));
        let kind = match operation {
            Operation::CompareAndSwap(..) => TRUTH,
            // That it wraps is a matter of the variable.
            _ => Values { wraps: false, ..values },
        };
        let (result, kept) = match result {
            None => (None, 0),
            Some(Some(local)) => (Some(local), 0),
            Some(None) => (Some(self.register(Register::Values(kind), span)), 1),
        };
        if self.graph.reachable() {
            self.graph.kind(|next| NodeKind::Access(Access { operation, variable, result, next }), span);
        }
        self.release(level, kept, span);
        result.map_or(Expr::Constant(0), Expr::Local)
    }

    /// Reports constants that a variable cannot have.
    fn check_operation(&mut self, reach: &Reach, operation: &Operation, values: Values, span: Span) {
        let stored = match operation {
            Operation::Store(value) | Operation::Swap(value) | Operation::CompareAndSwap(_, value) => {
                value.clone()
            }
            Operation::TestAndSet => Expr::Constant(1),
            Operation::Load | Operation::FetchAdd(_) => return,
        };
        let Expr::Constant(value) = stored else { return };
        if values.contains(value) || !self.graph.reachable() {
            return;
        }
        let name = self.text(reach);
        if *operation == Operation::TestAndSet {
            let Values { lo, hi, .. } = values;
            let array = self.array(reach);
            let diagnostic = Diagnostic::error(
                codes::PRIMITIVE_VALUE,
                format!("`tas` stores 1, which `{name}` cannot be: its range is {lo} .. {hi}"),
            )
            .at(span, "")
            .also(array.span, "declared here")
            .help("give it a type with 0 and 1: `: 0..1`");
            let diagnostic = self.called_from(diagnostic);
            return self.report.push(diagnostic);
        }
        self.check_value(value, values, &name, span);
    }
}

const TRUTH: Values = Values { lo: 0, hi: 1, wraps: false };
