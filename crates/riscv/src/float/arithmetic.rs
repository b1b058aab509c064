//! Sums, products, quotients, roots, and products that are added before they are rounded.

use super::round::round;
use super::{Context, Flags, Format, Rounding, Value, is_negative, nan, sign_bit, unpack};

/// An exact number that is not zero: `significand * 2^exponent`.
#[derive(Clone, Copy)]
struct Exact {
    is_negative: bool,
    significand: u128,
    exponent: i32,
}

/// Bits that a sum may take.
const WIDTH: u32 = 126;

/// `a + b`.
pub fn add<F: Format>(a: u64, b: u64, context: &mut Context) -> u64 {
    let (x, y) = (unpack::<F>(a), unpack::<F>(b));
    if let Some(result) = nan::<F>(&[x, y], context) {
        return result;
    }
    let signs = [is_negative::<F>(a), is_negative::<F>(b)];
    match (x, y) {
        (Value::Infinite, Value::Infinite) if signs[0] != signs[1] => context.invalid::<F>(),
        (Value::Infinite, _) => a,
        (_, Value::Infinite) => b,
        (Value::Zero, Value::Zero) => sign_of_zero::<F>(signs, context),
        (Value::Zero, _) => b,
        (_, Value::Zero) => a,
        (Value::Finite { significand: m, exponent: i }, Value::Finite { significand: n, exponent: j }) => {
            let first = Exact { is_negative: signs[0], significand: m.into(), exponent: i };
            let second = Exact { is_negative: signs[1], significand: n.into(), exponent: j };
            sum::<F>(first, second, context)
        }
        _ => unreachable!("no number was handled before"),
    }
}

/// The sum of two zeros, or of two numbers that cancel out (IEEE 754, 6.3).
fn sign_of_zero<F: Format>(signs: [bool; 2], context: &Context) -> u64 {
    match signs[0] == signs[1] {
        true => sign_bit::<F>(signs[0]),
        false => sign_bit::<F>(context.rounding == Rounding::Down),
    }
}

/// The exact sum, rounded. Where exponents are too far apart, the smaller number is a last bit of the larger: both have all bits of the
/// format at least, so no cancellation brings that bit near to those that stay.
fn sum<F: Format>(a: Exact, b: Exact, context: &mut Context) -> u64 {
    let (high, low) = if a.exponent >= b.exponent { (a, b) } else { (b, a) };
    let distance = (high.exponent - low.exponent) as u32;
    let room = WIDTH - (128 - high.significand.leading_zeros());
    let shift = distance.min(room);
    let exponent = high.exponent - shift as i32;
    let significand = high.significand << shift;
    let lost = distance - shift;
    let smaller = match lost {
        0 => low.significand,
        1..=127 => low.significand >> lost | u128::from(low.significand & ((1 << lost) - 1) != 0),
        _ => 1,
    };
    if a.is_negative == b.is_negative {
        return round::<F>(a.is_negative, exponent, significand + smaller, context);
    }
    match significand.cmp(&smaller) {
        std::cmp::Ordering::Equal => sign_of_zero::<F>([false, true], context),
        std::cmp::Ordering::Greater => round::<F>(high.is_negative, exponent, significand - smaller, context),
        std::cmp::Ordering::Less => round::<F>(low.is_negative, exponent, smaller - significand, context),
    }
}

/// `a * b`.
pub fn multiply<F: Format>(a: u64, b: u64, context: &mut Context) -> u64 {
    let (x, y) = (unpack::<F>(a), unpack::<F>(b));
    if let Some(result) = nan::<F>(&[x, y], context) {
        return result;
    }
    let is_negative = is_negative::<F>(a ^ b);
    match (x, y) {
        (Value::Infinite, Value::Zero) | (Value::Zero, Value::Infinite) => context.invalid::<F>(),
        (Value::Infinite, _) | (_, Value::Infinite) => sign_bit::<F>(is_negative) | F::INFINITY,
        (Value::Finite { significand: m, exponent: i }, Value::Finite { significand: n, exponent: j }) => {
            round::<F>(is_negative, i + j, u128::from(m) * u128::from(n), context)
        }
        _ => sign_bit::<F>(is_negative),
    }
}

