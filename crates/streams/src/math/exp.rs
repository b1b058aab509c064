//! The exponential function.
//!
//! `x = k ln 2 + r` with `|r| <= ln 2 / 2`; `e^r = 1 + r + r c / (2 − c)` with `c = r − r² P(r²)`, `P` a polynomial of
//! degree 4; and `e^x = 2^k e^r`.

use super::{BIAS, LN2_HIGH, LN2_LOW, MANTISSA_BITS};
use crate::build::Build;
use volvelle_kernel::{BinaryOp, ExprId, Exprs, Type, UnaryOp};

/// Coefficients of `P`.
const P: [f64; 5] = [
    f64::from_bits(0x3fc5_5555_5555_553e),
    f64::from_bits(0xbf66_c16c_16be_bd93),
    f64::from_bits(0x3f11_566a_af25_de2c),
    f64::from_bits(0xbebb_bd41_c5d2_6bf1),
    f64::from_bits(0x3e66_3769_72be_a4d0),
];
/// 1 / ln 2.
const INVERSE_LN2: f64 = f64::from_bits(0x3ff7_1547_652b_82fe);

/// Above, the result is infinite; below [`LEAST`], zero.
const MOST: f64 = f64::from_bits(0x4086_2e42_fefa_39ef);
/// See [`MOST`].
const LEAST: f64 = f64::from_bits(0xc087_4910_d52d_3051);

/// High words of |x| at which the computation changes: from 1.5 ln 2 on k is found by rounding, from 0.5 ln 2
/// on k is ±1, up to 2^-28 the result is 1 + x.
const ROUNDED: u64 = 0x3ff0_a2b2;
const NOT_ZERO: u64 = 0x3fd6_2e42;
const NOT_TINY: u64 = 0x3e30_0000;

/// A float to which an integer may be added in its last bits: 1.5 · 2^52.
const LARGE: f64 = (3u64 << (MANTISSA_BITS - 1)) as f64;

/// 2^1023 and 2^−969: scales for exponents k for which 2^k is not representable.
const LARGE_SCALE: f64 = f64::from_bits(0x7fe0 << 48);
const SMALL_SCALE: f64 = f64::from_bits((BIAS - 969) << MANTISSA_BITS);

/// e^x, for any x.
pub fn plain_exp(x: f64) -> f64 {
    if x > MOST {
        return f64::INFINITY;
    }
    if x < LEAST {
        return 0.0;
    }
    if x.is_nan() {
        return f64::from_bits(0x7ff8 << 48);
    }
    let high = (x.to_bits() & !(1 << 63)) >> 32;
    if high <= NOT_TINY {
        return 1.0 + x;
    }
    let signed = |value: f64| if x < 0.0 { -value } else { value };
    let k = match high {
        ROUNDED.. => (INVERSE_LN2 * x + signed(0.5)).trunc(),
        _ if high > NOT_ZERO => signed(1.0),
        _ => 0.0,
    };
    let (main, rest) = (x - k * LN2_HIGH, k * LN2_LOW);
    let r = main - rest;
    let square = r * r;
    let c = r - square * (P[0] + square * (P[1] + square * (P[2] + square * (P[3] + square * P[4]))));
    let y = 1.0 + (r * c / (2.0 - c) - rest + main);
    let (scale, covered) = match k {
        1024.0.. => (LARGE_SCALE, 1023.0),
        ..-1022.0 => (SMALL_SCALE, -969.0),
        _ => (1.0, 0.0),
    };
    let exponent = ((k - covered) + LARGE).to_bits().wrapping_add(BIAS);
    y * scale * f64::from_bits(exponent << MANTISSA_BITS)
}

