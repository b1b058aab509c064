//! Twins: expressions for the rounding error of another expression, in the present state.
//!
//! If an a-priori bound ([`super::estimate`]) is useless because numbers cancel, the error is bounded along
//! with the value: running error analysis (J. Wilkinson 1960; Higham, section 3.3). The bound is an
//! expression of the kernel IR, compiled like any other.

use super::estimate::{Estimates, depends_on_numbers, source};
use crate::constant_error::{LIBRARY_ERROR, U};
use crate::program::Program;
use rustc_hash::FxHashMap;
use volvelle_kernel::verify::MAX_NESTING;
use volvelle_kernel::{BinaryOp, CheckedOp, ExprId, Exprs, MathFn, Node, Type, UnaryOp};

/// Stands for an error without a bound, since rewards must be finite.
pub const UNBOUNDED: f64 = 1e300;

/// Factor that covers the rounding of the bounds themselves.
const MARGIN: f64 = 1.0 + 1e-6;

/// Makes expressions for errors.
pub struct Twins {
    estimates: Estimates,
    known: FxHashMap<ExprId, ExprId>,
}

impl Twins {
    /// For expressions with these estimates.
    pub fn new(estimates: Estimates) -> Self {
        Twins { estimates, known: FxHashMap::default() }
    }

    /// A bound of the error of `root` (`f64`, finite, never negative).
    pub fn error(&mut self, program: &mut Program, root: ExprId) -> ExprId {
        // Operands first, since errors are computed from those of operands.
        for id in program.exprs.needed([root]) {
            let is_number = matches!(program.exprs.ty(id), Type::F64 | Type::I64 | Type::I32);
            if is_number && !self.known.contains_key(&id) {
                let error = self.of(program, id);
                self.known.insert(id, error);
            }
        }
        let error = self.known.get(&root).copied();
        let exprs = &mut program.exprs;
        let unbounded = exprs.f64(UNBOUNDED);
        let Some(error) = error else { return unbounded };
        let bounded = exprs.binary(BinaryOp::Lt, error, unbounded);
        let error = exprs.select(bounded, error, unbounded);
        if program.exprs.nesting(error) + 40 > MAX_NESTING { unbounded } else { error }
    }

    fn get(&self, exprs: &mut Exprs, id: ExprId) -> ExprId {
        self.known.get(&id).copied().unwrap_or_else(|| exprs.f64(f64::INFINITY))
    }

    fn of(&self, program: &mut Program, id: ExprId) -> ExprId {
        if program.exprs.ty(id) != Type::F64 {
            return self.integer(program, id);
        }
        let estimate = self.estimates.get(id);
        let exprs = &mut program.exprs;
        if estimate.is_exact() {
            return exprs.f64(0.0);
        }
        if estimate.relative < 1e-14 {
            return scaled(exprs, id, estimate.relative);
        }
        match exprs.node(id) {
            Node::Const(_) => exprs.f64(estimate.absolute),
            Node::Unary { op: UnaryOp::Neg | UnaryOp::Abs, arg } => self.get(exprs, arg),
            Node::Unary { op: op @ (UnaryOp::Floor | UnaryOp::Ceil | UnaryOp::Trunc), arg } => {
                // Exact, unless the error crosses an integer.
                let error = self.get(exprs, arg);
                let above = exprs.binary(BinaryOp::Add, arg, error);
                let below = exprs.binary(BinaryOp::Sub, arg, error);
                let [above, below] = [above, below].map(|end| exprs.unary(op, end));
                let same = exprs.binary(BinaryOp::Eq, above, below);
                let (zero, one) = (exprs.f64(0.0), exprs.f64(1.0));
                let more = exprs.binary(BinaryOp::Add, error, one);
                exprs.select(same, zero, more)
            }
            Node::Binary { op: BinaryOp::Add | BinaryOp::Sub, lhs, rhs } => {
                let errors = [self.get(exprs, lhs), self.get(exprs, rhs)];
                let sum = exprs.binary(BinaryOp::Add, errors[0], errors[1]);
                let rounding = scaled(exprs, id, U);
                with_margin(exprs, sum, rounding)
            }
            Node::Binary { op: BinaryOp::Mul, lhs, rhs } => {
                let errors = [self.get(exprs, lhs), self.get(exprs, rhs)];
                let sizes = [lhs, rhs].map(|operand| exprs.unary(UnaryOp::Abs, operand));
                let first = exprs.binary(BinaryOp::Mul, sizes[0], errors[1]);
                let larger = exprs.binary(BinaryOp::Add, sizes[1], errors[1]);
                let second = exprs.binary(BinaryOp::Mul, larger, errors[0]);
                let sum = exprs.binary(BinaryOp::Add, first, second);
                let rounding = scaled(exprs, id, U);
                with_margin(exprs, sum, rounding)
            }
            Node::Binary { op: BinaryOp::Div, lhs, rhs }
            | Node::Checked { op: CheckedOp::Div, lhs, rhs, .. } => self.quotient(exprs, id, lhs, rhs),
            Node::Binary { op: BinaryOp::Min | BinaryOp::Max, lhs, rhs } => {
                let errors = [self.get(exprs, lhs), self.get(exprs, rhs)];
                exprs.binary(BinaryOp::Max, errors[0], errors[1])
            }
            Node::Select { cond, yes, no } => {
                let errors = [self.get(exprs, yes), self.get(exprs, no)];
                exprs.select(cond, errors[0], errors[1])
            }
            Node::Math { f, args } => self.function(exprs, id, f, args),
            Node::Unary { op: UnaryOp::Sqrt, arg } => {
                // |sqrt x - sqrt x'| = |x - x'| / (sqrt x + sqrt x')
                let error = self.get(exprs, arg);
                let (quotient, root) =
                    (exprs.binary(BinaryOp::Div, error, id), exprs.unary(UnaryOp::Sqrt, error));
                let zero = exprs.f64(0.0);
                let is_positive = exprs.binary(BinaryOp::Gt, arg, zero);
                let moved = exprs.select(is_positive, quotient, root);
                let rounding = scaled(exprs, id, U);
                with_margin(exprs, moved, rounding)
            }
            Node::Convert { arg, .. } => match exprs.ty(arg) {
                Type::Bool => exprs.f64(0.0),
                _ => {
                    let error = self.get(exprs, arg);
                    let rounding = scaled(exprs, id, U);
                    with_margin(exprs, error, rounding)
                }
            },
            _ => exprs.f64(f64::INFINITY),
        }
    }

