//! Operators and functions on lowered operands: typing, constant folding, and the checks that PRISM makes
//! while it evaluates.
//!
//! After PRISM 4.8 (`TypeCheck`, `ExpressionBinaryOp`, `ExpressionFunc`): an int meets a double as a double;
//! `/` is always a double; sums, products and powers of ints fail where they leave 32 bits; `mod` wants a
//! positive divisor and is never negative; `floor`, `ceil` and `round` (halves up) give ints and fail where
//! there is no such int. Deviations: a division by zero fails, where PRISM continues with an infinity; a rounded
//! value beyond 32 bits fails, where PRISM takes the nearest int; `&`, `|`, `=>` and `?:` do not evaluate
//! operands that they do not need.

use super::bounds::{self, Bounds};
use super::typed::{Ty, Typed};
use super::{Lowering, exact};
use crate::ast::{BinaryOp, ExprKind};
use dashu_ratio::RBig;
use std::sync::Arc;
use volvelle_diagnostics::{Diagnostic, Span, codes};
use volvelle_kernel::{BinaryOp as Op, CheckedOp, Const, ExprId, FailKind, Node, Type, UnaryOp};
use volvelle_model::SiteSubject;

/// A lowered operand and where it was written.
#[derive(Clone, Debug)]
pub(crate) struct Operand {
    pub typed: Typed,
    pub span: Span,
}

pub(crate) type Exact2 = fn(&RBig, &RBig) -> Option<RBig>;

/// Operators.
impl Lowering {
    pub(crate) fn negate(&mut self, arg: Operand, span: Span) -> Option<Typed> {
        self.require_number("-", &arg)?;
        let Typed { ty, constant, exact, bounds, .. } = arg.typed;
        let expr = self.program.exprs.unary(UnaryOp::Neg, arg.typed.expr);
        let negated = bounds.map(Bounds::negated);
        let exact = exact.map(|value| Arc::new(-(*value).clone()));
        let mut result = Typed { ty, expr, constant, exact, bounds: negated };
        // The error stays, as with the larger of a number and itself.
        self.note_operation(Op::Max, &mut result, [arg.typed.expr; 2]);
        Some(if ty == Ty::Int { self.within_int(result, span) } else { result })
    }

    pub(crate) fn logical_not(&mut self, arg: Operand) -> Option<Typed> {
        self.require_bool("!", &arg)?;
        let expr = self.program.exprs.not(arg.typed.expr);
        Some(truth(expr, arg.typed.constant))
    }

    pub(crate) fn binary(&mut self, op: BinaryOp, lhs: Operand, rhs: Operand, span: Span) -> Option<Typed> {
        match op {
            BinaryOp::Implies | BinaryOp::Iff | BinaryOp::Or | BinaryOp::And => self.connective(op, lhs, rhs),
            BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => {
                self.comparison(op, lhs, rhs, span)
            }
            BinaryOp::Add => self.arithmetic(Op::Add, "+", lhs, rhs, span, Bounds::plus, exact::add),
            BinaryOp::Sub => self.arithmetic(Op::Sub, "-", lhs, rhs, span, Bounds::minus, exact::sub),
            BinaryOp::Mul => self.arithmetic(Op::Mul, "*", lhs, rhs, span, Bounds::times, exact::mul),
            BinaryOp::Div => {
                self.require_numbers("/", [&lhs, &rhs])?;
                Some(self.divide(lhs.typed, rhs.typed, span))
            }
            BinaryOp::Pow => {
                self.require_numbers("^", [&lhs, &rhs])?;
                Some(self.power(lhs.typed, rhs.typed, span))
            }
        }
    }

    fn connective(&mut self, op: BinaryOp, lhs: Operand, rhs: Operand) -> Option<Typed> {
        let symbol = op.symbol();
        let (left, right) = (self.require_bool(symbol, &lhs), self.require_bool(symbol, &rhs));
        left.and(right)?;
        let (a, b) = (lhs.typed.expr, rhs.typed.expr);
        let exprs = &mut self.program.exprs;
        let expr = match op {
            BinaryOp::And => exprs.and(a, b),
            BinaryOp::Or => exprs.or(a, b),
            BinaryOp::Implies => {
                let not = exprs.not(a);
                exprs.or(not, b)
            }
            _ => exprs.binary(Op::Eq, a, b),
        };
        Some(truth(expr, lhs.typed.constant && rhs.typed.constant))
    }

