//! Functions on lowered operands: `min`, `max`, `floor`, `ceil`, `round`, `pow`, `mod`, `log`.
//!
//! See [`super::operators`] for where they differ from PRISM's.

use super::bounds::{self, Bounds};
use super::operators::{Operand, both, both_exact};
use super::typed::{Ty, Typed};
use super::{Lowering, exact};
use crate::ast::Function;
use dashu_ratio::RBig;
use std::sync::Arc;
use volvelle_diagnostics::{Diagnostic, Span, codes};
use volvelle_kernel::{
    BinaryOp as Op, CheckedOp, Const, ExprId, FailKind, MathFn, Node, Type, UnaryOp, interp,
};
use volvelle_model::SiteSubject;

impl Lowering {
    pub(crate) fn call(&mut self, function: Function, args: Vec<Operand>, span: Span) -> Option<Typed> {
        self.require_arity(function, args.len(), span)?;
        let name = function.name();
        match function {
            Function::Mod => {
                for arg in &args {
                    if arg.typed.ty != Ty::Int {
                        self.report(
                            Diagnostic::error(codes::TYPE_MISMATCH, "`mod` takes ints")
                                .at(arg.span, format!("this is {}", arg.typed.ty.a_name())),
                        );
                        return None;
                    }
                }
            }
            Function::Multi => {
                self.report(
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
            Function::Min | Function::Max | Function::Multi => (1, usize::MAX),
            Function::Floor | Function::Ceil | Function::Round => (1, 1),
            Function::Pow | Function::Mod | Function::Log => (2, 2),
        };
        if (least..=most).contains(&found) {
            return Some(());
        }
        let name = function.name();
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
        self.report(diagnostic);
        None
    }

    pub(crate) fn power(&mut self, base: Typed, exponent: Typed, span: Span) -> Typed {
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
        let bounds = self.bounds_of_constant(expr);
        let mut result = Typed { ty: Ty::Double, expr, constant, exact, bounds };
        self.note_function(MathFn::Pow, &mut result, [a.expr, b.expr]);
        result
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
        let mut result = Typed { ty: a.ty, expr, constant: a.constant && b.constant, exact, bounds };
        self.note_operation(op, &mut result, [a.expr, b.expr]);
        result
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
                self.program.exact.note(half, 0.5, Some(&RBig::from_parts(1.into(), 2u8.into())));
                let exprs = &mut self.program.exprs;
                let up = exprs.binary(Op::Ge, rest, half);
                let one = exprs.f64(1.0);
                self.program.exact.note(one, 1.0, Some(&RBig::ONE));
                let exprs = &mut self.program.exprs;
                let above = exprs.binary(Op::Add, floor, one);
                exprs.select(up, above, floor)
            }
        };
        let step = match how {
            Rounding::Floor => f64::floor,
            Rounding::Ceil => f64::ceil,
            Rounding::Round => |x: f64| x.floor() + f64::from(u8::from(x - x.floor() >= 0.5)),
        };
        let bounds = arg.bounds.and_then(|b| b.monotone(step));
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
        let known = exact.is_some();
        let exact = match computed {
            // What is cut has no rational value, but one that lies between the same integers.
            Some(value) if !known && self.is_same_around(arg.expr, step) => Some(Arc::new(exact::int(value))),
            _ => exact.filter(|value| computed.map(exact::int).as_ref() == Some(&**value)),
        };
        if computed.is_some() && exact.is_none() {
            self.program.exact.note_rounding();
        }
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

    /// `ln x / ln b`; not-a-number for an invalid base (not positive, infinite, or 1), as in PRISM.
    fn logarithm(&mut self, x: Typed, base: Typed) -> Typed {
        let exact = both_exact(&x, &base, exact::log);
        let constant = x.constant && base.constant;
        let (x, base) = (self.promoted(x), self.promoted(base));
        let numerator = self.math(MathFn::Log, [x.expr, x.expr]);
        let denominator = self.math(MathFn::Log, [base.expr, base.expr]);
        let mut quotient = self.program.exprs.binary(Op::Div, numerator, denominator);
        if constant && exact.is_none() {
            let [numerator, denominator] =
                [(numerator, x.expr), (denominator, base.expr)].map(|(log, operand)| {
                    let mut log = self.irrational(log);
                    self.note_function(MathFn::Log, &mut log, [operand; 2]);
                    log.expr
                });
            let mut found = self.irrational(quotient);
            self.note_operation(Op::Div, &mut found, [numerator, denominator]);
            quotient = found.expr;
        }
        let exprs = &mut self.program.exprs;
        let [zero, one, infinity, nan] = [0.0, 1.0, f64::INFINITY, f64::NAN].map(|value| exprs.f64(value));
        let positive = exprs.binary(Op::Gt, base.expr, zero);
        let not_one = exprs.binary(Op::Ne, base.expr, one);
        let finite = exprs.binary(Op::Lt, base.expr, infinity);
        let proper = exprs.and(positive, not_one);
        let proper = exprs.and(proper, finite);
        let expr = exprs.select(proper, quotient, nan);
        Typed { ty: Ty::Double, expr, constant, exact, bounds: self.bounds_of_constant(expr) }
    }

    /// A constant double without a rational value.
    fn irrational(&self, expr: ExprId) -> Typed {
        Typed { ty: Ty::Double, expr, constant: true, exact: None, bounds: self.bounds_of_constant(expr) }
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
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Rounding {
    Floor,
    Ceil,
    Round,
}
