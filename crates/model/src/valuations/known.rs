//! Abstract values: the possible values of an expression while its fields lie in intervals.

use crate::interval::{Interval, arithmetic};
use volvelle_kernel::{BinaryOp, CheckedOp, Const, Type, UnaryOp};

/// Every `i64`.
pub const ALL: Interval = Interval { lo: i64::MIN, hi: i64::MAX };

/// Integers up to this magnitude are doubles.
const EXACT: i64 = 1 << 53;

/// The possible values of an expression.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Known {
    /// Whether it may be false, and whether it may be true.
    Bool(bool, bool),
    /// An `i64` in an interval.
    Int(Interval),
    /// An `f64` that is not NaN, between two doubles.
    Real(f64, f64),
    /// Nothing is known.
    Any,
}

impl Known {
    /// All values of a type.
    pub fn of_type(ty: Type) -> Self {
        match ty {
            Type::Bool => Known::Bool(true, true),
            Type::I64 => Known::Int(ALL),
            _ => Known::Any,
        }
    }

    /// A constant.
    pub fn constant(c: Const) -> Self {
        let known = match c.ty {
            Type::Bool => c.as_bool().map(|b| Known::Bool(!b, b)),
            Type::I64 => c.as_i64().map(|v| Known::Int(Interval { lo: v, hi: v })),
            Type::F64 => c.as_f64().map(|v| Known::real(v, v)),
            _ => None,
        };
        known.unwrap_or(Known::Any)
    }

    /// The value of a field of that type.
    pub fn field(interval: Interval, ty: Type) -> Self {
        match ty {
            Type::Bool => Known::Bool(interval.lo <= 0, interval.hi >= 1),
            Type::I64 => Known::Int(interval),
            _ => Known::Any,
        }
    }

    /// `lo..=hi`, unless one of them is NaN.
    pub fn real(lo: f64, hi: f64) -> Self {
        if lo <= hi { Known::Real(lo, hi) } else { Known::Any }
    }

    /// The intersection; `None` if it is empty.
    pub fn meet(self, other: Known) -> Option<Known> {
        Some(match (self, other) {
            (Known::Bool(a, b), Known::Bool(c, d)) => {
                let (no, yes) = (a && c, b && d);
                if !no && !yes {
                    return None;
                }
                Known::Bool(no, yes)
            }
            (Known::Int(a), Known::Int(b)) => Known::Int(Interval::new(a.lo.max(b.lo), a.hi.min(b.hi))?),
            (Known::Real(a, b), Known::Real(c, d)) => {
                let (lo, hi) = (a.max(c), b.min(d));
                if lo > hi {
                    return None;
                }
                Known::Real(lo, hi)
            }
            (Known::Any, known) | (known, _) => known,
        })
    }

    /// The union, or something larger.
    pub fn join(self, other: Known) -> Known {
        match (self, other) {
            (Known::Bool(a, b), Known::Bool(c, d)) => Known::Bool(a || c, b || d),
            (Known::Int(a), Known::Int(b)) => Known::Int(a.hull(b)),
            (Known::Real(a, b), Known::Real(c, d)) => Known::Real(a.min(c), b.max(d)),
            _ => Known::Any,
        }
    }

    /// Whether it is certainly true.
    pub fn is_true(self) -> bool {
        self == Known::Bool(false, true)
    }

    /// Whether it is certainly false.
    pub fn is_false(self) -> bool {
        self == Known::Bool(true, false)
    }

    /// Adds the numbers that rounding to a double may have moved to an end of a real interval.
    pub fn widened(self) -> Self {
        match self {
            Known::Real(lo, hi) => {
                let tiny = f64::MIN_POSITIVE;
                Known::real(lo - lo.abs() * 1e-15 - tiny, hi + hi.abs() * 1e-15 + tiny)
            }
            known => known,
        }
    }

    fn reals(self) -> Option<(f64, f64)> {
        match self {
            Known::Real(lo, hi) => Some((lo, hi)),
            _ => None,
        }
    }
}

