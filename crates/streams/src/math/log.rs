//! The natural logarithm.
//!
//! `x = 2^k (1 + f)` with `1 + f` between √½ and √2; with `s = f / (2 + f)`,
//! `ln(1 + f) = f − f²/2 + s (f²/2 + R(s²))`, `R` a polynomial of degree 7; and `ln x = k ln 2 + ln(1 + f)`.

use super::{BIAS, LN2_HIGH, LN2_LOW, MANTISSA_BITS};
use crate::build::{Build, set};
use volvelle_kernel::{BinaryOp, Block, ExprId, Exprs, Kernel, Local, Type};

/// Coefficients of `R`, the first one of `s²`.
const R: [f64; 7] = [
    f64::from_bits(0x3fe5_5555_5555_5593),
    f64::from_bits(0x3fd9_9999_9997_fa04),
    f64::from_bits(0x3fd2_4924_9422_9359),
    f64::from_bits(0x3fcc_71c5_1d8e_78af),
    f64::from_bits(0x3fc7_4664_96cb_03de),
    f64::from_bits(0x3fc3_9a09_d078_c69f),
    f64::from_bits(0x3fc2_f112_df3e_5244),
];

/// High words of 1 and of about √½, in place.
const ONE: u64 = 0x3ff0_0000 << 32;
const SQRT_HALF: u64 = 0x3fe6_a09e << 32;
const MANTISSA: u64 = (1 << MANTISSA_BITS) - 1;
/// 2^52: the last bit of such a float counts ones.
const LARGE: f64 = (1u64 << MANTISSA_BITS) as f64;

/// The logarithm of a positive, finite normal number; an arbitrary number or NaN for anything else.
pub fn plain_log_of_normal(x: f64) -> f64 {
    let shifted = x.to_bits().wrapping_add(ONE - SQRT_HALF);
    let f = f64::from_bits((shifted & MANTISSA).wrapping_add(SQRT_HALF)) - 1.0;
    let k = f64::from_bits(shifted >> MANTISSA_BITS | LARGE.to_bits()) - (LARGE + BIAS as f64);
    let s = f / (2.0 + f);
    let z = s * s;
    let w = z * z;
    let odd = z * (R[0] + w * (R[2] + w * (R[4] + w * R[6])));
    let even = w * (R[1] + w * (R[3] + w * R[5]));
    let half_square = 0.5 * f * f;
    s * (half_square + (odd + even)) + k * LN2_LOW - half_square + f + k * LN2_HIGH
}

/// The logarithm of `x` (`f64`) if that is a positive, finite normal number; otherwise an arbitrary number or
/// NaN.
pub fn log_of_normal(exprs: &mut Exprs, x: ExprId) -> ExprId {
    reduced_log(&mut Build(exprs), x, |b| b.f64(LARGE + BIAS as f64))
}

/// The logarithm of any `x` (`f64`): −∞ of zero, NaN of negative numbers.
pub fn log(exprs: &mut Exprs, x: ExprId) -> ExprId {
    let b = &mut Build(exprs);
    // Subnormal numbers are scaled by 2^54.
    let (least, scale, zero, infinite) =
        (b.f64(f64::MIN_POSITIVE), b.f64((1u64 << 54) as f64), b.f64(0.0), b.f64(f64::INFINITY));
    let subnormal = b.less(x, least);
    let scaled = b.mul(x, scale);
    let normal = b.0.select(subnormal, scaled, x);
    let finite_log = reduced_log(b, normal, |b| {
        let (all, scaled) = (b.f64(LARGE + BIAS as f64), b.f64(LARGE + (BIAS + 54) as f64));
        b.0.select(subnormal, scaled, all)
    });
    let (positive, finite) = (b.less(zero, x), b.less(x, infinite));
    let usual = b.0.and(positive, finite);
    let is_zero = b.0.binary(BinaryOp::Eq, x, zero);
    let (least, nan) = (b.f64(f64::NEG_INFINITY), b.f64(f64::from_bits(0x7ff8 << 48)));
    let below = b.0.select(is_zero, least, nan);
    let special = b.0.select(positive, infinite, below);
    b.0.select(usual, finite_log, special)
}

/// The logarithm of a normal number; `bias` is the excess of its exponent, as a number in the last bits of
/// [`LARGE`].
fn reduced_log(b: &mut Build<'_>, x: ExprId, bias: impl FnOnce(&mut Build<'_>) -> ExprId) -> ExprId {
    let shifted = shifted(b, x);
    let bias = bias(b);
    let (f, k) = (fraction(b, shifted), exponent(b, shifted, bias));
    let s = quotient(b, f);
    let z = b.mul(s, s);
    let w = b.mul(z, z);
    combined(b, f, k, s, z, w)
}

