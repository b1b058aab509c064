//! The operations of conditions, on values and on intervals, with Python's meaning: `/` gives a fraction, `//` and `%` round
//! towards minus infinity, truth values are 0 and 1.
//!
//! Whole numbers that leave 64 bits become floating-point numbers. An operation without a value (a division
//! by zero, a sum of texts) gives [`Scalar::Undefined`]; `and`, `or` and `if` ignore it where they do not
//! need it.

use super::value::Scalar;

/// An operation of two operands, or of one that is given twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`
    Fraction,
    /// `//`
    Quotient,
    /// `%`
    Remainder,
    /// `**`
    Power,
    /// The smaller one.
    Min,
    /// The greater one.
    Max,
    /// `==`
    Eq,
    /// `!=`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `and`
    And,
    /// `or`
    Or,
    /// `&`
    BitAnd,
    /// `|`
    BitOr,
    /// `^`
    BitXor,
    /// `<<`
    ShiftLeft,
    /// `>>`
    ShiftRight,
    /// `not`
    Not,
    /// `-x`
    Neg,
    /// `abs(x)`
    Abs,
    /// `int(x)`
    Truncate,
    /// `ceil(x)`
    Ceil,
    /// `floor(x)`
    Floor,
}

impl Op {
    /// Applies it.
    pub fn apply(self, a: Scalar, b: Scalar) -> Scalar {
        match self {
            Op::And => return if matches!(a, Scalar::Undefined) || !a.is_true() { a } else { b },
            Op::Or => return if matches!(a, Scalar::Undefined) || a.is_true() { a } else { b },
            Op::Not => {
                return if matches!(a, Scalar::Undefined) { a } else { Scalar::bool(!a.is_true()) };
            }
            _ => {}
        }
        match (a, b) {
            (Scalar::Int(a), Scalar::Int(b)) => self.whole(a, b),
            (Scalar::Text(a), Scalar::Text(b)) => match self {
                Op::Eq => Scalar::bool(a == b),
                Op::Ne => Scalar::bool(a != b),
                _ => Scalar::Undefined,
            },
            (Scalar::Undefined, _) | (_, Scalar::Undefined) => Scalar::Undefined,
            _ => match (a.number(), b.number()) {
                (Some(a), Some(b)) => self.fractional(a, b),
                // A text and a number.
                _ => match self {
                    Op::Eq => Scalar::bool(false),
                    Op::Ne => Scalar::bool(true),
                    _ => Scalar::Undefined,
                },
            },
        }
    }

    fn whole(self, a: i64, b: i64) -> Scalar {
        let wide = |value: Option<i64>| match value {
            Some(value) => Scalar::Int(value),
            None => self.fractional(a as f64, b as f64),
        };
        match self {
            Op::Add => wide(a.checked_add(b)),
            Op::Sub => wide(a.checked_sub(b)),
            Op::Mul => wide(a.checked_mul(b)),
            Op::Fraction if b == 0 => Scalar::Undefined,
            Op::Fraction => Scalar::Float(a as f64 / b as f64),
            Op::Quotient | Op::Remainder if b == 0 => Scalar::Undefined,
            Op::Quotient => wide(floor_division(a, b)),
            // The only overflow is `MIN % -1`, which is 0.
            Op::Remainder => Scalar::Int(floor_remainder(a, b)),
            Op::Power if b >= 0 => wide(u32::try_from(b).ok().and_then(|b| a.checked_pow(b))),
            Op::Power => self.fractional(a as f64, b as f64),
            Op::Min => Scalar::Int(a.min(b)),
            Op::Max => Scalar::Int(a.max(b)),
            Op::Eq => Scalar::bool(a == b),
            Op::Ne => Scalar::bool(a != b),
            Op::Lt => Scalar::bool(a < b),
            Op::Le => Scalar::bool(a <= b),
            Op::BitAnd => Scalar::Int(a & b),
            Op::BitOr => Scalar::Int(a | b),
            Op::BitXor => Scalar::Int(a ^ b),
            Op::ShiftLeft => match u32::try_from(b) {
                Ok(b) => wide(2_i64.checked_pow(b).and_then(|power| a.checked_mul(power))),
                Err(_) => Scalar::Undefined,
            },
            Op::ShiftRight => match u32::try_from(b) {
                Ok(b) => Scalar::Int(a.checked_shr(b).unwrap_or(if a < 0 { -1 } else { 0 })),
                Err(_) => Scalar::Undefined,
            },
            Op::Neg => wide(a.checked_neg()),
            Op::Abs => wide(a.checked_abs()),
            Op::Truncate | Op::Ceil | Op::Floor => Scalar::Int(a),
            Op::And | Op::Or | Op::Not => unreachable!("decided by truth values"),
        }
    }