/// The result of an operation on one operand. Monotone functions are computed at both ends.
pub fn unary(op: UnaryOp, a: Known, ty: Type) -> Known {
    match (op, a) {
        (UnaryOp::Not, Known::Bool(no, yes)) => Known::Bool(yes, no),
        (UnaryOp::Neg, Known::Int(a)) => match (a.hi.checked_neg(), a.lo.checked_neg()) {
            (Some(lo), Some(hi)) => Known::Int(Interval { lo, hi }),
            _ => Known::Int(ALL),
        },
        (UnaryOp::Abs, Known::Int(a)) if a.lo > i64::MIN => {
            let hi = a.lo.abs().max(a.hi.abs());
            let lo = if a.lo <= 0 && a.hi >= 0 { 0 } else { a.lo.abs().min(a.hi.abs()) };
            Known::Int(Interval { lo, hi })
        }
        (UnaryOp::Neg, Known::Real(lo, hi)) => Known::real(-hi, -lo),
        (UnaryOp::Floor, Known::Real(lo, hi)) => Known::real(lo.floor(), hi.floor()),
        (UnaryOp::Ceil, Known::Real(lo, hi)) => Known::real(lo.ceil(), hi.ceil()),
        (UnaryOp::Trunc, Known::Real(lo, hi)) => Known::real(lo.trunc(), hi.trunc()),
        _ => Known::of_type(ty),
    }
}

/// The result of an operation on two operands. Rounding to nearest is monotone, so the ends of real results
/// are among the results at the corners.
pub fn binary(op: BinaryOp, a: Known, b: Known, ty: Type) -> Known {
    use BinaryOp::*;
    let known = match (a, b) {
        (Known::Int(x), Known::Int(y)) => match op {
            Eq | Ne | Lt | Le | Gt | Ge => {
                return order(
                    op,
                    x.hi < y.lo,
                    x.hi <= y.lo,
                    x.lo > y.hi,
                    x.lo >= y.hi,
                    x.lo == y.hi && x == y,
                );
            }
            _ => arithmetic(op, x, y).map(Known::Int),
        },
        (Known::Real(a, b), Known::Real(c, d)) => match op {
            Eq | Ne | Lt | Le | Gt | Ge => {
                return order(op, b < c, b <= c, a > d, a >= d, a == b && c == d && a == c);
            }
            Add => Some(Known::real(a + c, b + d)),
            Sub => Some(Known::real(a - d, b - c)),
            Mul => Some(corners([a * c, a * d, b * c, b * d])),
            Div if c > 0.0 || d < 0.0 => Some(corners([a / c, a / d, b / c, b / d])),
            Min => Some(Known::real(a.min(c), b.min(d))),
            Max => Some(Known::real(a.max(c), b.max(d))),
            _ => None,
        },
        (Known::Bool(a, b), Known::Bool(c, d)) => match op {
            Eq => Some(Known::Bool((a && d) || (b && c), (a && c) || (b && d))),
            Ne | BitXor => Some(Known::Bool((a && c) || (b && d), (a && d) || (b && c))),
            BitAnd => Some(Known::Bool(a || c, b && d)),
            BitOr => Some(Known::Bool(a && c, b || d)),
            _ => None,
        },
        _ => None,
    };
    known.unwrap_or(Known::of_type(ty))
}

fn corners(values: [f64; 4]) -> Known {
    if values.iter().any(|v| v.is_nan()) {
        return Known::Any;
    }
    let (lo, hi) =
        values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), &v| (lo.min(v), hi.max(v)));
    Known::real(lo, hi)
}

/// The result of a comparison, given whether one value is certainly less, not greater, greater, or not less
/// than the other, or both are the same.
fn order(op: BinaryOp, less: bool, at_most: bool, greater: bool, at_least: bool, same: bool) -> Known {
    let (surely, never) = match op {
        BinaryOp::Lt => (less, at_least),
        BinaryOp::Le => (at_most, greater),
        BinaryOp::Gt => (greater, at_most),
        BinaryOp::Ge => (at_least, less),
        BinaryOp::Eq => (same, less || greater),
        _ => (less || greater, same),
    };
    Known::Bool(!surely, !never)
}

