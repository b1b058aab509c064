//! A-priori bounds of rounding errors: how far an expression in doubles may be from its exact value, in any
//! state.
//!
//! This is the usual analysis (N. Higham, *Accuracy and Stability of Numerical Algorithms*, chapters 2 and
//! 3). Every operation on doubles adds one unit roundoff, unless its result is certainly a double, because
//! the operands are small enough multiples of a power of two. Constants add their distance from the number in
//! the text ([`Constants`](crate::exact::Constants)). Conditions are taken as the doubles decide them.

use crate::constant_error::{LIBRARY_ERROR, U};
use crate::domain::Domain;
use crate::interval::{self, Env};
use crate::program::Program;
use crate::row_sum::SUM_TOLERANCE;
use rustc_hash::{FxHashMap, FxHashSet};
use volvelle_kernel::{BinaryOp, CheckedOp, Const, ExprId, Exprs, MathFn, Node, Type, UnaryOp};

/// Factor that covers the rounding of the bounds themselves.
const MARGIN: f64 = 1.0 + 1e-9;

/// All integers up to this magnitude are doubles.
const WHOLE: f64 = (1u64 << 53) as f64;

/// Limit of numbers that are added to a quotient before it is converted to an integer.
const MOST_ADDED: usize = 4;

/// Bounds of a number and of its error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// Smallest value.
    pub lo: f64,
    /// Largest value.
    pub hi: f64,
    /// A power of two that divides all values, if there is no error; else 0.
    pub unit: f64,
    /// Largest absolute error; 0 if the doubles are exact.
    pub absolute: f64,
    /// Largest error, relative to the number.
    pub relative: f64,
}

impl Estimate {
    const UNKNOWN: Estimate = Estimate {
        lo: f64::NEG_INFINITY,
        hi: f64::INFINITY,
        unit: 0.0,
        absolute: f64::INFINITY,
        relative: f64::INFINITY,
    };

    /// A number without error.
    fn exactly(lo: f64, hi: f64, unit: f64) -> Self {
        Estimate { lo, hi, unit, absolute: 0.0, relative: 0.0 }
    }

    /// Whether the doubles are exact.
    pub fn is_exact(&self) -> bool {
        self.absolute == 0.0
    }

    /// The largest magnitude.
    pub fn magnitude(&self) -> f64 {
        self.lo.abs().max(self.hi.abs())
    }

    /// The result of an operation, between `lo` and `hi`. It is exact if it is a multiple of `unit` that fits
    /// a double.
    fn result(lo: f64, hi: f64, unit: f64, errors: [f64; 2]) -> Self {
        if lo.is_nan() || hi.is_nan() {
            return Estimate::UNKNOWN;
        }
        let magnitude = lo.abs().max(hi.abs());
        if unit > 0.0 && magnitude <= WHOLE * unit && errors == [0.0; 2] {
            return Estimate::exactly(lo, hi, unit);
        }
        let (lo, hi) = (lo.next_down(), hi.next_up());
        let mut relative = (errors[1] + U * (1.0 + errors[1])) * MARGIN;
        let mut absolute = (errors[0] + U * magnitude) * MARGIN;
        // The magnitude of the double or of the exact number, whichever is larger.
        let least = if lo > 0.0 { lo } else { -hi } - absolute;
        if least > 0.0 {
            relative = relative.min(absolute / least * MARGIN);
        }
        if relative < 0.25 {
            absolute = absolute.min(relative * magnitude * 2.0);
        }
        Estimate { lo, hi, unit: 0.0, absolute: positive(absolute), relative: positive(relative) }
    }

    /// The estimate of a sum of probabilities that was checked to be near one.
    fn of_sum(self) -> Self {
        let (lo, hi) = (self.lo.max(1.0 - SUM_TOLERANCE), self.hi.min(1.0 + SUM_TOLERANCE));
        let left = lo - self.absolute;
        let relative = if left > 0.5 { self.absolute / left * MARGIN } else { f64::INFINITY };
        Estimate { lo, hi, relative: self.relative.min(relative), ..self }
    }