    fn comparison(&mut self, op: BinaryOp, lhs: Operand, rhs: Operand, span: Span) -> Option<Typed> {
        let equality = matches!(op, BinaryOp::Eq | BinaryOp::Ne);
        let bools = lhs.typed.ty == Ty::Bool && rhs.typed.ty == Ty::Bool;
        let numbers = lhs.typed.ty.is_number() && rhs.typed.ty.is_number();
        if !(numbers || equality && bools) {
            let what = if bools {
                "two bools".to_owned()
            } else {
                format!("{} with {}", lhs.typed.ty.a_name(), rhs.typed.ty.a_name())
            };
            let mut diagnostic =
                Diagnostic::error(codes::TYPE_MISMATCH, format!("`{}` cannot compare {what}", op.symbol()))
                    .at(span, "");
            if !bools {
                diagnostic = diagnostic
                    .also(lhs.span, format!("this is {}", lhs.typed.ty.a_name()))
                    .also(rhs.span, format!("this is {}", rhs.typed.ty.a_name()));
            }
            self.report(diagnostic);
            return None;
        }
        let constant = lhs.typed.constant && rhs.typed.constant;
        let mut decided = match (lhs.typed.bounds, rhs.typed.bounds) {
            (Some(x), Some(y)) if numbers => decide(op, x, y),
            _ => None,
        };
        let doubles = lhs.typed.ty == Ty::Double || rhs.typed.ty == Ty::Double;
        if let (true, Some(x), Some(y)) = (doubles && decided.is_some(), lhs.typed.bounds, rhs.typed.bounds) {
            let exactly = match (&lhs.typed.exact, &rhs.typed.exact) {
                (Some(x), Some(y)) => Some(compare_exactly(op, x, y)),
                _ => None,
            };
            if exactly.map_or(nearly_equal(x.hi, y.lo) || nearly_equal(x.lo, y.hi), |e| Some(e) != decided) {
                // What depends on a variable is decided in each state, in whatever arithmetic.
                if constant {
                    self.program.exact.note_rounding();
                } else {
                    decided = None;
                }
            }
        }
        let (a, b) = self.common(lhs.typed, rhs.typed);
        let exprs = &mut self.program.exprs;
        if let Some(answer) = decided
            && exprs.is_infallible(a.expr)
            && exprs.is_infallible(b.expr)
        {
            let expr = exprs.bool(answer);
            return Some(truth(expr, constant));
        }
        let expr = exprs.binary(comparison_op(op), a.expr, b.expr);
        Some(truth(expr, constant))
    }

    #[expect(clippy::too_many_arguments, reason = "one row of the table of operators")]
    fn arithmetic(
        &mut self,
        op: Op,
        symbol: &str,
        lhs: Operand,
        rhs: Operand,
        span: Span,
        on_bounds: fn(Bounds, Bounds) -> Option<Bounds>,
        on_exact: Exact2,
    ) -> Option<Typed> {
        self.require_numbers(symbol, [&lhs, &rhs])?;
        let bounds = both(lhs.typed.bounds, rhs.typed.bounds, on_bounds);
        let exact = both_exact(&lhs.typed, &rhs.typed, on_exact);
        let zero = [&lhs.typed, &rhs.typed].into_iter().find(|factor| op == Op::Mul && is_zero(factor));
        let exact =
            exact.or(zero.filter(|_| lhs.typed.constant && rhs.typed.constant).and_then(|z| z.exact.clone()));
        let (a, b) = self.common(lhs.typed, rhs.typed);
        let expr = self.program.exprs.binary(op, a.expr, b.expr);
        let mut result = Typed { ty: a.ty, expr, constant: a.constant && b.constant, exact, bounds };
        self.note_operation(op, &mut result, [a.expr, b.expr]);
        Some(if a.ty == Ty::Int { self.within_int(result, span) } else { result })
    }