/// The result of an operation that may fail, and whether it may fail.
pub fn checked(op: CheckedOp, a: Known, b: Known, ty: Type) -> (Known, bool) {
    if let (Known::Real(..), Some((c, d)), CheckedOp::Div) = (a, b.reals(), op) {
        return (binary(BinaryOp::Div, a, b, ty), c <= 0.0 && d >= 0.0);
    }
    let (Known::Int(x), Known::Int(y)) = (a, b) else {
        return (Known::of_type(ty), true);
    };
    let plain = |op| match arithmetic(op, x, y) {
        Some(interval) => (Known::Int(interval), false),
        None => (Known::Int(ALL), true),
    };
    match op {
        CheckedOp::Add => plain(BinaryOp::Add),
        CheckedOp::Sub => plain(BinaryOp::Sub),
        CheckedOp::Mul => plain(BinaryOp::Mul),
        CheckedOp::Div if y.lo > 0 => {
            let ends = [x.lo / y.lo, x.lo / y.hi, x.hi / y.lo, x.hi / y.hi];
            let (lo, hi) = (ends.iter().min().copied(), ends.iter().max().copied());
            (Known::Int(Interval { lo: lo.unwrap_or(i64::MIN), hi: hi.unwrap_or(i64::MAX) }), false)
        }
        CheckedOp::Mod if y.lo > 0 => {
            // Within one period, the remainder is a shift.
            let same = y.lo == y.hi && x.lo.div_euclid(y.lo) == x.hi.div_euclid(y.lo);
            let (lo, hi) = match same {
                true => (x.lo.rem_euclid(y.lo), x.hi.rem_euclid(y.lo)),
                false if x.lo >= 0 => (0, x.hi.min(y.hi - 1)),
                false => (0, y.hi - 1),
            };
            (Known::Int(Interval { lo, hi }), false)
        }
        CheckedOp::Pow if x.lo >= 0 && y.lo >= 0 => {
            let power = |base: i64, exponent: i64| base.checked_pow(u32::try_from(exponent).ok()?);
            // 0^0 is 1 and 0^1 is 0: for the base 0, powers decrease with the exponent.
            let lo = if x.lo == 0 { Some(0) } else { power(x.lo, y.lo) };
            match (lo, power(x.hi.max(1), y.hi)) {
                (Some(lo), Some(hi)) => (Known::Int(Interval { lo, hi }), false),
                _ => (Known::Int(ALL), true),
            }
        }
        _ => (Known::Int(ALL), true),
    }
}

/// The result of a conversion.
pub fn convert(a: Known, to: Type) -> Known {
    match (a, to) {
        (Known::Bool(no, yes), Type::I64) => Known::Int(Interval { lo: i64::from(!no), hi: i64::from(yes) }),
        (Known::Int(a), Type::F64) => Known::real(a.lo as f64, a.hi as f64),
        (Known::Int(a), Type::Bool) => Known::Bool(a.lo <= 0 && a.hi >= 0, a.lo != 0 || a.hi != 0),
        (Known::Bool(..), Type::Bool) | (Known::Int(_), Type::I64) | (Known::Real(..), Type::F64) => a,
        _ => Known::of_type(to),
    }
}

/// The result of a conversion to `i64` that may fail, and whether it may fail.
pub fn checked_convert(a: Known, to: Type) -> (Known, bool) {
    match (a, to) {
        (Known::Int(_), Type::I64) => (a, false),
        (Known::Real(lo, hi), Type::I64) if -(EXACT as f64) < lo && hi < EXACT as f64 => {
            (Known::Int(Interval { lo: lo.trunc() as i64, hi: hi.trunc() as i64 }), false)
        }
        _ => (Known::of_type(to), true),
    }
}