    /// The estimate that covers both.
    fn either(self, other: Estimate) -> Self {
        Estimate {
            lo: self.lo.min(other.lo),
            hi: self.hi.max(other.hi),
            unit: self.unit.min(other.unit),
            absolute: self.absolute.max(other.absolute),
            relative: self.relative.max(other.relative),
        }
    }

    /// The estimate of a sum in which any items may be missing.
    pub fn sum(items: impl Iterator<Item = Estimate>) -> Self {
        let zero = Estimate::exactly(0.0, 0.0, f64::MAX);
        items.fold(zero, |sum, item| add(sum, item.either(Estimate::exactly(0.0, 0.0, f64::MAX))))
    }
}

/// NaN means that there is no bound.
fn positive(error: f64) -> f64 {
    if error.is_nan() { f64::INFINITY } else { error }
}

/// Estimates of the needed numeric expressions of a program.
#[derive(Default)]
pub struct Estimates {
    of: FxHashMap<ExprId, Estimate>,
}

/// The context of estimates, besides operands.
#[derive(Clone, Debug)]
pub struct Surroundings {
    env: Env,
    /// Sums of the probabilities of commands.
    sums: FxHashSet<ExprId>,
}

impl Surroundings {
    /// The context of a program.
    pub fn new(program: &Program) -> Self {
        let participants = program.groups.iter().flat_map(|group| &group.participants);
        let sums = participants.flat_map(|p| &p.alternatives).filter_map(|alternative| alternative.sum);
        let sums = sums.filter(|sum| !sum.is_free).map(|sum| sum.expr).collect();
        Surroundings { sums, ..Self::of_fields(program) }
    }

    /// The context of a program whose steps are not known yet.
    pub fn of_fields(program: &Program) -> Self {
        let mut env = Env::new(program);
        for (i, field) in program.fields.iter().enumerate() {
            if let Domain::Growing { .. } = field.domain {
                env.unbound(i);
            }
        }
        Surroundings { env, sums: FxHashSet::default() }
    }
}

impl Estimates {
    /// Estimates everything that `roots` need.
    pub fn new(program: &Program, roots: impl IntoIterator<Item = ExprId>) -> Self {
        Self::within(&Surroundings::new(program), program, roots)
    }

    /// Like [`Estimates::new`], in a known context. The work is proportional to the expressions that `roots`
    /// need.
    pub fn within(
        surroundings: &Surroundings,
        program: &Program,
        roots: impl IntoIterator<Item = ExprId>,
    ) -> Self {
        let mut all = Estimates::default();
        for id in program.exprs.needed(roots) {
            if program.exprs.ty(id) == Type::F64 {
                let estimate = all.number(program, &surroundings.env, id);
                let is_sum = surroundings.sums.contains(&id);
                all.of.insert(id, if is_sum { estimate.of_sum() } else { estimate });
            }
        }
        all
    }

    /// The estimate of an expression; unknown if it was not needed.
    pub fn get(&self, id: ExprId) -> Estimate {
        self.of.get(&id).copied().unwrap_or(Estimate::UNKNOWN)
    }

    fn number(&self, program: &Program, env: &Env, id: ExprId) -> Estimate {
        let exprs = &program.exprs;
        match exprs.node(id) {
            Node::Const(c) => constant(program, id, c),
            Node::Unary { op: op @ (UnaryOp::Floor | UnaryOp::Ceil | UnaryOp::Trunc), arg }
                if self.stays_between_integers(exprs, arg) =>
            {
                let Estimate { lo, hi, .. } = unary(op, self.get(arg));
                Estimate::exactly(lo, hi, 1.0)
            }
            Node::Unary { op, arg } => unary(op, self.get(arg)),
            Node::Binary { op, lhs, rhs } => {
                let (a, b) = (self.get(lhs), self.get(rhs));
                match op {
                    BinaryOp::Add => add(a, b),
                    BinaryOp::Sub => add(a, unary(UnaryOp::Neg, b)),
                    BinaryOp::Mul => mul(a, b),
                    BinaryOp::Div => div(a, b),
                    BinaryOp::Min => Estimate { hi: a.hi.min(b.hi), ..extremum(a, b) },
                    BinaryOp::Max => Estimate { lo: a.lo.max(b.lo), ..extremum(a, b) },
                    _ => Estimate::UNKNOWN,
                }
            }
            Node::Checked { op: CheckedOp::Div, lhs, rhs, .. } => div(self.get(lhs), self.get(rhs)),
            Node::Select { yes, no, .. } => self.get(yes).either(self.get(no)),
            Node::Math { f, args } => math(f, self.get(args[0]), self.get(args[1])),
            Node::Convert { arg, .. } => self.whole(program, env, arg),
            _ => Estimate::UNKNOWN,
        }
    }