    fn fractional(self, a: f64, b: f64) -> Scalar {
        let found = match self {
            Op::Add => Scalar::Float(a + b),
            Op::Sub => Scalar::Float(a - b),
            Op::Mul => Scalar::Float(a * b),
            Op::Fraction | Op::Quotient | Op::Remainder if b == 0.0 => Scalar::Undefined,
            Op::Fraction => Scalar::Float(a / b),
            Op::Quotient => Scalar::Float((a / b).floor()),
            Op::Remainder => {
                let rest = a % b;
                Scalar::Float(if rest != 0.0 && (rest < 0.0) != (b < 0.0) { rest + b } else { rest })
            }
            Op::Power => Scalar::Float(a.powf(b)),
            Op::Min => Scalar::Float(a.min(b)),
            Op::Max => Scalar::Float(a.max(b)),
            Op::Eq => Scalar::bool(a == b),
            Op::Ne => Scalar::bool(a != b),
            Op::Lt => Scalar::bool(a < b),
            Op::Le => Scalar::bool(a <= b),
            Op::Neg => Scalar::Float(-a),
            Op::Abs => Scalar::Float(a.abs()),
            Op::Truncate => whole_part(a.trunc()),
            Op::Ceil => whole_part(a.ceil()),
            Op::Floor => whole_part(a.floor()),
            Op::BitAnd | Op::BitOr | Op::BitXor | Op::ShiftLeft | Op::ShiftRight => Scalar::Undefined,
            Op::And | Op::Or | Op::Not => unreachable!("decided by truth values"),
        };
        match found {
            Scalar::Float(value) if value.is_nan() => Scalar::Undefined,
            found => found,
        }
    }
}

fn whole_part(value: f64) -> Scalar {
    // Beyond this, floating-point numbers are whole anyway.
    if value.abs() < 9.0e18 { Scalar::Int(value as i64) } else { Scalar::Float(value) }
}

fn floor_division(a: i64, b: i64) -> Option<i64> {
    let quotient = a.checked_div(b)?;
    let is_rounded_up = a.wrapping_rem(b) != 0 && (a < 0) != (b < 0);
    Some(if is_rounded_up { quotient - 1 } else { quotient })
}

fn floor_remainder(a: i64, b: i64) -> i64 {
    let rest = a.wrapping_rem(b);
    if rest != 0 && (rest < 0) != (b < 0) { rest + b } else { rest }
}

/// An interval that contains all values and no undefined one; or anything, if `is_partial`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The least value.
    pub lo: f64,
    /// The greatest value.
    pub hi: f64,
    /// Whether the value may also be undefined, or a text.
    pub is_partial: bool,
}

impl Interval {
    /// Any value or none.
    pub const ANYTHING: Interval = Interval { lo: f64::NEG_INFINITY, hi: f64::INFINITY, is_partial: true };
    const TRUTH: Interval = Interval { lo: 0.0, hi: 1.0, is_partial: false };

    fn new(lo: f64, hi: f64) -> Self {
        if lo.is_nan() || hi.is_nan() { Interval::ANYTHING } else { Interval { lo, hi, is_partial: false } }
    }

    fn truth(value: bool) -> Self {
        let value = f64::from(u8::from(value));
        Interval::new(value, value)
    }

    /// The interval of one value. Whole numbers beyond 53 bits are widened so that they are enclosed.
    pub fn of(value: Scalar) -> Self {
        match value.number() {
            Some(number) => Interval::new(number.next_down(), number.next_up()).exact_if(number),
            None => Interval::ANYTHING,
        }
    }

