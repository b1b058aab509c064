//! Operations on constants: the definition that folding, the interpreter and the tests of
//! all back ends share.
//!
//! Integers are computed exactly, in 128 bits, and then wrapped or checked. Floats follow IEEE 754 in
//! round-to-nearest, in the precision of their type. Which NaN an operation gives is not part of the
//! semantics (no operation can tell NaNs apart: reinterpreting takes them all for one); here it is always the positive quiet NaN without
//! payload, so that the interpreter has the same bits on every machine. `Neg` and `Abs` only touch the
//! sign bit, of NaNs too.

use crate::operations::{BinaryOp, CheckedOp, MathFn, UnaryOp};
use crate::types::{Const, QUIET_NAN_F32, QUIET_NAN_F64, Type, canonical_int};

/// Applies a total operation to a constant of a fitting type.
///
/// # Panics
/// Where the type does not fit, as [`crate::Exprs::add`] does.
pub fn unary(op: UnaryOp, arg: Const) -> Const {
    let ty = arg.ty;
    match ty {
        Type::F64 => f64_const(f64_unary(op, as_f64(arg)), op == UnaryOp::Neg || op == UnaryOp::Abs),
        Type::F32 => f32_const(f32_unary(op, as_f32(arg)), op == UnaryOp::Neg || op == UnaryOp::Abs),
        Type::Bool => match op {
            UnaryOp::Not => Const::bool(arg.bits == 0),
            _ => mismatch(ty),
        },
        _ => match op {
            UnaryOp::Not => wrapped(ty, !exact(arg)),
            UnaryOp::Neg => wrapped(ty, -exact(arg)),
            UnaryOp::Abs => wrapped(ty, exact(arg).abs()),
            _ => mismatch(ty),
        },
    }
}

/// Applies a total operation to two constants of one fitting type.
///
/// # Panics
/// Where the types do not fit, as [`crate::Exprs::add`] does.
pub fn binary(op: BinaryOp, lhs: Const, rhs: Const) -> Const {
    use BinaryOp::*;
    assert_eq!(lhs.ty, rhs.ty, "operands differ in type");
    let ty = lhs.ty;
    if op.is_comparison() {
        return Const::bool(compare(op, lhs, rhs));
    }
    match ty {
        Type::F64 => f64_const(f64_binary(op, as_f64(lhs), as_f64(rhs)), false),
        Type::F32 => f32_const(f32_binary(op, as_f32(lhs), as_f32(rhs)), false),
        Type::Bool => match op {
            BitAnd => Const::bool(lhs.bits & rhs.bits != 0),
            BitOr => Const::bool(lhs.bits | rhs.bits != 0),
            BitXor => Const::bool(lhs.bits ^ rhs.bits != 0),
            _ => mismatch(ty),
        },
        _ => {
            let (a, b) = (exact(lhs), exact(rhs));
            // Shifts take the amount modulo the width, a power of two.
            let amount = b as u32 & (ty.bits() - 1);
            let value = match op {
                Add => a + b,
                Sub => a - b,
                Mul => a.wrapping_mul(b),
                Min => a.min(b),
                Max => a.max(b),
                BitAnd => a & b,
                BitOr => a | b,
                BitXor => a ^ b,
                Shl => a << amount,
                Shr => a >> amount,
                _ => mismatch(ty),
            };
            wrapped(ty, value)
        }
    }
}

/// Applies an operation that may fail; `None` if it does.
///
/// # Panics
/// Where the types do not fit, as [`crate::Exprs::add`] does.
pub fn checked(op: CheckedOp, lhs: Const, rhs: Const) -> Option<Const> {
    assert_eq!(lhs.ty, rhs.ty, "operands differ in type");
    let ty = lhs.ty;
    if ty.is_float() {
        assert_eq!(op, CheckedOp::Div, "operand type does not fit the operation");
        let zero = convert(ty, Const::i64(0));
        return (!compare(BinaryOp::Eq, rhs, zero)).then(|| binary(BinaryOp::Div, lhs, rhs));
    }
    if !ty.is_int() {
        mismatch::<()>(ty);
    }
    let (a, b) = (exact(lhs), exact(rhs));
    match op {
        CheckedOp::Add => fitting(ty, a + b),
        CheckedOp::Sub => fitting(ty, a - b),
        CheckedOp::Mul => fitting(ty, a.checked_mul(b)?),
        CheckedOp::Div => fitting(ty, a.checked_div(b)?),
        CheckedOp::Rem => {
            fitting(ty, a.checked_div(b)?)?;
            fitting(ty, a % b)
        }
        CheckedOp::Mod => {
            let rem = a.checked_rem(b)?;
            let crosses = rem != 0 && (rem < 0) != (b < 0);
            fitting(ty, if crosses { rem + b } else { rem })
        }
        CheckedOp::Pow => power(ty, a, b),
    }
}

