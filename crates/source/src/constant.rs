//! Constants: exact, and readable where that is possible.

use crate::dialect::Dialect;
use volvelle_kernel::{Const, Type};

/// A literal of the type (integers narrower than 32 bits: an `int` of that value), and whether it begins with a sign.
/// `bits` builds floats that have no literal.
pub(crate) fn literal(dialect: Dialect, c: Const) -> (String, bool) {
    match c.ty {
        Type::Bool => ((c.bits != 0).to_string(), false),
        Type::U32 => (unsigned(dialect, c.bits, 32), false),
        Type::U64 => (unsigned(dialect, c.bits, 64), false),
        Type::F64 => f64_literal(dialect, f64::from_bits(c.bits)),
        Type::F32 => f32_literal(dialect, f32::from_bits(c.bits as u32)),
        Type::I64 => signed(c.bits as i64, i64::MIN, dialect.long_suffix()),
        Type::I32 => signed(c.bits as i64, i32::MIN.into(), ""),
        _ => signed(c.bits as i64, i64::MIN, ""),
    }
}

/// An unsigned literal of 32 or 64 bits.
pub(crate) fn unsigned(dialect: Dialect, value: u64, bits: u32) -> String {
    let suffix = if bits == 64 { format!("U{}", dialect.long_suffix()) } else { "u".to_owned() };
    // Masks and multipliers of random number generators are read in hexadecimal, round numbers are not.
    let is_round = value.is_multiple_of(100) && value.trailing_zeros() < 16;
    if value > 0xffff && !is_round { format!("{value:#x}{suffix}") } else { format!("{value}{suffix}") }
}

/// The smallest number of a type has no literal.
fn signed(value: i64, least: i64, suffix: &str) -> (String, bool) {
    if value == least && value != 0 {
        (format!("(-{}{suffix} - 1{suffix})", (value + 1).unsigned_abs()), false)
    } else {
        (format!("{value}{suffix}"), value < 0)
    }
}

fn f64_literal(dialect: Dialect, value: f64) -> (String, bool) {
    if !value.is_finite() {
        // Which NaN it is may matter to a reader of the stored bits.
        return (format!("f64_of_bits({})", hexadecimal(dialect, value.to_bits(), 64)), false);
    }
    let decimal = format!("{value:?}");
    let text = if decimal.len() <= 12 { decimal } else { hex_f64(value) };
    (text, value.is_sign_negative())
}

fn f32_literal(dialect: Dialect, value: f32) -> (String, bool) {
    if !value.is_finite() {
        return (format!("f32_of_bits({})", hexadecimal(dialect, value.to_bits().into(), 32)), false);
    }
    let decimal = format!("{value:?}");
    let text = if decimal.len() <= 9 { decimal } else { hex_f64(value.into()) };
    (text + "f", value.is_sign_negative())
}

fn hexadecimal(dialect: Dialect, bits: u64, width: u32) -> String {
    if width == 64 { format!("{bits:#x}U{}", dialect.long_suffix()) } else { format!("{bits:#x}u") }
}

/// A finite number as a hexadecimal floating-point constant of C99.
pub(crate) fn hex_f64(value: f64) -> String {
    let bits = value.to_bits();
    let (sign, fraction) = (if bits >> 63 == 1 { "-" } else { "" }, bits & ((1 << 52) - 1));
    let exponent = (bits >> 52 & 0x7ff) as i32;
    let (lead, exponent) = match (exponent, fraction) {
        (0, 0) => (0, 0),
        (0, _) => (0, -1022),
        _ => (1, exponent - 1023),
    };
    let digits = format!("{fraction:013x}");
    let digits = digits.trim_end_matches('0');
    let point = if digits.is_empty() { "" } else { "." };
    format!("{sign}0x{lead}{point}{digits}p{exponent:+}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(c: Const) -> String {
        literal(Dialect::Cuda, c).0
    }

    #[test]
    fn integers() {
        assert_eq!(of(Const::int(Type::I32, -7)), "-7");
        assert_eq!(of(Const::int(Type::I32, i32::MIN.into())), "(-2147483647 - 1)");
        assert_eq!(of(Const::i64(i64::MIN)), "(-9223372036854775807LL - 1LL)");
        assert_eq!(of(Const::int(Type::I8, -128)), "-128");
        assert_eq!(of(Const::int(Type::U8, 200)), "200");
        assert_eq!(of(Const::u64(1_000_000)), "1000000ULL");
        assert_eq!(of(Const::int(Type::U32, 0xd251_1f53)), "0xd2511f53u");
    }

    #[test]
    fn floats() {
        assert_eq!(of(Const::f64(0.1)), "0.1");
        assert_eq!(of(Const::f64(-0.0)), "-0.0");
        assert_eq!(of(Const::f64(1e300)), "1e300");
        assert_eq!(of(Const::f64(1.0 / 3.0)), "0x1.5555555555555p-2");
        assert_eq!(of(Const::f64(f64::MAX)), "0x1.fffffffffffffp+1023");
        assert_eq!(of(Const::f64(f64::from_bits(0x123_4567_89ab))), "0x0.00123456789abp-1022");
        assert_eq!(of(Const::f64(f64::INFINITY)), "f64_of_bits(0x7ff0000000000000ULL)");
        assert_eq!(of(Const::f32(0.5)), "0.5f");
        assert_eq!(of(Const::f32(1.0 / 3.0)), "0x1.555556p-2f");
    }
}
