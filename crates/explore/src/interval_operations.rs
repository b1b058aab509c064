//! Operations on intervals of integers.
//!
//! A value of any type is held as its bits, in an `i64`; truth values are 0 and 1. The result of an operation
//! contains every value that the operation gives for operands in the intervals, if it does not fail.

use volvelle_kernel::{BinaryOp, CheckedOp, Const, Type, UnaryOp, interp};
use volvelle_model::interval::{Interval, arithmetic};

/// Any value.
pub const ANY: Interval = Interval { lo: i64::MIN, hi: i64::MAX };

/// Any truth value.
pub const ANY_TRUTH: Interval = Interval { lo: 0, hi: 1 };

/// One value.
pub const fn single(value: i64) -> Interval {
    Interval { lo: value, hi: value }
}

/// The value, if there is only one.
pub fn known(interval: Interval) -> Option<i64> {
    (interval.lo == interval.hi).then_some(interval.lo)
}

fn truth(value: bool) -> Interval {
    single(i64::from(value))
}

fn any_of(ty: Type) -> Interval {
    if ty == Type::Bool { ANY_TRUTH } else { ANY }
}

fn constant(ty: Type, value: i64) -> Const {
    Const { ty, bits: value as u64 }
}

/// The result of an operation on one operand.
pub fn unary(op: UnaryOp, ty: Type, arg: Interval) -> Interval {
    if let Some(value) = known(arg) {
        return single(interp::unary(op, constant(ty, value)).bits as i64);
    }
    match (op, ty) {
        (UnaryOp::Not, Type::Bool) => Interval { lo: 1 - arg.hi.clamp(0, 1), hi: 1 - arg.lo.clamp(0, 1) },
        (UnaryOp::Neg, Type::I64) => {
            let negated = arg.hi.checked_neg().zip(arg.lo.checked_neg());
            negated.map_or(ANY, |(lo, hi)| Interval { lo, hi })
        }
        _ => any_of(ty),
    }
}

/// Whether comparing and adding values of a type in an interval is the same as on their bits.
fn is_plain(ty: Type, value: Interval) -> bool {
    match ty {
        Type::I64 | Type::Bool => true,
        Type::U64 => value.lo >= 0,
        _ => false,
    }
}

/// The result of an operation on two operands.
pub fn binary(op: BinaryOp, ty: Type, a: Interval, b: Interval) -> Interval {
    if let (Some(a), Some(b)) = (known(a), known(b)) {
        return single(interp::binary(op, constant(ty, a), constant(ty, b)).bits as i64);
    }
    let other = if op.is_comparison() { ANY_TRUTH } else { any_of(ty) };
    if !is_plain(ty, a) || !is_plain(ty, b) {
        return other;
    }
    let decided = |yes: bool, no: bool| match (yes, no) {
        (true, _) => truth(true),
        (_, true) => truth(false),
        _ => ANY_TRUTH,
    };
    match op {
        BinaryOp::Lt => decided(a.hi < b.lo, a.lo >= b.hi),
        BinaryOp::Le => decided(a.hi <= b.lo, a.lo > b.hi),
        BinaryOp::Gt => decided(a.lo > b.hi, a.hi <= b.lo),
        BinaryOp::Ge => decided(a.lo >= b.hi, a.hi < b.lo),
        BinaryOp::Eq => decided(false, a.hi < b.lo || b.hi < a.lo),
        BinaryOp::Ne => decided(a.hi < b.lo || b.hi < a.lo, false),
        BinaryOp::BitAnd if ty == Type::Bool => Interval { lo: a.lo.min(b.lo), hi: a.hi.min(b.hi) },
        BinaryOp::BitOr if ty == Type::Bool => Interval { lo: a.lo.max(b.lo), hi: a.hi.max(b.hi) },
        BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Min | BinaryOp::Max if ty != Type::Bool => {
            arithmetic(op, a, b).filter(|&result| is_plain(ty, result)).unwrap_or(ANY)
        }
        _ => other,
    }
}

/// The result of an operation that may fail; of runs that do not.
pub fn checked(op: CheckedOp, ty: Type, a: Interval, b: Interval) -> Interval {
    if let (Some(a), Some(b)) = (known(a), known(b)) {
        let value = interp::checked(op, constant(ty, a), constant(ty, b));
        return value.map_or(ANY, |value| single(value.bits as i64));
    }
    if !is_plain(ty, a) || !is_plain(ty, b) || ty == Type::Bool {
        return ANY;
    }
    match op {
        CheckedOp::Add => binary(BinaryOp::Add, ty, a, b),
        CheckedOp::Sub => binary(BinaryOp::Sub, ty, a, b),
        CheckedOp::Mul => binary(BinaryOp::Mul, ty, a, b),
        CheckedOp::Div if b.lo > 0 && a.lo >= 0 => Interval { lo: a.lo / b.hi, hi: a.hi / b.lo },
        CheckedOp::Rem | CheckedOp::Mod if b.lo > 0 && a.lo >= 0 => {
            Interval { lo: 0, hi: a.hi.min(b.hi - 1) }
        }
        _ => ANY,
    }
}

/// The result of a conversion.
pub fn convert(from: Type, to: Type, arg: Interval) -> Interval {
    if let Some(value) = known(arg) {
        return single(interp::convert(to, constant(from, value)).bits as i64);
    }
    if !from.is_int() && from != Type::Bool {
        return any_of(to);
    }
    let (lo, hi) = match (to, to.limits()) {
        (Type::Bool, _) => return if arg.lo > 0 || arg.hi < 0 { truth(true) } else { ANY_TRUTH },
        (Type::I64 | Type::U64, _) => return arg,
        (_, Some(limits)) => limits,
        (_, None) => return ANY,
    };
    if arg.within(lo, hi) { arg } else { Interval { lo, hi } }
}

/// The values that lie in a range.
pub fn range(ty: Type, arg: Interval, lo: i64, hi: i64) -> Interval {
    if !is_plain(ty, arg) || ty == Type::Bool || lo > hi {
        return ANY;
    }
    Interval::new(arg.lo.max(lo), arg.hi.min(hi)).unwrap_or(Interval { lo, hi })
}