/// Total conversion, as Rust's `as`.
pub fn convert(to: Type, arg: Const) -> Const {
    match (arg.ty, to) {
        (from, _) if from == to => arg,
        (Type::F64 | Type::F32, Type::Bool) => Const::bool(widened(arg) != 0.0),
        (_, Type::Bool) => Const::bool(arg.bits != 0),
        (Type::F64, Type::F32) => f32_const(as_f64(arg) as f32, false),
        (Type::F32, Type::F64) => f64_const(as_f32(arg) as f64, false),
        (Type::F64 | Type::F32, _) => {
            let (lo, hi) = bounds(to);
            wrapped(to, (widened(arg) as i128).clamp(lo, hi))
        }
        (_, Type::F64) => Const::f64(exact(arg) as f64),
        (_, Type::F32) => Const::f32(exact(arg) as f32),
        _ => wrapped(to, exact(arg)),
    }
}

/// The bits of a number as another type of the same width; a NaN counts as the positive quiet one without payload.
///
/// # Panics
/// Where the types do not fit, as [`crate::Exprs::add`] does.
pub fn reinterpret(to: Type, arg: Const) -> Const {
    assert!(
        arg.ty != Type::Bool && to != Type::Bool && arg.ty.bytes() == to.bytes(),
        "the types differ in width"
    );
    let bits = match arg.ty {
        Type::F64 => f64_const(as_f64(arg), false).bits,
        Type::F32 => f32_const(as_f32(arg), false).bits,
        _ => arg.bits,
    };
    match to {
        Type::F64 => f64_const(f64::from_bits(bits), false),
        Type::F32 => f32_const(f32::from_bits(bits as u32), false),
        _ => Const { ty: to, bits: canonical_int(to, bits) },
    }
}

/// Conversion of a number to an integer type; `None` if it does not fit, or is NaN.
pub fn checked_convert(to: Type, arg: Const) -> Option<Const> {
    if !arg.ty.is_float() {
        return fitting(to, exact(arg));
    }
    let value = widened(arg).trunc();
    // Beyond ±2^100 nothing fits; below, the conversion to 128 bits is exact.
    if value.is_nan() || value.abs() >= 2f64.powi(100) {
        return None;
    }
    fitting(to, value as i128)
}

/// Whether an integer lies in `lo..=hi`, which for `u64` are bits of `u64`.
pub fn in_range(arg: Const, lo: i64, hi: i64) -> bool {
    if arg.ty == Type::U64 {
        (lo as u64..=hi as u64).contains(&arg.bits)
    } else {
        (lo..=hi).contains(&(arg.bits as i64))
    }
}

/// A mathematical function; `y` is ignored by functions of one argument.
pub fn math(f: MathFn, x: Const, y: Const) -> Const {
    f64_const(crate::math::apply(f, as_f64(x), as_f64(y)), false)
}

/// `x * y + z`, rounded once.
pub fn mul_add(x: Const, y: Const, z: Const) -> Const {
    if x.ty == Type::F32 {
        return f32_const(as_f32(x).mul_add(as_f32(y), as_f32(z)), false);
    }
    f64_const(as_f64(x).mul_add(as_f64(y), as_f64(z)), false)
}

/// Smallest and largest value of an integer type.
pub(crate) fn bounds(ty: Type) -> (i128, i128) {
    let bits = ty.bits();
    if ty.is_signed() { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) }
}

/// The mathematical value of an integer or Boolean constant.
pub(crate) fn exact(c: Const) -> i128 {
    if c.ty.is_signed() { c.bits as i64 as i128 } else { c.bits as i128 }
}