/// The bits of `x`, such that mantissas from √2 on carry into the exponent.
fn shifted(b: &mut Build<'_>, x: ExprId) -> ExprId {
    let (bits, shift) = (b.0.reinterpret(Type::U64, x), b.u64(ONE - SQRT_HALF));
    b.add(bits, shift)
}

fn fraction(b: &mut Build<'_>, shifted: ExprId) -> ExprId {
    let (mask, back, one) = (b.u64(MANTISSA), b.u64(SQRT_HALF), b.f64(1.0));
    let mantissa = b.and(shifted, mask);
    let bits = b.add(mantissa, back);
    let number = b.0.reinterpret(Type::F64, bits);
    b.sub(number, one)
}

fn exponent(b: &mut Build<'_>, shifted: ExprId, bias: ExprId) -> ExprId {
    let (large, exponent) = (b.u64(LARGE.to_bits()), b.shr(shifted, MANTISSA_BITS));
    let bits = b.or(exponent, large);
    let number = b.0.reinterpret(Type::F64, bits);
    b.sub(number, bias)
}

/// `f / (2 + f)`.
fn quotient(b: &mut Build<'_>, f: ExprId) -> ExprId {
    let two = b.f64(2.0);
    let divisor = b.add(two, f);
    b.div(f, divisor)
}

/// `first + w · rest`.
fn horner(b: &mut Build<'_>, w: ExprId, first: f64, rest: ExprId) -> ExprId {
    let (first, product) = (b.f64(first), b.mul(w, rest));
    b.add(first, product)
}

fn combined(b: &mut Build<'_>, f: ExprId, k: ExprId, s: ExprId, z: ExprId, w: ExprId) -> ExprId {
    let last = b.f64(R[6]);
    let odd = [R[4], R[2], R[0]].into_iter().fold(last, |rest, first| horner(b, w, first, rest));
    let last = b.f64(R[5]);
    let even = [R[3], R[1]].into_iter().fold(last, |rest, first| horner(b, w, first, rest));
    let (odd, even) = (b.mul(z, odd), b.mul(w, even));
    let r = b.add(odd, even);
    let half = b.f64(0.5);
    let half_f = b.mul(half, f);
    let half_square = b.mul(half_f, f);
    let inner = b.add(half_square, r);
    let (low, high) = (b.f64(LN2_LOW), b.f64(LN2_HIGH));
    let mut sum = b.mul(s, inner);
    let k_low = b.mul(k, low);
    sum = b.add(sum, k_low);
    sum = b.sub(sum, half_square);
    sum = b.add(sum, f);
    let k_high = b.mul(k, high);
    b.add(sum, k_high)
}

/// Locals for the logarithm as statements: common subexpressions are computed once, since back ends assume
/// small code.
#[derive(Clone, Debug)]
pub(crate) struct LogLocals {
    shifted: Local,
    f: Local,
    k: Local,
    s: Local,
    z: Local,
    w: Local,
}

impl LogLocals {
    pub(crate) fn declare(mut local: impl FnMut(&str, Type) -> Local) -> Self {
        LogLocals {
            shifted: local("shifted_bits", Type::U64),
            f: local("f", Type::F64),
            k: local("k", Type::F64),
            s: local("s", Type::F64),
            z: local("z", Type::F64),
            w: local("w", Type::F64),
        }
    }

    /// As [`log_of_normal`].
    pub(crate) fn log_of_normal(&self, kernel: &mut Kernel, x: ExprId, into: Local) -> Block {
        let bits = kernel.get(self.shifted);
        let [f, k, s, z, w] = [self.f, self.k, self.s, self.z, self.w].map(|local| kernel.get(local));
        vec![
            set(kernel, self.shifted, |b| shifted(b, x)),
            set(kernel, self.f, |b| fraction(b, bits)),
            set(kernel, self.k, |b| {
                let bias = b.f64(LARGE + BIAS as f64);
                exponent(b, bits, bias)
            }),
            set(kernel, self.s, |b| quotient(b, f)),
            set(kernel, self.z, |b| b.mul(s, s)),
            set(kernel, self.w, |b| b.mul(z, z)),
            set(kernel, into, |b| combined(b, f, k, s, z, w)),
        ]
    }
}
