//! Conversions between whole numbers and the two precisions (12.7, 13.5).

use super::round::{round, shift_right};
use super::{Context, Double, Flags, Format, Single, Value, is_negative, nan, sign_bit, unpack};

/// Which whole numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Integer {
    /// 32 bits with a sign.
    Word,
    /// 32 bits without.
    UnsignedWord,
    /// 64 bits with a sign.
    Long,
    /// 64 bits without.
    UnsignedLong,
}

impl Integer {
    /// The kind of the number in instructions.
    pub fn from_number(number: u8) -> Integer {
        match number & 3 {
            0 => Integer::Word,
            1 => Integer::UnsignedWord,
            2 => Integer::Long,
            _ => Integer::UnsignedLong,
        }
    }

    fn bounds(self) -> (i128, i128) {
        match self {
            Integer::Word => (i32::MIN.into(), i32::MAX.into()),
            Integer::UnsignedWord => (0, u32::MAX.into()),
            Integer::Long => (i64::MIN.into(), i64::MAX.into()),
            Integer::UnsignedLong => (0, u64::MAX.into()),
        }
    }

    /// As a register holds it: 32 bits are extended by their sign, also those of numbers without one.
    fn register(self, value: i128) -> u64 {
        match self {
            Integer::Word | Integer::UnsignedWord => i64::from(value as i32) as u64,
            Integer::Long | Integer::UnsignedLong => value as u64,
        }
    }
}

/// A whole number; the nearest that there is, and an exception, if there is none.
pub fn to_integer<F: Format>(bits: u64, kind: Integer, context: &mut Context) -> u64 {
    let (least, most) = kind.bounds();
    let is_negative = is_negative::<F>(bits);
    let out_of_range = |context: &mut Context, value: i128| {
        context.flags.raise(Flags::INVALID);
        kind.register(value)
    };
    let (significand, exponent) = match unpack::<F>(bits) {
        Value::Nan { .. } => return out_of_range(context, most),
        Value::Infinite => return out_of_range(context, if is_negative { least } else { most }),
        Value::Zero => return 0,
        Value::Finite { significand, exponent } => (u128::from(significand), exponent),
    };
    // 2^65 and more is out of every range.
    let magnitude = exponent + F::FRACTION as i32;
    if magnitude > 64 {
        return out_of_range(context, if is_negative { least } else { most });
    }
    let (value, is_exact) = match u32::try_from(exponent) {
        Ok(shift) => (significand << shift, true),
        Err(_) => shift_right(significand, exponent.unsigned_abs(), context.rounding, is_negative),
    };
    let value = if is_negative { -(value as i128) } else { value as i128 };
    if value < least || value > most {
        return out_of_range(context, if is_negative { least } else { most });
    }
    if !is_exact {
        context.flags.raise(Flags::INEXACT);
    }
    kind.register(value)
}

/// A whole number in a register as floating point.
pub fn from_integer<F: Format>(register: u64, kind: Integer, context: &mut Context) -> u64 {
    let value: i128 = match kind {
        Integer::Word => i128::from(register as i32),
        Integer::UnsignedWord => i128::from(register as u32),
        Integer::Long => i128::from(register as i64),
        Integer::UnsignedLong => i128::from(register),
    };
    match value {
        0 => 0,
        _ => round::<F>(value < 0, 0, value.unsigned_abs(), context),
    }
}

/// Double to single precision.
pub fn narrow(bits: u64, context: &mut Context) -> u64 {
    let value = unpack::<Double>(bits);
    let is_negative = is_negative::<Double>(bits);
    match value {
        Value::Nan { .. } => nan::<Single>(&[value], context).unwrap_or(Single::NAN),
        Value::Infinite => sign_bit::<Single>(is_negative) | Single::INFINITY,
        Value::Zero => sign_bit::<Single>(is_negative),
        Value::Finite { significand, exponent } => {
            round::<Single>(is_negative, exponent, significand.into(), context)
        }
    }
}

/// Single to double precision, which is exact.
pub fn widen(bits: u64, context: &mut Context) -> u64 {
    let value = unpack::<Single>(bits);
    let is_negative = is_negative::<Single>(bits);
    match value {
        Value::Nan { .. } => nan::<Double>(&[value], context).unwrap_or(Double::NAN),
        Value::Infinite => sign_bit::<Double>(is_negative) | Double::INFINITY,
        Value::Zero => sign_bit::<Double>(is_negative),
        Value::Finite { significand, exponent } => {
            round::<Double>(is_negative, exponent, significand.into(), context)
        }
    }
}
