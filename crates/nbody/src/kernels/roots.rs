//! Inverse roots from products and sums, which are faster than a division and a root where many lanes run at once.
//!
//! The first approximation takes half of the exponent by an integer operation (as in C. Lomont, *Fast inverse square root*, 2003): `y` with a
//! relative error below 3.5 %. With `t = x y^2 - 1`, exactly `x^(-1/2) = y (1 + t)^(-1/2)`. A first step multiplies `y` with a quadratic
//! polynomial in `t`, the coefficients of which make the largest relative error as small as they can: 2.5e-5. A second step takes the
//! Taylor series of `(1 + t)^(-1/2)` or `(1 + t)^(-3/2)` up to `t^3`, the rest of which is below 2e-17. All operations are exact by IEEE 754,
//! so that the bits are the same on all devices.

use super::{Number, Writer};

/// `x` must be at least this, or the cube of its inverse root is no number; and at most its inverse.
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

/// `factor x^(-3/2)`, with a relative error below 8e-16. The factor is multiplied while the polynomial is not known yet.
pub(crate) fn times_inverse_cube<'w>(writer: &'w Writer, factor: Number<'w>, x: Number<'w>) -> Number<'w> {
    let [y, square, t] = approximation(writer, x);
    square * y * factor * t.polynomial(&CUBE)
}