    /// Whether rounding never moves a number across an integer, or off one. Example: a quotient of integers,
    /// perhaps with multiples of one half added. Its distance from an integer is either zero, which doubles
    /// represent exactly, or at least one in twice the divisor.
    fn stays_between_integers(&self, exprs: &Exprs, mut id: ExprId) -> bool {
        let mut added = 0.0;
        for _ in 0..MOST_ADDED {
            match exprs.node(id) {
                Node::Binary { op: BinaryOp::Add | BinaryOp::Sub, lhs, rhs } => {
                    let halves = |id: ExprId| Some(self.get(id)).filter(|e| e.is_exact() && e.unit >= 0.5);
                    let (rest, other) = match (halves(lhs), halves(rhs)) {
                        (_, Some(other)) => (lhs, other),
                        (Some(other), _) => (rhs, other),
                        _ => return false,
                    };
                    added += other.magnitude();
                    id = rest;
                }
                Node::Binary { op: BinaryOp::Div, lhs, rhs }
                | Node::Checked { op: CheckedOp::Div, lhs, rhs, .. } => {
                    let (a, b) = (self.get(lhs), self.get(rhs));
                    let whole = a.is_exact() && b.is_exact() && a.unit >= 1.0 && b.unit >= 1.0;
                    // Each operation adds U (|a / b| + |added|); the sum must be less than 1 / (2 |b|).
                    let sum = 2.0 * (a.magnitude() + added * b.magnitude());
                    return whole
                        && (b.lo > 0.0 || b.hi < 0.0)
                        && sum * (MOST_ADDED + 1) as f64 <= WHOLE / 2.0;
                }
                _ => return false,
            }
        }
        false
    }

    /// The estimate of an integer or truth value.
    fn whole(&self, program: &Program, env: &Env, id: ExprId) -> Estimate {
        let exprs = &program.exprs;
        if exprs.ty(id) == Type::Bool {
            return Estimate::exactly(0.0, 1.0, 1.0);
        }
        if let Some(from) = source(program, id) {
            // A number converted to an integer: off by one if its error crosses an integer.
            let arg = unary(UnaryOp::Trunc, self.get(from));
            return arg;
        }
        if depends_on_numbers(program, id) {
            return Estimate::UNKNOWN;
        }
        match interval::of(exprs, id, env) {
            Some(range) => Estimate::result(range.lo as f64, range.hi as f64, 1.0, [0.0; 2]),
            None => Estimate::result(i32::MIN as f64 * 2.0, i32::MAX as f64 * 2.0, 1.0, [0.0; 2]),
        }
    }
}

/// The number from which an integer is converted.
pub fn source(program: &Program, mut id: ExprId) -> Option<ExprId> {
    let exprs = &program.exprs;
    while let Node::Convert { arg, .. } | Node::CheckedConvert { arg, .. } = exprs.node(id) {
        if exprs.ty(arg) == Type::F64 {
            return Some(arg);
        }
        id = arg;
    }
    None
}

/// Whether an integer is computed from floating-point numbers.
pub fn depends_on_numbers(program: &Program, root: ExprId) -> bool {
    let exprs = &program.exprs;
    let mut stack = vec![root];
    let mut budget = 1000;
    while let Some(id) = stack.pop() {
        budget -= 1;
        if budget == 0 || exprs.ty(id) == Type::F64 {
            return true;
        }
        if exprs.ty(id) != Type::Bool {
            volvelle_kernel::Exprs::each_operand(&exprs.node(id), |operand| stack.push(operand));
        }
    }
    false
}

