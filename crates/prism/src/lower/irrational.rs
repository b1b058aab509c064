//! Errors of constants without a rational value: what `log(1.0001, 2)` or `1 - pow(0.9, 0.001)` may be off by.
//!
//! In: the doubles of the operands and of the result, with the errors of the operands; out: the error of the result, noted with the
//! program. Running error analysis, as in [`volvelle_model::rounding`], at the time when constants are folded.

use super::bounds::Bounds;
use super::typed::{Ty, Typed};
use super::{Lowering, exact};
use dashu_ratio::RBig;
use volvelle_kernel::{BinaryOp as Op, Const, ExprId, MathFn};
use volvelle_model::exact::{LIBRARY_ERROR, U};
use volvelle_model::underflow::SMALLEST;

/// Room for the rounding of the bounds themselves.
const MARGIN: f64 = 1.0 + 1e-6;

/// A double, and how far it may be from what it stands for.
#[derive(Clone, Copy)]
struct Rounded {
    value: f64,
    error: f64,
}

impl Lowering {
    /// Notes the error of the result of an operation on constants of which one at least has no rational value.
    pub(super) fn note_operation(&mut self, op: Op, result: &mut Typed, operands: [ExprId; 2]) {
        self.note_result(result, operands, |r, [a, b]| match op {
            Op::Add | Op::Sub => a.error + b.error + U * r,
            Op::Mul => a.value.abs() * b.error + (b.value.abs() + b.error) * a.error + U * r,
            Op::Div => over(a.error + r * b.error, b.value.abs() - b.error) + 2.0 * U * r,
            Op::Min | Op::Max => a.error.max(b.error),
            _ => f64::INFINITY,
        });
    }

    /// Notes the error of a function of the library.
    pub(super) fn note_function(&mut self, f: MathFn, result: &mut Typed, operands: [ExprId; 2]) {
        self.note_result(result, operands, |r, [a, b]| match f {
            MathFn::Log => {
                let change = if a.error == 0.0 { 0.0 } else { over(a.error, a.value - a.error) };
                change + LIBRARY_ERROR * r
            }
            MathFn::Pow if a.error == 0.0 && b.error == 0.0 => LIBRARY_ERROR * r,
            // y' ln x' - y ln x = y' (ln x' - ln x) + (y' - y) ln x, and e^d - 1 <= 2 d for d <= 1/2.
            MathFn::Pow if a.value > 0.0 || b.error == 0.0 => {
                let size = a.value.abs();
                let of_base = (b.value.abs() + b.error) * over(a.error, size - a.error);
                let of_exponent = if b.error == 0.0 { 0.0 } else { b.error * size.ln().abs() };
                let change = (of_base + of_exponent) * MARGIN;
                if change < 0.5 { (2.0 * change + LIBRARY_ERROR) * r } else { f64::INFINITY }
            }
            _ => f64::INFINITY,
        });
    }

    fn note_result(
        &mut self,
        result: &mut Typed,
        operands: [ExprId; 2],
        error: impl FnOnce(f64, [Rounded; 2]) -> f64,
    ) {
        if result.ty != Ty::Double {
            return;
        }
        if let Some(exact) = &result.exact {
            // What is not zero in the text is not zero.
            if !exact.is_zero()
                && self.program.exprs.as_const(result.expr).and_then(Const::as_f64) == Some(0.0)
            {
                let sign = if **exact > RBig::ZERO { 1.0 } else { -1.0 };
                result.expr = self.program.exprs.f64(SMALLEST.copysign(sign));
                result.bounds = Bounds::point(SMALLEST.copysign(sign));
            }
            return;
        }
        let rounded = |id: ExprId| {
            let value = self.program.exprs.as_const(id).and_then(Const::as_f64)?;
            Some(Rounded { value, error: self.program.exact.error(id, value).absolute })
        };
        let Some(computed) = self.program.exprs.as_const(result.expr).and_then(Const::as_f64) else { return };
        let [Some(a), Some(b)] = operands.map(rounded) else { return };
        // What underflows is off by something, too.
        let error = error(computed.abs(), [a, b]) * MARGIN + f64::MIN_POSITIVE;
        let error = if error.is_nan() { f64::INFINITY } else { error };
        // Doubles that stand for rational numbers, or may do so, are left to these.
        let mut double = computed;
        while double.is_finite() && (exact::is_short(double) || self.is_rational(double)) {
            double = double.next_up();
        }
        if double != computed {
            result.expr = self.program.exprs.f64(double);
            result.bounds = Bounds::point(double);
        }
        let moved = (double - computed).abs();
        self.program.exact.note_rounded(result.expr, double, (error + moved) * MARGIN);
    }

    fn is_rational(&mut self, double: f64) -> bool {
        let constant = self.program.exprs.f64(double);
        matches!(self.program.exact.get(constant), Some(Some(_)))
    }

    /// Whether a function of steps, as `floor`, has the same value wherever a constant without a rational value may lie.
    pub(super) fn is_same_around(&self, constant: ExprId, f: impl Fn(f64) -> f64) -> bool {
        let Some(value) = self.program.exprs.as_const(constant).and_then(Const::as_f64) else { return false };
        let error = self.program.exact.error(constant, value).absolute;
        f((value - error).next_down()) == f((value + error).next_up())
    }
}

/// A quotient of a bound by what is left of a divisor; no bound where nothing is left.
fn over(error: f64, left: f64) -> f64 {
    if left > 0.0 { error / left } else { f64::INFINITY }
}