    fn quotient(&self, exprs: &mut Exprs, id: ExprId, lhs: ExprId, rhs: ExprId) -> ExprId {
        // |a/b - a'/b'| <= (e_a + |a/b| e_b) / (|b| - e_b)
        let errors = [self.get(exprs, lhs), self.get(exprs, rhs)];
        let sizes = [id, rhs].map(|operand| exprs.unary(UnaryOp::Abs, operand));
        let product = exprs.binary(BinaryOp::Mul, sizes[0], errors[1]);
        let above = exprs.binary(BinaryOp::Add, errors[0], product);
        let left = exprs.binary(BinaryOp::Sub, sizes[1], errors[1]);
        let quotient = exprs.binary(BinaryOp::Div, above, left);
        let zero = exprs.f64(0.0);
        let is_bounded = exprs.binary(BinaryOp::Gt, left, zero);
        let unbounded = exprs.f64(f64::INFINITY);
        let quotient = exprs.select(is_bounded, quotient, unbounded);
        let rounding = scaled(exprs, id, 2.0 * U);
        with_margin(exprs, quotient, rounding)
    }

    fn function(&self, exprs: &mut Exprs, id: ExprId, f: MathFn, args: [ExprId; 2]) -> ExprId {
        match f {
            MathFn::Exp => {
                // e^(x + d) - e^x <= e^x 2 d for d <= 1/2
                let error = self.get(exprs, args[0]);
                let half = exprs.f64(0.5);
                let is_small = exprs.binary(BinaryOp::Lt, error, half);
                let two = exprs.f64(2.0);
                let twice = exprs.binary(BinaryOp::Mul, error, two);
                let size = exprs.unary(UnaryOp::Abs, id);
                let moved = exprs.binary(BinaryOp::Mul, size, twice);
                let unbounded = exprs.f64(f64::INFINITY);
                let moved = exprs.select(is_small, moved, unbounded);
                let rounding = scaled(exprs, id, LIBRARY_ERROR);
                with_margin(exprs, moved, rounding)
            }
            MathFn::Log => {
                // |log x - log x'| <= d / (x - d)
                let error = self.get(exprs, args[0]);
                let left = exprs.binary(BinaryOp::Sub, args[0], error);
                let quotient = exprs.binary(BinaryOp::Div, error, left);
                let zero = exprs.f64(0.0);
                let is_bounded = exprs.binary(BinaryOp::Gt, left, zero);
                let unbounded = exprs.f64(f64::INFINITY);
                let quotient = exprs.select(is_bounded, quotient, unbounded);
                let rounding = scaled(exprs, id, LIBRARY_ERROR);
                with_margin(exprs, quotient, rounding)
            }
            MathFn::Pow => {
                let errors = [self.get(exprs, args[0]), self.get(exprs, args[1])];
                let moved = moved_power(exprs, id, args, errors);
                let rounding = scaled(exprs, id, LIBRARY_ERROR);
                with_margin(exprs, moved, rounding)
            }
        }
    }