    fn divide(&mut self, lhs: Typed, rhs: Typed, span: Span) -> Typed {
        let bounds = both(lhs.bounds, rhs.bounds, Bounds::divided);
        let exact = both_exact(&lhs, &rhs, exact::div);
        let may_be_zero = rhs.bounds.is_none_or(Bounds::has_zero);
        let constant = lhs.constant && rhs.constant;
        let (a, b) = (self.promoted(lhs), self.promoted(rhs));
        let expr = if may_be_zero {
            let site = self.site(FailKind::Division, SiteSubject::Expression, span);
            self.program.exprs.checked(CheckedOp::Div, a.expr, b.expr, site)
        } else {
            self.program.exprs.binary(Op::Div, a.expr, b.expr)
        };
        let mut result = Typed { ty: Ty::Double, expr, constant, exact, bounds };
        self.note_operation(Op::Div, &mut result, [a.expr, b.expr]);
        result
    }

    pub(crate) fn conditional(
        &mut self,
        cond: Operand,
        yes: Operand,
        no: Operand,
        span: Span,
    ) -> Option<Typed> {
        self.require_bool("?", &cond)?;
        if yes.typed.ty.is_number() != no.typed.ty.is_number() {
            self.report(
                Diagnostic::error(codes::TYPE_MISMATCH, "the two results of `?` differ in type")
                    .at(span, "")
                    .also(yes.span, format!("this is {}", yes.typed.ty.a_name()))
                    .also(no.span, format!("this is {}", no.typed.ty.a_name())),
            );
            return None;
        }
        let constant = cond.typed.constant && yes.typed.constant && no.typed.constant;
        let decided = self.program.exprs.as_const(cond.typed.expr).and_then(Const::as_bool);
        let (yes, no) = self.common(yes.typed, no.typed);
        let expr = self.program.exprs.select(cond.typed.expr, yes.expr, no.expr);
        let (exact, bounds) = match decided {
            Some(true) => (yes.exact, yes.bounds),
            Some(false) => (no.exact, no.bounds),
            None => (None, both(yes.bounds, no.bounds, |x, y| Some(x.hull(y)))),
        };
        Some(Typed { ty: yes.ty, expr, constant, exact: exact.filter(|_| constant), bounds })
    }
}

/// Functions.
impl Lowering {}

/// Properties that operators have in common.
impl Lowering {
    /// A number as a double.
    pub(crate) fn promoted(&mut self, number: Typed) -> Typed {
        let expr = self.program.exprs.convert(Type::F64, number.expr);
        let promoted = Typed { ty: Ty::Double, expr, ..number };
        self.note_exact(&promoted);
        promoted
    }

    /// The same type for both: doubles if one is.
    pub(crate) fn common(&mut self, lhs: Typed, rhs: Typed) -> (Typed, Typed) {
        match (lhs.ty, rhs.ty) {
            (Ty::Int, Ty::Double) => (self.promoted(lhs), rhs),
            (Ty::Double, Ty::Int) => (lhs, self.promoted(rhs)),
            _ => (lhs, rhs),
        }
    }

    /// An int result that fails where it does not have 32 bits. Operands have 32 bits, so that nothing but a
    /// power can leave 64 on the way, and powers are checked for that.
    pub(crate) fn within_int(&mut self, result: Typed, span: Span) -> Typed {
        let raw = result.bounds;
        let bounds = Some(raw.map_or(bounds::INT, Bounds::checked_int));
        let known = self.program.exprs.as_const(result.expr).and_then(Const::as_i64);
        if raw.is_some_and(Bounds::fits_int) || known.is_some_and(|value| i32::try_from(value).is_ok()) {
            let point = known.and_then(|value| Bounds::point(value as f64));
            return Typed { bounds: point.or(bounds), ..result };
        }
        let site = self.site(FailKind::Overflow, SiteSubject::Expression, span);
        let (lo, hi) = (i32::MIN.into(), i32::MAX.into());
        let expr = self.program.exprs.add(Node::Range { arg: result.expr, lo, hi, site });
        Typed { expr, bounds, exact: None, ..result }
    }

    fn require_numbers(&mut self, symbol: &str, operands: [&Operand; 2]) -> Option<()> {
        let [left, right] = operands.map(|operand| self.require_number(symbol, operand));
        left.and(right)
    }