/// e^x of any `x` (`f64`).
pub fn exp(exprs: &mut Exprs, x: ExprId) -> ExprId {
    let b = &mut Build(exprs);
    let high = {
        let size = b.0.unary(UnaryOp::Abs, x);
        let bits = b.0.reinterpret(Type::U64, size);
        b.shr(bits, 32)
    };
    let at_least = |b: &mut Build<'_>, bound: u64| {
        let bound = b.u64(bound);
        b.0.binary(BinaryOp::Ge, high, bound)
    };
    let (zero, one) = (b.f64(0.0), b.f64(1.0));
    let negative = b.less(x, zero);
    let signed = |b: &mut Build<'_>, value: f64| {
        let (minus, plus) = (b.f64(-value), b.f64(value));
        b.0.select(negative, minus, plus)
    };

    let k = {
        let (inverse, half, unit) = (b.f64(INVERSE_LN2), signed(b, 0.5), signed(b, 1.0));
        let product = b.mul(inverse, x);
        let sum = b.add(product, half);
        let rounded = b.0.unary(UnaryOp::Trunc, sum);
        let (large, some) = (at_least(b, ROUNDED), at_least(b, NOT_ZERO + 1));
        let small = b.0.select(some, unit, zero);
        b.0.select(large, rounded, small)
    };
    let (main, rest) = {
        let (ln2_high, ln2_low) = (b.f64(LN2_HIGH), b.f64(LN2_LOW));
        let multiple = b.mul(k, ln2_high);
        (b.sub(x, multiple), b.mul(k, ln2_low))
    };
    let r = b.sub(main, rest);
    let square = b.mul(r, r);
    let polynomial = {
        let last = b.f64(P[4]);
        P[..4].iter().rev().fold(last, |inner, &coefficient| {
            let (coefficient, product) = (b.f64(coefficient), b.mul(square, inner));
            b.add(coefficient, product)
        })
    };
    let product = b.mul(square, polynomial);
    let c = b.sub(r, product);
    let y = {
        let (two, product) = (b.f64(2.0), b.mul(r, c));
        let divisor = b.sub(two, c);
        let quotient = b.div(product, divisor);
        let difference = b.sub(quotient, rest);
        let sum = b.add(difference, main);
        b.add(one, sum)
    };
    let usual = scaled(b, y, k);

    let (tiny_bound, tiny_result) = (at_least(b, NOT_TINY + 1), b.add(one, x));
    let finite = b.0.select(tiny_bound, usual, tiny_result);
    let (most, least) = (b.f64(MOST), b.f64(LEAST));
    let (not_above, not_below) = (b.0.binary(BinaryOp::Le, x, most), b.0.binary(BinaryOp::Ge, x, least));
    let within = b.0.and(not_above, not_below);
    let (above, below) = (b.less(most, x), b.less(x, least));
    let (infinite, nan) = (b.f64(f64::INFINITY), b.f64(f64::from_bits(0x7ff8 << 48)));
    let low = b.0.select(below, zero, nan);
    let special = b.0.select(above, infinite, low);
    b.0.select(within, finite, special)
}

/// `y · 2^k`, with at most one rounding.
fn scaled(b: &mut Build<'_>, y: ExprId, k: ExprId) -> ExprId {
    let (most, least) = (b.f64(BIAS as f64), b.f64(-1022.0));
    let (above, below) = (b.less(most, k), b.less(k, least));
    let choose = |b: &mut Build<'_>, large: f64, small: f64, usual: f64| {
        let (large, small, usual) = (b.f64(large), b.f64(small), b.f64(usual));
        let low = b.0.select(below, small, usual);
        b.0.select(above, large, low)
    };
    let scale = choose(b, LARGE_SCALE, SMALL_SCALE, 1.0);
    let covered = choose(b, 1023.0, -969.0, 0.0);
    let (large, bias) = (b.f64(LARGE), b.u64(BIAS));
    let left = b.sub(k, covered);
    let sum = b.add(left, large);
    let bits = b.0.reinterpret(Type::U64, sum);
    let biased = b.add(bits, bias);
    let power = b.shl(biased, MANTISSA_BITS);
    let power = b.0.reinterpret(Type::F64, power);
    let prepared = b.mul(y, scale);
    b.mul(prepared, power)
}
