//! Rounding of exact results (IEEE 754-2019, 4.3 and 7).

use super::{Context, Flags, Format, Rounding, sign_bit};

/// Whether what was cut off makes the number before it one larger.
///
/// `rest` is compared with `half` of a unit of the last place that stays.
pub(super) fn rounds_up(rounding: Rounding, is_negative: bool, is_odd: bool, rest: u128, half: u128) -> bool {
    match rounding {
        Rounding::NearestEven => rest > half || rest == half && is_odd,
        Rounding::NearestAway => rest >= half,
        Rounding::Zero => false,
        Rounding::Down => is_negative && rest != 0,
        Rounding::Up => !is_negative && rest != 0,
    }
}

/// `significand` without its last `shift` bits, rounded, and whether that is exact.
pub(super) fn shift_right(
    significand: u128,
    shift: u32,
    rounding: Rounding,
    is_negative: bool,
) -> (u128, bool) {
    if shift == 0 {
        return (significand, true);
    }
    let (kept, rest, half) = match shift {
        1..=127 => (significand >> shift, significand & ((1 << shift) - 1), 1 << (shift - 1)),
        // Less than half of a unit: a significand has fewer than 128 bits.
        _ => (0, u128::from(significand != 0), 2),
    };
    let is_up = rounds_up(rounding, is_negative, kept & 1 != 0, rest, half);
    (kept + u128::from(is_up), rest == 0)
}

/// The number nearest to `significand * 2^exponent`, which is not zero and has fewer than 128 bits.
///
/// Bits that were lost before are told by the last bit of the significand being 1, at least two places behind the last that can stay.
pub(super) fn round<F: Format>(
    is_negative: bool,
    exponent: i32,
    significand: u128,
    context: &mut Context,
) -> u64 {
    debug_assert!(significand != 0 && significand >> 127 == 0);
    let highest = 127 - significand.leading_zeros() as i32;
    let (fraction, least) = (F::FRACTION as i32, 1 - F::BIAS);
    let magnitude = exponent + highest;
    let sign = sign_bit::<F>(is_negative);
    // Places behind the last one that stays.
    let is_normal = magnitude >= least;
    let shift = if is_normal { highest - fraction } else { least - fraction - exponent };
    let (kept, is_exact) = match u32::try_from(shift) {
        Ok(shift) => shift_right(significand, shift, context.rounding, is_negative),
        Err(_) => (significand << -shift, true),
    };
    if !is_exact {
        context.flags.raise(Flags::INEXACT);
    }
    if !is_normal {
        if !is_exact && is_tiny::<F>(is_negative, magnitude, highest, significand, context.rounding) {
            context.flags.raise(Flags::UNDERFLOW);
        }
        return sign | kept as u64; // a carry makes it the least normal number
    }
    let bits = (((magnitude + F::BIAS) as u64) << F::FRACTION) + (kept as u64 - (1 << F::FRACTION));
    if bits < F::INFINITY {
        return sign | bits;
    }
    context.flags.raise(Flags::OVERFLOW | Flags::INEXACT);
    let is_infinite = match context.rounding {
        Rounding::NearestEven | Rounding::NearestAway => true,
        Rounding::Zero => false,
        Rounding::Down => is_negative,
        Rounding::Up => !is_negative,
    };
    sign | if is_infinite { F::INFINITY } else { F::INFINITY - 1 }
}

/// Whether a number below the least normal one stays below it when it is rounded as if exponents had no end.
fn is_tiny<F: Format>(
    is_negative: bool,
    magnitude: i32,
    highest: i32,
    significand: u128,
    rounding: Rounding,
) -> bool {
    if magnitude != -F::BIAS {
        return true;
    }
    let Ok(shift) = u32::try_from(highest - F::FRACTION as i32) else { return true };
    let (kept, _) = shift_right(significand, shift, rounding, is_negative);
    kept >> (F::FRACTION + 1) == 0
}