    pub(crate) fn require_number(&mut self, symbol: &str, operand: &Operand) -> Option<()> {
        if operand.typed.ty.is_number() {
            return Some(());
        }
        self.report(
            Diagnostic::error(codes::TYPE_MISMATCH, format!("`{symbol}` takes numbers"))
                .at(operand.span, "this is a bool"),
        );
        None
    }

    fn require_bool(&mut self, symbol: &str, operand: &Operand) -> Option<()> {
        if operand.typed.ty == Ty::Bool {
            return Some(());
        }
        self.report(
            Diagnostic::error(codes::TYPE_MISMATCH, format!("`{symbol}` takes conditions"))
                .at(operand.span, format!("this is {}", operand.typed.ty.a_name())),
        );
        None
    }
}

fn is_zero(number: &Typed) -> bool {
    number.exact.as_ref().is_some_and(|exact| exact.is_zero())
}

fn truth(expr: ExprId, constant: bool) -> Typed {
    Typed { ty: Ty::Bool, expr, constant, exact: None, bounds: None }
}

pub(crate) fn both(
    x: Option<Bounds>,
    y: Option<Bounds>,
    f: impl Fn(Bounds, Bounds) -> Option<Bounds>,
) -> Option<Bounds> {
    f(x?, y?)
}

pub(crate) fn both_exact(lhs: &Typed, rhs: &Typed, f: Exact2) -> Option<Arc<RBig>> {
    f(lhs.exact.as_deref()?, rhs.exact.as_deref()?).map(Arc::new)
}

/// The answer of a comparison whose operands decide it by their bounds.
fn decide(op: BinaryOp, x: Bounds, y: Bounds) -> Option<bool> {
    match op {
        BinaryOp::Eq => bounds::equal(x, y),
        BinaryOp::Ne => bounds::equal(x, y).map(|equal| !equal),
        BinaryOp::Lt => bounds::less(x, y),
        BinaryOp::Gt => bounds::less(y, x),
        BinaryOp::Le => bounds::less(y, x).map(|less| !less),
        BinaryOp::Ge => bounds::less(x, y).map(|less| !less),
        _ => None,
    }
}

/// Whether rounding may have made the difference between two ends, or taken it away. Short binary fractions come from
/// no rounding, as a rule.
fn nearly_equal(a: f64, b: f64) -> bool {
    let short = |x: f64| (x * 1_048_576.0).fract() == 0.0;
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs()) && !(a == b && short(a))
}

fn compare_exactly(op: BinaryOp, x: &RBig, y: &RBig) -> bool {
    match op {
        BinaryOp::Ne => x != y,
        BinaryOp::Lt => x < y,
        BinaryOp::Le => x <= y,
        BinaryOp::Gt => x > y,
        BinaryOp::Ge => x >= y,
        _ => x == y,
    }
}

fn comparison_op(op: BinaryOp) -> Op {
    match op {
        BinaryOp::Ne => Op::Ne,
        BinaryOp::Lt => Op::Lt,
        BinaryOp::Le => Op::Le,
        BinaryOp::Gt => Op::Gt,
        BinaryOp::Ge => Op::Ge,
        _ => Op::Eq,
    }
}

/// A construct of properties, for messages.
pub(crate) fn describe(kind: &ExprKind) -> &'static str {
    match kind {
        ExprKind::Prob { .. } => "the operator P",
        ExprKind::Reward { .. } => "the operator R",
        ExprKind::Steady { .. } => "the operator S",
        ExprKind::Time { .. } => "the operator T",
        ExprKind::Strategy { .. } => "a coalition of players",
        ExprKind::ForAll(_) => "the operator A",
        ExprKind::Exists(_) => "the operator E",
        ExprKind::Filter { .. } => "a filter",
        ExprKind::Quantile { .. } => "a quantile",
        ExprKind::Automaton { .. } => "an automaton",
        ExprKind::Conditional { .. } => "a condition on a path",
        ExprKind::Temporal { .. } => "a temporal operator",
        ExprKind::Unsupported { what } => what,
        _ => "this",
    }
}
