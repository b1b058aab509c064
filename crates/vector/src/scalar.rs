//! Scalar operations for each lane: those without a vector instruction.

use crate::program::{Class, Conversion, Num, PerLane};
use volvelle_kernel::types::canonical_int;
use volvelle_kernel::{CheckedOp, Const, Exit, Type, interp, math};

/// One lane of an operation, on the bits of its operands; a word is in the low half. Returns the bits of the
/// result, or the exit if it fails.
pub(crate) fn apply(op: PerLane, a: u64, b: u64) -> Result<u64, Exit> {
    match op {
        PerLane::Math(f) => Ok(math::apply(f, f64::from_bits(a), f64::from_bits(b)).to_bits()),
        PerLane::Checked(op, ty, site) => checked(op, ty, a, b).ok_or(Exit::Failed(site)),
    }
}

fn checked(op: CheckedOp, ty: Type, a: u64, b: u64) -> Option<u64> {
    // Division in the interpreter is in 128 bits: these are the common cases.
    match (op, ty) {
        (CheckedOp::Mul, Type::I64) => (a as i64).checked_mul(b as i64).map(|x| x as u64),
        (CheckedOp::Mul, Type::U64) => a.checked_mul(b),
        (CheckedOp::Div, Type::I32) => (a as i32).checked_div(b as i32).map(|x| x as u32 as u64),
        (CheckedOp::Div, Type::I64) => (a as i64).checked_div(b as i64).map(|x| x as u64),
        (CheckedOp::Div, Type::U64) => a.checked_div(b),
        (CheckedOp::Rem, Type::I32) => (a as i32).checked_rem(b as i32).map(|x| x as u32 as u64),
        (CheckedOp::Rem, Type::I64) => (a as i64).checked_rem(b as i64).map(|x| x as u64),
        (CheckedOp::Rem, Type::U64) => a.checked_rem(b),
        _ => {
            let constant = |bits| Const { ty, bits: canonical_int(ty, bits) };
            interp::checked(op, constant(a), constant(b)).map(|c| c.bits)
        }
    }
}

/// The class of the operands and of the result.
pub(crate) fn class(op: PerLane) -> Class {
    match op {
        PerLane::Math(_) => Class::Double,
        PerLane::Checked(_, ty, _) => Class::of(ty),
    }
}

/// One lane of a conversion.
#[cfg_attr(
    not(all(target_arch = "x86_64", unix)),
    expect(dead_code, reason = "portable programs convert all lanes at once")
)]
pub(crate) fn convert(op: Conversion, x: u64) -> u64 {
    let (low, float) = (x as u32, f64::from_bits(x));
    match op {
        Conversion::SignExtend => low as i32 as u64,
        Conversion::ZeroExtend => low.into(),
        Conversion::Truncate => low.into(),
        Conversion::HighHalf => x >> 32,
        Conversion::Promote => f64::from(f32::from_bits(low)).to_bits(),
        Conversion::Demote => (float as f32).to_bits().into(),
        Conversion::ToF64(from) => match from {
            Num::I32 => f64::from(low as i32),
            Num::U32 => f64::from(low),
            Num::I64 => x as i64 as f64,
            _ => x as f64,
        }
        .to_bits(),
        Conversion::ToF32(from) => match from {
            Num::I32 => low as i32 as f32,
            Num::U32 => low as f32,
            Num::I64 => x as i64 as f32,
            _ => x as f32,
        }
        .to_bits()
        .into(),
        Conversion::Saturate(to) => match to {
            Num::I32 => float as i32 as u32 as u64,
            Num::U32 => float as u32 as u64,
            Num::I64 => float as i64 as u64,
            _ => float as u64,
        },
    }
}
