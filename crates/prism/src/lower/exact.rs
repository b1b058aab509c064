//! Exact values of constant expressions, beside their doubles.
//!
//! A literal is the decimal fraction that was written; `+ - * /`, `min`, `max`, `floor`, `ceil`, `round` and powers with
//! integer exponents stay rational, and so do logarithms and roots that are rational. Everything else (other powers
//! and logarithms, numbers that would take more than [`LIMIT_BITS`] bits) has no exact value, which is never an error:
//! only the double is used then, with a bound of its error.

use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;

/// Numerators and denominators beyond this many bits are given up.
pub const LIMIT_BITS: usize = 4096;

/// Largest denominator of an exponent or logarithm.
const MOST_ROOTS: usize = 64;

/// The decimal fraction that a literal of the grammar denotes: `12`, `0.5`, `.5`, `5.`, `1e-3`.
pub fn literal(text: &str) -> Option<RBig> {
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
        None => (text, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let (sign, whole) = match whole.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, whole),
    };
    let digits = [whole, fraction].concat();
    if digits.is_empty() || digits.len() > 1000 || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let scale = exponent.checked_sub(fraction.len() as i32)?;
    if scale.unsigned_abs() > 1000 {
        return None;
    }
    let number = IBig::from_str_radix(&digits, 10).ok()? * IBig::from(sign);
    let power = UBig::from(10u8).pow(scale.unsigned_abs() as usize);
    limited(if scale < 0 { RBig::from_parts(number, power) } else { RBig::from(number * IBig::from(power)) })
}

/// The exact value of an integer.
pub fn int(value: i64) -> RBig {
    RBig::from(IBig::from(value))
}

/// The nearest double.
pub fn to_f64(value: &RBig) -> f64 {
    value.to_f64().value()
}

/// A double as a rational; nothing if it is not finite.
pub fn of_f64(value: f64) -> Option<RBig> {
    RBig::try_from(value).ok()
}

/// Whether a double has few digits, so that somebody may have written it.
pub fn is_short(value: f64) -> bool {
    value.to_bits().trailing_zeros() >= 26
}

/// `lhs + rhs`
pub fn add(lhs: &RBig, rhs: &RBig) -> Option<RBig> {
    limited(lhs + rhs)
}

/// `lhs - rhs`
pub fn sub(lhs: &RBig, rhs: &RBig) -> Option<RBig> {
    limited(lhs - rhs)
}

/// `lhs * rhs`
pub fn mul(lhs: &RBig, rhs: &RBig) -> Option<RBig> {
    limited(lhs * rhs)
}

/// `lhs / rhs`; nothing for a zero divisor.
pub fn div(lhs: &RBig, rhs: &RBig) -> Option<RBig> {
    if rhs.is_zero() { None } else { limited(lhs / rhs) }
}

/// `base` to a rational power, where that is rational; nothing for zero to a negative one.
pub fn pow(base: &RBig, exponent: &RBig) -> Option<RBig> {
    if !exponent.is_int() {
        let degree = usize::try_from(exponent.denominator()).ok().filter(|&degree| degree <= MOST_ROOTS)?;
        return pow(&root(base, degree)?, &RBig::from(exponent.numerator().clone()));
    }
    let exponent = i32::try_from(exponent.numerator()).ok()?;
    let times = exponent.unsigned_abs() as usize;
    if bits(base).saturating_mul(times) > LIMIT_BITS && !base.is_zero() && !base.is_one() {
        return None;
    }
    if base.is_zero() {
        return (exponent >= 0).then(|| int((exponent == 0) as i64));
    }
    if base.is_one() {
        return Some(base.clone());
    }
    let (numerator, denominator) = base.clone().into_parts();
    let power = RBig::from_parts(numerator.pow(times), denominator.pow(times));
    limited(if exponent < 0 { int(1) / power } else { power })
}

/// The root of a positive rational, if it is rational.
fn root(value: &RBig, degree: usize) -> Option<RBig> {
    if *value <= RBig::ZERO {
        return None;
    }
    let of = |part: &UBig| Some(part.nth_root(degree)).filter(|root| root.pow(degree) == *part);
    let top = of(&value.numerator().clone().into_parts().1)?;
    Some(RBig::from_parts(top.into(), of(value.denominator())?))
}

/// The logarithm of one rational to the base of another, where that is rational with a small denominator.
pub fn log(value: &RBig, base: &RBig) -> Option<RBig> {
    if *value <= RBig::ZERO || *base <= RBig::ZERO || base.is_one() {
        return None;
    }
    let estimate = to_f64(value).ln() / to_f64(base).ln();
    (1..=MOST_ROOTS as i64).find_map(|bottom| {
        let top = (estimate * bottom as f64).round();
        let is_near = (estimate * bottom as f64 - top).abs() < 1e-9 && top.abs() < 1e6;
        let [raised, wanted] = is_near.then(|| [pow(base, &int(top as i64)), pow(value, &int(bottom))])?;
        let is_log = raised.is_some() && raised == wanted;
        is_log.then(|| int(top as i64) / int(bottom))
    })
}

/// Nearest integer, halves up.
pub fn round(value: &RBig) -> RBig {
    let half = RBig::from_parts(IBig::from(1), UBig::from(2u8));
    RBig::from((value + half).floor())
}

fn bits(value: &RBig) -> usize {
    let numerator = value.numerator().clone().into_parts().1;
    bit_len(&numerator).max(bit_len(value.denominator()))
}

fn bit_len(value: &UBig) -> usize {
    use dashu_int::ops::BitTest;
    value.bit_len()
}

fn limited(value: RBig) -> Option<RBig> {
    (bits(&value) <= LIMIT_BITS).then_some(value)
}