/// The possible operands of a sum or product whose result is to be in `want`.
pub fn operands(op: BinaryOp, want: Known, a: Known, b: Known) -> (Known, Known) {
    use BinaryOp::*;
    match (want, a, b) {
        (Known::Int(w), Known::Int(x), Known::Int(y)) => {
            if arithmetic(op, x, y).is_none() {
                return (a, b);
            }
            let int = |lo: i64, hi: i64| Interval::new(lo, hi).map_or(Known::Any, Known::Int);
            match op {
                Add => (
                    int(w.lo.saturating_sub(y.hi), w.hi.saturating_sub(y.lo)),
                    int(w.lo.saturating_sub(x.hi), w.hi.saturating_sub(x.lo)),
                ),
                Sub => (
                    int(w.lo.saturating_add(y.lo), w.hi.saturating_add(y.hi)),
                    int(x.lo.saturating_sub(w.hi), x.hi.saturating_sub(w.lo)),
                ),
                Mul => (factor(w, y), factor(w, x)),
                Min => (
                    int(w.lo, if y.lo > w.hi { w.hi } else { i64::MAX }),
                    int(w.lo, if x.lo > w.hi { w.hi } else { i64::MAX }),
                ),
                Max => (
                    int(if y.hi < w.lo { w.lo } else { i64::MIN }, w.hi),
                    int(if x.hi < w.lo { w.lo } else { i64::MIN }, w.hi),
                ),
                _ => (a, b),
            }
        }
        (Known::Real(lo, hi), Known::Real(xl, xh), Known::Real(yl, yh)) => match op {
            Add => (slack(lo - yh, hi - yl, want, b), slack(lo - xh, hi - xl, want, a)),
            Sub => (slack(lo + yl, hi + yh, want, b), slack(xl - hi, xh - lo, want, a)),
            Mul => (quotient((lo, hi), (yl, yh)), quotient((lo, hi), (xl, xh))),
            Div => match corners([lo * yl, lo * yh, hi * yl, hi * yh]) {
                Known::Real(l, h) => (slack(l, h, Known::Real(l, h), want), b),
                _ => (a, b),
            },
            _ => (a, b),
        },
        _ => (a, b),
    }
}

/// A real interval, widened by the possible rounding errors of operands of this size.
fn slack(lo: f64, hi: f64, one: Known, other: Known) -> Known {
    let size = |known: Known| known.reals().map_or(f64::INFINITY, |(lo, hi)| lo.abs().max(hi.abs()));
    let slack = (size(one) + size(other)) * 1e-15 + f64::MIN_POSITIVE;
    Known::real(lo - slack, hi + slack)
}

/// The reals x with x y in `want` for some y.
fn quotient(want: (f64, f64), (lo, hi): (f64, f64)) -> Known {
    if lo <= 0.0 && hi >= 0.0 {
        return Known::Any;
    }
    match corners([want.0 / lo, want.0 / hi, want.1 / lo, want.1 / hi]) {
        Known::Real(l, h) => slack(l, h, Known::Real(l, h), Known::Real(0.0, 0.0)),
        _ => Known::Any,
    }
}

/// The integers x with x y in `want` for some y.
fn factor(want: Interval, y: Interval) -> Known {
    let negated = |i: Interval| Some(Interval { lo: i.hi.checked_neg()?, hi: i.lo.checked_neg()? });
    let (want, y) = match y {
        y if y.lo > 0 => (want, y),
        y if y.hi < 0 => match (negated(want), negated(y)) {
            (Some(want), Some(y)) => (want, y),
            _ => return Known::Any,
        },
        _ => return Known::Any,
    };
    let ceil = |a: i64, b: i64| -((-i128::from(a)).div_euclid(i128::from(b)));
    let lo = ceil(want.lo, if want.lo >= 0 { y.hi } else { y.lo });
    let hi = want.hi.div_euclid(if want.hi >= 0 { y.lo } else { y.hi });
    Interval::new(lo as i64, hi).map_or(Known::Any, Known::Int)
}

/// The integers that a conversion to a double maps into `lo..=hi`.
pub fn integers(lo: f64, hi: f64) -> Known {
    let end = |v: f64, none: i64| if v.abs() < EXACT as f64 { v as i64 } else { none };
    match Interval::new(end(lo.ceil(), i64::MIN), end(hi.floor(), i64::MAX)) {
        Some(interval) if lo < EXACT as f64 && hi > -(EXACT as f64) => Known::Int(interval),
        _ => Known::Any,
    }
}