/// `value` if the type holds it.
pub(crate) fn fitting(ty: Type, value: i128) -> Option<Const> {
    let (lo, hi) = bounds(ty);
    (lo..=hi).contains(&value).then(|| wrapped(ty, value))
}

fn wrapped(ty: Type, value: i128) -> Const {
    Const { ty, bits: canonical_int(ty, value as u64) }
}

/// Where an intermediate power leaves the type, all that follow do (their magnitude at least doubles).
fn power(ty: Type, base: i128, exponent: i128) -> Option<Const> {
    if exponent < 0 {
        return None;
    }
    match base {
        0 | 1 => fitting(ty, if exponent == 0 { 1 } else { base }),
        -1 => fitting(ty, if exponent % 2 == 0 { 1 } else { -1 }),
        _ => {
            let mut result = fitting(ty, 1)?;
            for _ in 0..exponent {
                result = fitting(ty, exact(result).checked_mul(base)?)?;
            }
            Some(result)
        }
    }
}

fn compare(op: BinaryOp, lhs: Const, rhs: Const) -> bool {
    // Widening f32 to f64 is exact, so floats of either type compare as f64.
    let order = if lhs.ty.is_float() {
        widened(lhs).partial_cmp(&widened(rhs))
    } else {
        Some(exact(lhs).cmp(&exact(rhs)))
    };
    match op {
        BinaryOp::Eq => order.is_some_and(|o| o.is_eq()),
        BinaryOp::Ne => order.is_none_or(|o| o.is_ne()),
        BinaryOp::Lt => order.is_some_and(|o| o.is_lt()),
        BinaryOp::Le => order.is_some_and(|o| o.is_le()),
        BinaryOp::Gt => order.is_some_and(|o| o.is_gt()),
        BinaryOp::Ge => order.is_some_and(|o| o.is_ge()),
        _ => mismatch(lhs.ty),
    }
}

fn as_f64(c: Const) -> f64 {
    f64::from_bits(c.bits)
}

fn as_f32(c: Const) -> f32 {
    f32::from_bits(c.bits as u32)
}

fn widened(c: Const) -> f64 {
    if c.ty == Type::F32 { as_f32(c) as f64 } else { as_f64(c) }
}

fn mismatch<T>(ty: Type) -> T {
    panic!("operand type {ty} does not fit the operation")
}

macro_rules! float_operations {
    ($float:ident, $constant:ident, $unary:ident, $binary:ident, $quiet_nan:ident) => {
        fn $constant(value: $float, keep_nan: bool) -> Const {
            if value.is_nan() && !keep_nan {
                Const::$float($float::from_bits($quiet_nan))
            } else {
                Const::$float(value)
            }
        }

        fn $unary(op: UnaryOp, x: $float) -> $float {
            match op {
                UnaryOp::Neg => $float::from_bits(x.to_bits() ^ (-0.0 as $float).to_bits()),
                UnaryOp::Abs => $float::from_bits(x.to_bits() & !(-0.0 as $float).to_bits()),
                UnaryOp::Sqrt => x.sqrt(),
                UnaryOp::Floor => x.floor(),
                UnaryOp::Ceil => x.ceil(),
                UnaryOp::Trunc => x.trunc(),
                UnaryOp::Not => mismatch(Type::F64),
            }
        }

        fn $binary(op: BinaryOp, x: $float, y: $float) -> $float {
            let either_nan = x.is_nan() || y.is_nan();
            // `total_cmp` is the usual order on numbers, and puts −0 before +0.
            let ordered = x.total_cmp(&y).is_le();
            match op {
                BinaryOp::Add => x + y,
                BinaryOp::Sub => x - y,
                BinaryOp::Mul => x * y,
                BinaryOp::Div => x / y,
                BinaryOp::Min | BinaryOp::Max if either_nan => $float::NAN,
                BinaryOp::Min => {
                    if ordered {
                        x
                    } else {
                        y
                    }
                }
                BinaryOp::Max => {
                    if ordered {
                        y
                    } else {
                        x
                    }
                }
                _ => mismatch(Type::F64),
            }
        }
    };
}

float_operations!(f64, f64_const, f64_unary, f64_binary, QUIET_NAN_F64);
float_operations!(f32, f32_const, f32_unary, f32_binary, QUIET_NAN_F32);