    fn integer(&self, program: &mut Program, id: ExprId) -> ExprId {
        if !depends_on_numbers(program, id) {
            return program.exprs.f64(0.0);
        }
        if let Some(from) = source(program, id) {
            let exprs = &mut program.exprs;
            // Front ends convert only whole numbers: `floor` and the like come first.
            let error = self.get(exprs, from);
            let whole = exprs.unary(UnaryOp::Trunc, from);
            let is_whole = exprs.binary(BinaryOp::Eq, whole, from);
            let unbounded = exprs.f64(f64::INFINITY);
            return exprs.select(is_whole, error, unbounded);
        }
        // Computed from such integers: exact if all of them are.
        let mut operands = Vec::new();
        Exprs::each_operand(&program.exprs.node(id), |operand| operands.push(operand));
        let exprs = &mut program.exprs;
        let mut error = exprs.f64(0.0);
        for operand in operands {
            if exprs.ty(operand) != Type::Bool {
                let of_operand = self.get(exprs, operand);
                error = exprs.binary(BinaryOp::Add, error, of_operand);
            }
        }
        let zero = exprs.f64(0.0);
        let exact = exprs.binary(BinaryOp::Eq, error, zero);
        let unbounded = exprs.f64(f64::INFINITY);
        exprs.select(exact, zero, unbounded)
    }
}

/// The distance of a power from that of a base and an exponent with errors, without the library's own error.
///
/// The logarithms of both, `y ln x` and `y' ln x'`, differ by `y' (ln x' - ln x) + (y' - y) ln x`. A negative
/// base has whole exponents only, and those have no errors.
fn moved_power(
    exprs: &mut Exprs,
    power: ExprId,
    [base, exponent]: [ExprId; 2],
    [of_base, of_exponent]: [ExprId; 2],
) -> ExprId {
    let [zero, half, two, unbounded] = [0.0, 0.5, 2.0, f64::INFINITY].map(|value| exprs.f64(value));
    let size = exprs.unary(UnaryOp::Abs, base);
    let left = exprs.binary(BinaryOp::Sub, size, of_base);
    let of_logarithm = exprs.binary(BinaryOp::Div, of_base, left);
    let logarithm = exprs.math1(MathFn::Log, size);
    let logarithm = exprs.unary(UnaryOp::Abs, logarithm);
    let most = exprs.unary(UnaryOp::Abs, exponent);
    let most = exprs.binary(BinaryOp::Add, most, of_exponent);
    let first = exprs.binary(BinaryOp::Mul, most, of_logarithm);
    let second = exprs.binary(BinaryOp::Mul, of_exponent, logarithm);
    let certain = exprs.binary(BinaryOp::Eq, of_exponent, zero);
    let second = exprs.select(certain, zero, second);
    let change = exprs.binary(BinaryOp::Add, first, second);
    // e^d - 1 <= 2 d for d <= 1/2. Logarithms are rounded, too.
    let is_small = exprs.binary(BinaryOp::Lt, change, half);
    let is_positive = exprs.binary(BinaryOp::Gt, left, zero);
    let is_base = exprs.binary(BinaryOp::Gt, base, zero);
    let is_power = exprs.or(is_base, certain);
    let bounded = exprs.and(is_small, is_positive);
    let bounded = exprs.and(bounded, is_power);
    let twice = exprs.binary(BinaryOp::Mul, change, two);
    let size = exprs.unary(UnaryOp::Abs, power);
    let moved = exprs.binary(BinaryOp::Mul, size, twice);
    let moved = exprs.select(bounded, moved, unbounded);
    let is_exact = exprs.binary(BinaryOp::Eq, of_base, zero);
    let is_exact = exprs.and(is_exact, certain);
    exprs.select(is_exact, zero, moved)
}

/// `|value| factor`
pub fn scaled(exprs: &mut Exprs, value: ExprId, factor: f64) -> ExprId {
    let size = exprs.unary(UnaryOp::Abs, value);
    let factor = exprs.f64(factor * MARGIN);
    exprs.binary(BinaryOp::Mul, size, factor)
}

/// A sum of bounds that covers its own rounding.
fn with_margin(exprs: &mut Exprs, a: ExprId, b: ExprId) -> ExprId {
    let sum = exprs.binary(BinaryOp::Add, a, b);
    let margin = exprs.f64(MARGIN);
    exprs.binary(BinaryOp::Mul, sum, margin)
}