    fn exact_if(self, number: f64) -> Self {
        if number.abs() < 9.0e15 { Interval::new(number, number) } else { self }
    }

    /// The smallest interval around two.
    pub fn hull(self, other: Interval) -> Self {
        let is_partial = self.is_partial || other.is_partial;
        Interval { lo: self.lo.min(other.lo), hi: self.hi.max(other.hi), is_partial }
    }

    /// Whether no value in it counts as true.
    pub fn is_false(self) -> bool {
        !self.is_partial && self.lo == 0.0 && self.hi == 0.0
    }

    fn is_true(self) -> bool {
        !self.is_partial && (self.lo > 0.0 || self.hi < 0.0)
    }

    /// The ends after an operation that rounds. Whole numbers stay exact as far as doubles hold them.
    fn rounded(lo: f64, hi: f64) -> Self {
        let is_exact = |x: f64| x.fract() == 0.0 && x.abs() < 9.0e15;
        let lo = if is_exact(lo) { lo } else { lo.next_down() };
        let hi = if is_exact(hi) { hi } else { hi.next_up() };
        Interval::new(lo, hi)
    }

    /// An interval that contains every result of the operation on values of two intervals.
    pub fn apply(op: Op, a: Interval, b: Interval) -> Interval {
        match op {
            Op::And if a.is_false() => return a,
            Op::And if a.is_true() => return b,
            // With a false right side, the whole is false or undefined, and so not met.
            Op::And if b.is_false() => return b,
            Op::Or if a.is_false() => return b,
            Op::Or if a.is_true() => return a,
            Op::And | Op::Or => return a.hull(b),
            Op::Not if a.is_false() => return Interval::truth(true),
            Op::Not if a.is_true() => return Interval::truth(false),
            _ => {}
        }
        if a.is_partial || b.is_partial {
            return Interval::ANYTHING;
        }
        let corners = |f: fn(f64, f64) -> f64| {
            let all = [f(a.lo, b.lo), f(a.lo, b.hi), f(a.hi, b.lo), f(a.hi, b.hi)];
            if all.iter().any(|value| value.is_nan()) {
                return Interval::ANYTHING;
            }
            let lo = all.iter().copied().fold(f64::INFINITY, f64::min);
            let hi = all.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            Interval::rounded(lo, hi)
        };
        match op {
            Op::Add => Interval::rounded(a.lo + b.lo, a.hi + b.hi),
            Op::Sub => Interval::rounded(a.lo - b.hi, a.hi - b.lo),
            Op::Mul => corners(|a, b| a * b),
            Op::Fraction if b.lo > 0.0 || b.hi < 0.0 => corners(|a, b| a / b),
            Op::Quotient if b.lo > 0.0 || b.hi < 0.0 => {
                // Rounding the ends of a quotient may cross a whole number.
                let quotient = corners(|a, b| a / b);
                Interval::new(quotient.lo.floor(), quotient.hi.floor())
            }
            Op::Remainder if b.lo > 0.0 => {
                if a.lo >= 0.0 && a.hi < b.lo {
                    a
                } else {
                    Interval::new(0.0, b.hi)
                }
            }
            Op::Min => Interval::new(a.lo.min(b.lo), a.hi.min(b.hi)),
            Op::Max => Interval::new(a.lo.max(b.lo), a.hi.max(b.hi)),
            Op::Eq if a.hi < b.lo || b.hi < a.lo => Interval::truth(false),
            Op::Ne if a.hi < b.lo || b.hi < a.lo => Interval::truth(true),
            Op::Lt if a.hi < b.lo => Interval::truth(true),
            Op::Lt if a.lo >= b.hi => Interval::truth(false),
            Op::Le if a.hi <= b.lo => Interval::truth(true),
            Op::Le if a.lo > b.hi => Interval::truth(false),
            Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Not => Interval::TRUTH,
            Op::Neg => Interval::new(-a.hi, -a.lo),
            Op::Abs if a.lo >= 0.0 => a,
            Op::Abs => Interval::new(0.0, a.hi.max(-a.lo)),
            Op::Truncate | Op::Ceil | Op::Floor => Interval::new(a.lo.floor(), a.hi.ceil()),
            _ => Interval::ANYTHING,
        }
    }
}
