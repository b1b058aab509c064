//! Inverse roots from products and sums. Where many lanes run at once, these are faster than a division and a
//! root.
//!
//! The first approximation halves the exponent by an integer operation (as in C. Lomont, *Fast inverse square
//! root*, 2003): `y` with a relative error below 3.5 %. With `t = x y^2 - 1`, exactly
//! `x^(-1/2) = y (1 + t)^(-1/2)`. A first step multiplies `y` by a quadratic polynomial in `t` whose
//! coefficients minimize the largest relative error: 2.5e-5. A second step takes the Taylor series of
//! `(1 + t)^(-1/2)` or `(1 + t)^(-3/2)` up to `t^3`, whose remainder is below 2e-17. IEEE 754 defines all
//! operations exactly, so the bits are the same on all devices.

use super::{Number, Writer};

/// The least `x`: below it, the cube of its inverse root overflows. The greatest `x` is its inverse.
pub(crate) const SMALLEST_SQUARE: f64 = 1e-180;

/// The bits of 1.0, one and a half times, less a correction.
const HALVED: u64 = 0x5fe6_eb50_c7b5_37a9;

/// Coefficients of the first step.
const FIRST: [f64; 3] = [1.000_000_22, -0.501_095_9, 0.375_499_48];

/// `(1 + t)^(-1/2)`.
const ROOT: [f64; 4] = [1.0, -0.5, 0.375, -0.3125];

/// `(1 + t)^(-3/2)`.
const CUBE: [f64; 4] = [1.0, -1.5, 1.875, -2.1875];

/// An approximation `y` with an error of 2.5e-5, its square, and `x y^2 - 1`.
fn approximation<'w>(writer: &'w Writer, x: Number<'w>) -> [Number<'w>; 3] {
    let minus_one = writer.constant(-1.0);
    let y = writer.keep((writer.count(HALVED) - x.bits().shifted_right(1)).as_bits());
    let t = writer.keep(x.mul_add(y * y, minus_one));
    let y = writer.keep(y * t.polynomial(&FIRST));
    let square = writer.keep(y * y);
    [y, square, writer.keep(x.mul_add(square, minus_one))]
}

/// `x^(-1/2)`, with a relative error below 4e-16.
pub(crate) fn inverse_root<'w>(writer: &'w Writer, x: Number<'w>) -> Number<'w> {
    let [y, _, t] = approximation(writer, x);
    y * t.polynomial(&ROOT)
}

/// `x^(-3/2)`, with a relative error below 7e-16.
pub(crate) fn inverse_cube<'w>(writer: &'w Writer, x: Number<'w>) -> Number<'w> {
    let [y, square, t] = approximation(writer, x);
    square * y * t.polynomial(&CUBE)
}

/// `factor x^(-3/2)`, with a relative error below 8e-16. The product with the factor does not have to wait
/// for the polynomial.
pub(crate) fn times_inverse_cube<'w>(writer: &'w Writer, factor: Number<'w>, x: Number<'w>) -> Number<'w> {
    let [y, square, t] = approximation(writer, x);
    square * y * factor * t.polynomial(&CUBE)
}
