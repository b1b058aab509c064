//! Comparisons, the smaller and the larger of two, and the class of a value.

use super::{Context, Flags, Format, Value, is_negative, nan, unpack};

/// A number that orders values as they are ordered, but for the two zeros.
fn order<F: Format>(bits: u64) -> i64 {
    let magnitude = (bits & (F::SIGN - 1)) as i64;
    if is_negative::<F>(bits) { -1 - magnitude } else { magnitude }
}

fn are_zero<F: Format>(a: u64, b: u64) -> bool {
    (a | b) & (F::SIGN - 1) == 0
}

/// Whether two values are equal; only a signalling one that is no number is an exception.
pub fn equal<F: Format>(a: u64, b: u64, context: &mut Context) -> bool {
    nan::<F>(&[unpack::<F>(a), unpack::<F>(b)], context).is_none() && (a == b || are_zero::<F>(a, b))
}

fn is_unordered<F: Format>(a: u64, b: u64, context: &mut Context) -> bool {
    let is_unordered = nan::<F>(&[unpack::<F>(a), unpack::<F>(b)], context).is_some();
    if is_unordered {
        context.flags.raise(Flags::INVALID);
    }
    is_unordered
}

/// Whether `a < b`; whatever is no number is an exception.
pub fn less<F: Format>(a: u64, b: u64, context: &mut Context) -> bool {
    !is_unordered::<F>(a, b, context) && order::<F>(a) < order::<F>(b) && !are_zero::<F>(a, b)
}

/// Whether `a <= b`; whatever is no number is an exception.
pub fn less_or_equal<F: Format>(a: u64, b: u64, context: &mut Context) -> bool {
    !is_unordered::<F>(a, b, context) && (order::<F>(a) <= order::<F>(b) || are_zero::<F>(a, b))
}

/// The smaller of two, where -0 is less than 0 and what is no number counts only beside its like (12.6: minimumNumber).
pub fn minimum<F: Format>(a: u64, b: u64, context: &mut Context) -> u64 {
    select::<F>(a, b, context, order::<F>(a) <= order::<F>(b))
}

/// The larger of two, likewise.
pub fn maximum<F: Format>(a: u64, b: u64, context: &mut Context) -> u64 {
    select::<F>(a, b, context, order::<F>(a) >= order::<F>(b))
}

fn select<F: Format>(a: u64, b: u64, context: &mut Context, is_first: bool) -> u64 {
    let (x, y) = (unpack::<F>(a), unpack::<F>(b));
    let result = nan::<F>(&[x, y], context);
    match (matches!(x, Value::Nan { .. }), matches!(y, Value::Nan { .. })) {
        (false, false) if is_first => a,
        (false, false) | (true, false) => b,
        (false, true) => a,
        (true, true) => result.unwrap_or(F::NAN),
    }
}

/// The class of a value as one bit of ten (12.9).
pub fn class<F: Format>(bits: u64) -> u64 {
    let is_subnormal = bits & F::INFINITY == 0;
    let rank = match unpack::<F>(bits) {
        Value::Infinite => 0,
        Value::Finite { .. } if !is_subnormal => 1,
        Value::Finite { .. } => 2,
        Value::Zero => 3,
        Value::Nan { is_signalling: true } => return 1 << 8,
        Value::Nan { is_signalling: false } => return 1 << 9,
    };
    1 << if is_negative::<F>(bits) { rank } else { 7 - rank }
}