/// `a / b`.
pub fn divide<F: Format>(a: u64, b: u64, context: &mut Context) -> u64 {
    let (x, y) = (unpack::<F>(a), unpack::<F>(b));
    if let Some(result) = nan::<F>(&[x, y], context) {
        return result;
    }
    let is_negative = is_negative::<F>(a ^ b);
    let sign = sign_bit::<F>(is_negative);
    match (x, y) {
        (Value::Infinite, Value::Infinite) | (Value::Zero, Value::Zero) => context.invalid::<F>(),
        (Value::Infinite, _) => sign | F::INFINITY,
        (Value::Zero, _) | (_, Value::Infinite) => sign,
        (_, Value::Zero) => {
            context.flags.raise(Flags::DIVIDE_BY_ZERO);
            sign | F::INFINITY
        }
        (Value::Finite { significand: m, exponent: i }, Value::Finite { significand: n, exponent: j }) => {
            // Both have as many bits, so the quotient has at least as many as it is shifted by.
            let shift = F::FRACTION + 4;
            let (dividend, divisor) = (u128::from(m) << shift, u128::from(n));
            let (quotient, rest) = (dividend / divisor, dividend % divisor);
            round::<F>(is_negative, i - j - shift as i32 - 1, quotient << 1 | u128::from(rest != 0), context)
        }
        _ => unreachable!("no number was handled before"),
    }
}

/// The square root of `a`.
pub fn square_root<F: Format>(a: u64, context: &mut Context) -> u64 {
    let x = unpack::<F>(a);
    if let Some(result) = nan::<F>(&[x], context) {
        return result;
    }
    match x {
        Value::Zero => a,
        _ if is_negative::<F>(a) => context.invalid::<F>(),
        Value::Finite { significand, exponent } => {
            // An even exponent, and a radicand of more than twice as many bits as the root needs.
            let shift = F::FRACTION + 6 + ((exponent + F::FRACTION as i32) & 1) as u32;
            let radicand = u128::from(significand) << shift;
            let root = radicand.isqrt();
            let exponent = (exponent - shift as i32) / 2;
            round::<F>(false, exponent - 1, root << 1 | u128::from(root * root != radicand), context)
        }
        _ => a,
    }
}

/// `a * b + c`, rounded once.
pub fn fused<F: Format>(a: u64, b: u64, c: u64, context: &mut Context) -> u64 {
    let (x, y, z) = (unpack::<F>(a), unpack::<F>(b), unpack::<F>(c));
    let is_product_negative = is_negative::<F>(a ^ b);
    let is_invalid = matches!((x, y), (Value::Infinite, Value::Zero) | (Value::Zero, Value::Infinite));
    if is_invalid {
        // Also where the summand is no number (12.6).
        return context.invalid::<F>();
    }
    if let Some(result) = nan::<F>(&[x, y, z], context) {
        return result;
    }
    let signs = [is_product_negative, is_negative::<F>(c)];
    let is_infinite = x == Value::Infinite || y == Value::Infinite;
    match (x, y, z) {
        (_, _, Value::Infinite) if is_infinite && signs[0] != signs[1] => context.invalid::<F>(),
        _ if is_infinite => sign_bit::<F>(signs[0]) | F::INFINITY,
        (_, _, Value::Infinite) => c,
        (Value::Finite { significand: m, exponent: i }, Value::Finite { significand: n, exponent: j }, _) => {
            let product =
                Exact { is_negative: signs[0], significand: u128::from(m) * u128::from(n), exponent: i + j };
            match z {
                Value::Finite { significand, exponent } => {
                    let summand = Exact { is_negative: signs[1], significand: significand.into(), exponent };
                    sum::<F>(product, summand, context)
                }
                _ => round::<F>(signs[0], product.exponent, product.significand, context),
            }
        }
        (_, _, Value::Zero) => sign_of_zero::<F>(signs, context),
        _ => c,
    }
}