fn constant(program: &Program, id: ExprId, c: Const) -> Estimate {
    let Some(double) = c.as_f64().filter(|v| v.is_finite()) else { return Estimate::UNKNOWN };
    let error = program.exact.error(id, double);
    if error.absolute == 0.0 {
        return Estimate::exactly(double, double, power_of_two_in(double));
    }
    let absolute = error.absolute * MARGIN;
    let (lo, hi) = ((double - absolute).next_down(), (double + absolute).next_up());
    Estimate { lo, hi, unit: 0.0, absolute, relative: error.relative }
}

/// The largest power of two that divides a double.
fn power_of_two_in(value: f64) -> f64 {
    if value == 0.0 {
        return f64::MAX;
    }
    let bits = value.abs().to_bits();
    let (exponent, fraction) = ((bits >> 52) as i32, bits & ((1 << 52) - 1));
    if exponent == 0 {
        return 0.0;
    }
    let low = if fraction == 0 { 52 } else { fraction.trailing_zeros() as i32 };
    2f64.powi(exponent - 1023 - 52 + low)
}

fn unary(op: UnaryOp, a: Estimate) -> Estimate {
    match op {
        UnaryOp::Neg => Estimate { lo: -a.hi, hi: -a.lo, ..a },
        UnaryOp::Abs => {
            let least = if a.lo > 0.0 {
                a.lo
            } else if a.hi < 0.0 {
                -a.hi
            } else {
                0.0
            };
            Estimate { lo: least, hi: a.magnitude(), ..a }
        }
        UnaryOp::Floor | UnaryOp::Ceil | UnaryOp::Trunc => {
            let (lo, hi) = (a.lo.floor(), a.hi.ceil());
            if a.is_exact() {
                return Estimate::exactly(lo, hi, 1.0);
            }
            Estimate { lo, hi, unit: 0.0, absolute: (a.absolute + 1.0) * MARGIN, relative: f64::INFINITY }
        }
        UnaryOp::Sqrt if a.lo >= 0.0 => {
            Estimate::result(a.lo.sqrt(), a.hi.sqrt(), 0.0, [f64::INFINITY, a.relative])
        }
        UnaryOp::Sqrt | UnaryOp::Not => Estimate::UNKNOWN,
    }
}

fn add(a: Estimate, b: Estimate) -> Estimate {
    let same_sign = a.lo >= 0.0 && b.lo >= 0.0 || a.hi <= 0.0 && b.hi <= 0.0;
    let exact = a.is_exact() && b.is_exact();
    let relative = match (same_sign, exact) {
        (true, _) => a.relative.max(b.relative),
        (false, true) => 0.0,
        (false, false) => f64::INFINITY,
    };
    let unit = a.unit.min(b.unit);
    Estimate::result(a.lo + b.lo, a.hi + b.hi, unit, [a.absolute + b.absolute, relative])
}

/// The smaller or larger of two numbers, except for its bounds. If the error exceeds the number itself, its
/// sign may change, and with it the choice between the two.
fn extremum(a: Estimate, b: Estimate) -> Estimate {
    let both = a.either(b);
    Estimate { relative: if both.relative < 1.0 { both.relative } else { f64::INFINITY }, ..both }
}

fn corners(a: Estimate, b: Estimate, f: impl Fn(f64, f64) -> f64) -> [f64; 2] {
    let all = [f(a.lo, b.lo), f(a.lo, b.hi), f(a.hi, b.lo), f(a.hi, b.hi)];
    if all.iter().any(|v| v.is_nan()) {
        return [f64::NEG_INFINITY, f64::INFINITY];
    }
    [all.iter().copied().fold(f64::INFINITY, f64::min), all.iter().copied().fold(f64::NEG_INFINITY, f64::max)]
}

fn mul(a: Estimate, b: Estimate) -> Estimate {
    if a.is_exact() && b.is_exact() && (a.magnitude() == 0.0 || b.magnitude() == 0.0) {
        return Estimate::exactly(0.0, 0.0, f64::MAX);
    }
    let [lo, hi] = corners(a, b, |x, y| x * y);
    let relative = (a.relative + b.relative + a.relative * b.relative) * MARGIN;
    let absolute =
        a.magnitude() * b.absolute + b.magnitude() * a.absolute + positive(a.absolute * b.absolute);
    Estimate::result(lo, hi, finite(a.unit * b.unit), [positive(absolute), positive(relative)])
}

