//! The standard normal distribution.

use libm::erfc;
use statrs::function::erf::erfc_inv;
use std::f64::consts::{PI, SQRT_2};

/// The probability that a standard normal variable exceeds `z`. NaN for NaN.
pub fn upper_tail(z: f64) -> f64 {
    0.5 * erfc(z / SQRT_2)
}

/// The density at `z`.
pub fn density(z: f64) -> f64 {
    (-0.5 * z * z).exp() / (2.0 * PI).sqrt()
}

/// The point that a standard normal variable exceeds with probability `tail`: infinite for 0 and 1, NaN outside [0,
/// 1].
pub fn quantile_upper(tail: f64) -> f64 {
    if !(0.0..=1.0).contains(&tail) {
        return f64::NAN;
    }
    if tail == 0.0 {
        return f64::INFINITY;
    }
    if tail > 0.5 {
        // Exact: 1 - tail has no rounding for tails in [1/2, 1].
        return -quantile_upper(1.0 - tail);
    }
    SQRT_2 * erfc_inv(2.0 * tail)
}
