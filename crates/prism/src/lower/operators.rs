//! Operators and functions on lowered operands: typing, constant folding, and the checks that PRISM makes
//! while it evaluates.
//!
//! After PRISM 4.8 (`TypeCheck`, `ExpressionBinaryOp`, `ExpressionFunc`): an int meets a double as a double;
//! `/` is always a double; sums, products and powers of ints fail where they leave 32 bits; `mod` wants a
//! positive divisor and is never negative; `floor`, `ceil` and `round` (halves up) give ints and fail where
//! there is none. Deviations: a division by zero fails, where PRISM goes on with an infinity; a rounded
//! value beyond 32 bits fails, where PRISM takes the nearest int; `&`, `|`, `=>` and `?:` do not evaluate
//! what they do not need.

use super::bounds::{self, Bounds};
use super::typed::{Ty, Typed};
use super::{Lowering, exact};
use crate::ast::{BinaryOp, ExprKind, Function};
use dashu_ratio::RBig;
use std::sync::Arc;
use volvelle_diagnostics::{Diagnostic, Span, codes};
use volvelle_kernel::{
    BinaryOp as Op, CheckedOp, Const, ExprId, FailKind, MathFn, Node, Type, UnaryOp, interp,
};
use volvelle_model::SiteSubject;

/// A lowered operand and where it was written.
#[derive(Clone, Debug)]
pub(crate) struct Operand {
    pub typed: Typed,
    pub span: Span,
}

type Exact2 = fn(&RBig, &RBig) -> Option<RBig>;

/// Constants.
impl Lowering {
    /// A constant int, which must have 32 bits.
    pub(crate) fn int_constant(&mut self, value: i64) -> Typed {
        Typed {
            ty: Ty::Int,
            expr: self.program.exprs.i64(value),
            constant: true,
            exact: Some(Arc::new(exact::int(value))),
            bounds: Bounds::point(value as f64),
        }
    }

    /// A constant double, without an exact value.
    pub(crate) fn double_constant(&mut self, value: f64) -> Typed {
        Typed {
            ty: Ty::Double,
            expr: self.program.exprs.f64(value),
            constant: true,
            exact: None,
            bounds: Bounds::point(value),
        }
    }

    /// A constant bool.
    pub(crate) fn bool_constant(&mut self, value: bool) -> Typed {
        let expr = self.program.exprs.bool(value);
        Typed { ty: Ty::Bool, expr, constant: true, exact: None, bounds: None }
    }

    /// A number as a double.
    pub(crate) fn promoted(&mut self, number: Typed) -> Typed {
        let expr = self.program.exprs.convert(Type::F64, number.expr);
        Typed { ty: Ty::Double, expr, ..number }
    }
}