/// The unit if it is a normal power of two, else 0.
fn finite(unit: f64) -> f64 {
    if unit.is_normal() { unit } else { 0.0 }
}

fn div(a: Estimate, b: Estimate) -> Estimate {
    if b.lo <= 0.0 && b.hi >= 0.0 {
        let relative = if b.relative < 0.25 { a.relative + b.relative * 1.5 + U } else { f64::INFINITY };
        return Estimate { relative: positive(relative * (1.0 + 2.0 * a.relative)), ..Estimate::UNKNOWN };
    }
    let [lo, hi] = corners(a, b, |x, y| x / y);
    let divisor = b.lo.abs();
    let is_power = b.is_exact() && b.lo == b.hi && divisor.is_normal() && divisor == power_of_two_in(divisor);
    let unit = if is_power { finite(a.unit / divisor) } else { 0.0 };
    let relative = if b.relative < 0.25 {
        (a.relative + b.relative) / (1.0 - b.relative) * MARGIN
    } else {
        f64::INFINITY
    };
    if unit > 0.0 && a.is_exact() {
        return Estimate::result(lo, hi, unit, [0.0; 2]);
    }
    Estimate::result(lo, hi, 0.0, [f64::INFINITY, positive(relative)])
}

fn math(f: MathFn, x: Estimate, y: Estimate) -> Estimate {
    let library = |lo: f64, hi: f64, relative: f64| {
        let [lo, hi] = [lo - lo.abs() * LIBRARY_ERROR, hi + hi.abs() * LIBRARY_ERROR];
        Estimate::result(lo, hi, 0.0, [f64::INFINITY, positive(relative + LIBRARY_ERROR)])
    };
    match f {
        MathFn::Exp if x.absolute < 0.25 => library(x.lo.exp(), x.hi.exp(), x.absolute * 1.5),
        MathFn::Log if x.lo > 0.0 && x.relative < 0.25 => {
            let (lo, hi) = (x.lo.ln(), x.hi.ln());
            let size = lo.abs().max(hi.abs());
            let error = x.relative * 1.5 + LIBRARY_ERROR * size;
            Estimate::result(
                lo - LIBRARY_ERROR * size,
                hi + LIBRARY_ERROR * size,
                0.0,
                [error, f64::INFINITY],
            )
        }
        MathFn::Pow if y.is_exact() && y.lo == y.hi && y.lo.fract() == 0.0 && y.lo.abs() < 1e6 => {
            let n = y.lo;
            let mut ends = [x.lo.powf(n), x.hi.powf(n)];
            if x.lo < 0.0 && x.hi > 0.0 || n < 0.0 && x.lo <= 0.0 && x.hi >= 0.0 {
                let size = x.magnitude().powf(n.abs());
                ends = if n > 0.0 { [-size, size] } else { [f64::NEG_INFINITY, f64::INFINITY] };
            }
            ends.sort_unstable_by(f64::total_cmp);
            let [lo, hi] = ends;
            let unit = x.unit.powf(n);
            if n >= 0.0 && x.is_exact() && unit.is_normal() && lo.abs().max(hi.abs()) <= WHOLE * unit {
                return Estimate::exactly(lo, hi, unit);
            }
            let relative = n.abs() * x.relative;
            if relative < 0.25 { library(lo, hi, relative * 1.5) } else { Estimate::UNKNOWN }
        }
        MathFn::Pow if x.lo > 0.0 && x.hi.is_finite() && x.relative < 0.25 && y.magnitude() < 1e6 => {
            let [lo, hi] = corners(x, y, f64::powf);
            let logarithm = x.lo.ln().abs().max(x.hi.ln().abs()) * MARGIN;
            let error = y.magnitude() * x.relative * 1.5 + logarithm * y.absolute;
            if error < 0.25 { library(lo, hi, error * 1.5) } else { Estimate::UNKNOWN }
        }
        _ => Estimate::UNKNOWN,
    }
}