/// Operators.
impl Lowering {
    pub(crate) fn negate(&mut self, arg: Operand, span: Span) -> Option<Typed> {
        self.require_number("-", &arg)?;
        let Typed { ty, constant, exact, bounds, .. } = arg.typed;
        let expr = self.program.exprs.unary(UnaryOp::Neg, arg.typed.expr);
        let negated = bounds.map(Bounds::neg);
        let exact = exact.map(|value| Arc::new(-(*value).clone()));
        let result = Typed { ty, expr, constant, exact, bounds: negated };
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
            BinaryOp::Add => self.arithmetic(Op::Add, "+", lhs, rhs, span, Bounds::add, exact::add),
            BinaryOp::Sub => self.arithmetic(Op::Sub, "-", lhs, rhs, span, Bounds::sub, exact::sub),
            BinaryOp::Mul => self.arithmetic(Op::Mul, "*", lhs, rhs, span, Bounds::mul, exact::mul),
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
        let symbol = symbol(op);
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
                Diagnostic::error(codes::TYPE_MISMATCH, format!("`{}` cannot compare {what}", symbol(op)))
                    .at(span, "");
            if !bools {
                diagnostic = diagnostic
                    .also(lhs.span, format!("this is {}", lhs.typed.ty.a_name()))
                    .also(rhs.span, format!("this is {}", rhs.typed.ty.a_name()));
            }
            self.complain(diagnostic);
            return None;
        }
        let constant = lhs.typed.constant && rhs.typed.constant;
        let decided = match (lhs.typed.bounds, rhs.typed.bounds) {
            (Some(x), Some(y)) if numbers => decide(op, x, y),
            _ => None,
        };
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
        let (a, b) = self.common(lhs.typed, rhs.typed);
        let expr = self.program.exprs.binary(op, a.expr, b.expr);
        let result = Typed { ty: a.ty, expr, constant: a.constant && b.constant, exact, bounds };
        Some(if a.ty == Ty::Int { self.within_int(result, span) } else { result })
    }

    fn divide(&mut self, lhs: Typed, rhs: Typed, span: Span) -> Typed {
        let bounds = both(lhs.bounds, rhs.bounds, Bounds::div);
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
        Typed { ty: Ty::Double, expr, constant, exact, bounds }
    }

    fn power(&mut self, base: Typed, exponent: Typed, span: Span) -> Typed {
        let exact = both_exact(&base, &exponent, exact::pow);
        let constant = base.constant && exponent.constant;
        if base.ty == Ty::Int && exponent.ty == Ty::Int {
            let (b, e) = (base.int_bounds(), exponent.int_bounds());
            let site = self.site(FailKind::Overflow, SiteSubject::Expression, span);
            let expr = self.program.exprs.checked(CheckedOp::Pow, base.expr, exponent.expr, site);
            // A little slack makes up for the rounding of the largest power.
            let largest = b.hi.max(1.0).powf(e.hi.max(0.0)) * 1.000_001;
            let bounds = (b.lo >= 0.0).then_some(Bounds { lo: 0.0, hi: largest });
            return self.within_int(Typed { ty: Ty::Int, expr, constant, exact, bounds }, span);
        }
        let (a, b) = (self.promoted(base), self.promoted(exponent));
        let expr = self.math(MathFn::Pow, [a.expr, b.expr]);
        Typed { ty: Ty::Double, expr, constant, exact, bounds: self.bounds_of_constant(expr) }
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
            self.complain(
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
impl Lowering {
    pub(crate) fn call(&mut self, function: Function, args: Vec<Operand>, span: Span) -> Option<Typed> {
        self.require_arity(function, args.len(), span)?;
        let name = function_name(function);
        match function {
            Function::Mod => {
                for arg in &args {
                    if arg.typed.ty != Ty::Int {
                        self.complain(
                            Diagnostic::error(codes::TYPE_MISMATCH, "`mod` takes ints")
                                .at(arg.span, format!("this is {}", arg.typed.ty.a_name())),
                        );
                        return None;
                    }
                }
            }
            Function::Multi => {
                self.complain(
                    Diagnostic::error(
                        codes::TYPE_MISMATCH,
                        "`multi` is a property, not part of an expression",
                    )
                    .at(span, ""),
                );
                return None;
            }
            _ => {
                for arg in &args {
                    self.require_number(name, arg)?;
                }
            }
        }
        let mut args = args.into_iter().map(|arg| arg.typed);
        let first = args.next()?;
        Some(match function {
            Function::Min => args.fold(first, |a, b| self.extremum(Op::Min, a, b)),
            Function::Max => args.fold(first, |a, b| self.extremum(Op::Max, a, b)),
            Function::Floor => self.rounded(Rounding::Floor, first, span),
            Function::Ceil => self.rounded(Rounding::Ceil, first, span),
            Function::Round => self.rounded(Rounding::Round, first, span),
            Function::Pow => {
                let exponent = args.next()?;
                self.power(first, exponent, span)
            }
            Function::Mod => {
                let divisor = args.next()?;
                self.modulo(first, divisor, span)
            }
            Function::Log => {
                let base = args.next()?;
                self.logarithm(first, base)
            }
            Function::Multi => return None,
        })
    }

    pub(crate) fn require_arity(&mut self, function: Function, found: usize, span: Span) -> Option<()> {
        let (least, most) = match function {
            Function::Min | Function::Max => (2, usize::MAX),
            Function::Floor | Function::Ceil | Function::Round => (1, 1),
            Function::Pow | Function::Mod | Function::Log => (2, 2),
            Function::Multi => (1, usize::MAX),
        };
        if (least..=most).contains(&found) {
            return Some(());
        }
        let name = function_name(function);
        let wanted = match (least, most) {
            (1, 1) => "1 argument".to_owned(),
            (least, most) if least == most => format!("{least} arguments"),
            (least, _) => format!("at least {least} arguments"),
        };
        let mut diagnostic =
            Diagnostic::error(codes::WRONG_ARGUMENT_COUNT, format!("`{name}` takes {wanted}, found {found}"))
                .at(span, "");
        if function == Function::Log && found == 1 {
            diagnostic = diagnostic.help("the second argument is the base: log(x, 2)");
        }
        self.complain(diagnostic);
        None
    }

    fn extremum(&mut self, op: Op, lhs: Typed, rhs: Typed) -> Typed {
        let min = op == Op::Min;
        let bounds = both(lhs.bounds, rhs.bounds, |x, y| Some(if min { x.min(y) } else { x.max(y) }));
        let exact = both_exact(
            &lhs,
            &rhs,
            if min { |x, y| Some(x.min(y).clone()) } else { |x, y| Some(x.max(y).clone()) },
        );
        let (a, b) = self.common(lhs, rhs);
        let expr = self.program.exprs.binary(op, a.expr, b.expr);
        Typed { ty: a.ty, expr, constant: a.constant && b.constant, exact, bounds }
    }

    fn rounded(&mut self, how: Rounding, arg: Typed, span: Span) -> Typed {
        if arg.ty == Ty::Int {
            return arg;
        }
        let exprs = &mut self.program.exprs;
        let value = match how {
            Rounding::Floor => exprs.unary(UnaryOp::Floor, arg.expr),
            Rounding::Ceil => exprs.unary(UnaryOp::Ceil, arg.expr),
            Rounding::Round => {
                // Adding 0.5 first would round 0.49999999999999994 up. The difference is exact.
                let floor = exprs.unary(UnaryOp::Floor, arg.expr);
                let rest = exprs.binary(Op::Sub, arg.expr, floor);
                let half = exprs.f64(0.5);
                let up = exprs.binary(Op::Ge, rest, half);
                let one = exprs.f64(1.0);
                let above = exprs.binary(Op::Add, floor, one);
                exprs.select(up, above, floor)
            }
        };
        let bounds = arg.bounds.and_then(|b| {
            b.monotone(match how {
                Rounding::Floor => f64::floor,
                Rounding::Ceil => f64::ceil,
                Rounding::Round => |x: f64| x.floor() + f64::from(u8::from(x - x.floor() >= 0.5)),
            })
        });
        let exact = arg.exact.as_deref().map(|value| {
            Arc::new(match how {
                Rounding::Floor => RBig::from(value.floor()),
                Rounding::Ceil => RBig::from(value.ceil()),
                Rounding::Round => exact::round(value),
            })
        });
        let fits = bounds.filter(|b| b.fits_int());
        let expr = if fits.is_some() {
            self.program.exprs.convert(Type::I64, value)
        } else {
            let site = self.site(FailKind::Conversion, SiteSubject::Expression, span);
            let narrow = self.program.exprs.add(Node::CheckedConvert { to: Type::I32, arg: value, site });
            self.program.exprs.convert(Type::I64, narrow)
        };
        // The double counts: where it rounds otherwise than the exact value would, that is given up.
        let computed = self.program.exprs.as_const(expr).and_then(Const::as_i64);
        let exact = exact.filter(|value| computed.map(exact::int).as_ref() == Some(&**value));
        Typed {
            ty: Ty::Int,
            expr,
            constant: arg.constant,
            exact,
            bounds: Some(bounds.map_or(bounds::INT, Bounds::checked_int)),
        }
    }

    fn modulo(&mut self, dividend: Typed, divisor: Typed, span: Span) -> Typed {
        let (x, m) = (dividend.int_bounds(), divisor.int_bounds());
        let site = self.site(FailKind::Division, SiteSubject::Expression, span);
        let constant = dividend.constant && divisor.constant;
        let (largest, positive) = (i32::MAX as i64, m.lo >= 1.0);
        let exprs = &mut self.program.exprs;
        let by = if positive {
            divisor.expr
        } else {
            exprs.add(Node::Range { arg: divisor.expr, lo: 1, hi: largest, site })
        };
        let expr = exprs.checked(CheckedOp::Mod, dividend.expr, by, site);
        let exact = exprs.as_const(expr).and_then(Const::as_i64).map(|value| Arc::new(exact::int(value)));
        let hi = (m.hi - 1.0).max(0.0);
        let hi = if x.lo >= 0.0 { hi.min(x.hi) } else { hi };
        Typed { ty: Ty::Int, expr, constant, exact, bounds: Some(Bounds { lo: 0.0, hi }) }
    }

    /// `ln x / ln b`; not a number for a base that is none (not positive, infinite, or 1), as in PRISM.
    fn logarithm(&mut self, x: Typed, base: Typed) -> Typed {
        let constant = x.constant && base.constant;
        let (x, base) = (self.promoted(x), self.promoted(base));
        let numerator = self.math(MathFn::Log, [x.expr, x.expr]);
        let denominator = self.math(MathFn::Log, [base.expr, base.expr]);
        let exprs = &mut self.program.exprs;
        let quotient = exprs.binary(Op::Div, numerator, denominator);
        let [zero, one, infinity, nan] = [0.0, 1.0, f64::INFINITY, f64::NAN].map(|value| exprs.f64(value));
        let positive = exprs.binary(Op::Gt, base.expr, zero);
        let not_one = exprs.binary(Op::Ne, base.expr, one);
        let finite = exprs.binary(Op::Lt, base.expr, infinity);
        let proper = exprs.and(positive, not_one);
        let proper = exprs.and(proper, finite);
        let expr = exprs.select(proper, quotient, nan);
        Typed { ty: Ty::Double, expr, constant, exact: None, bounds: self.bounds_of_constant(expr) }
    }
}

/// What operators have in common.
impl Lowering {
    /// The same type for both: doubles if one is.
    fn common(&mut self, lhs: Typed, rhs: Typed) -> (Typed, Typed) {
        match (lhs.ty, rhs.ty) {
            (Ty::Int, Ty::Double) => (self.promoted(lhs), rhs),
            (Ty::Double, Ty::Int) => (lhs, self.promoted(rhs)),
            _ => (lhs, rhs),
        }
    }

    /// An int result that fails where it does not have 32 bits. Operands have 32 bits, so that nothing but a
    /// power can leave 64 on the way, and powers are checked for that.
    fn within_int(&mut self, result: Typed, span: Span) -> Typed {
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

    /// A function of the kernel IR, folded where its arguments are constant.
    fn math(&mut self, f: MathFn, args: [ExprId; 2]) -> ExprId {
        let exprs = &mut self.program.exprs;
        match args.map(|arg| exprs.as_const(arg)) {
            [Some(x), Some(y)] => {
                let value = interp::math(f, x, y);
                exprs.constant(value)
            }
            _ => exprs.add(Node::Math { f, args }),
        }
    }

    fn bounds_of_constant(&self, expr: ExprId) -> Option<Bounds> {
        self.program.exprs.as_const(expr).and_then(Const::as_f64).and_then(Bounds::point)
    }

    fn require_numbers(&mut self, symbol: &str, operands: [&Operand; 2]) -> Option<()> {
        let [left, right] = operands.map(|operand| self.require_number(symbol, operand));
        left.and(right)
    }

    fn require_number(&mut self, symbol: &str, operand: &Operand) -> Option<()> {
        if operand.typed.ty.is_number() {
            return Some(());
        }
        self.complain(
            Diagnostic::error(codes::TYPE_MISMATCH, format!("`{symbol}` takes numbers"))
                .at(operand.span, "this is a bool"),
        );
        None
    }

    fn require_bool(&mut self, symbol: &str, operand: &Operand) -> Option<()> {
        if operand.typed.ty == Ty::Bool {
            return Some(());
        }
        self.complain(
            Diagnostic::error(codes::TYPE_MISMATCH, format!("`{symbol}` takes conditions"))
                .at(operand.span, format!("this is {}", operand.typed.ty.a_name())),
        );
        None
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Rounding {
    Floor,
    Ceil,
    Round,
}

fn truth(expr: ExprId, constant: bool) -> Typed {
    Typed { ty: Ty::Bool, expr, constant, exact: None, bounds: None }
}

fn both(
    x: Option<Bounds>,
    y: Option<Bounds>,
    f: impl Fn(Bounds, Bounds) -> Option<Bounds>,
) -> Option<Bounds> {
    f(x?, y?)
}

fn both_exact(lhs: &Typed, rhs: &Typed, f: Exact2) -> Option<Arc<RBig>> {
    f(lhs.exact.as_deref()?, rhs.exact.as_deref()?).map(Arc::new)
}

/// The answer of a comparison that has only one.
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

/// An operator as it is written.
pub(crate) fn symbol(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Implies => "=>",
        BinaryOp::Iff => "<=>",
        BinaryOp::Or => "|",
        BinaryOp::And => "&",
        BinaryOp::Eq => "=",
        BinaryOp::Ne => "!=",
        BinaryOp::Lt => "<",
        BinaryOp::Le => "<=",
        BinaryOp::Gt => ">",
        BinaryOp::Ge => ">=",
        BinaryOp::Add => "+",
        BinaryOp::Sub => "-",
        BinaryOp::Mul => "*",
        BinaryOp::Div => "/",
        BinaryOp::Pow => "^",
    }
}

/// A function as it is written.
pub(crate) fn function_name(function: Function) -> &'static str {
    match function {
        Function::Min => "min",
        Function::Max => "max",
        Function::Floor => "floor",
        Function::Ceil => "ceil",
        Function::Round => "round",
        Function::Pow => "pow",
        Function::Mod => "mod",
        Function::Log => "log",
        Function::Multi => "multi",
    }
}

/// A construct of properties, for messages.
pub(crate) fn describe(kind: &ExprKind) -> &'static str {
    match kind {
        ExprKind::Prob { .. } => "the operator P",
        ExprKind::Reward { .. } => "the operator R",
        ExprKind::Steady { .. } => "the operator S",
        ExprKind::Time { .. } => "the operator T",
        ExprKind::ForAll(_) => "the operator A",
        ExprKind::Exists(_) => "the operator E",
        ExprKind::Filter { .. } => "a filter",
        ExprKind::Conditional { .. } => "a condition on a path",
        ExprKind::Temporal { .. } => "a temporal operator",
        ExprKind::Unsupported { what } => what,
        _ => "this",
    }
}
