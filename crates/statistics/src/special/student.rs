//! Student's t distribution.

use super::beta::tails_between;
use super::{normal, smallest};

/// Degrees of freedom from which Hill's normalising transformation is exact to the last digits.
const HILL_FROM: f64 = 2000.0;

/// The probability that a t variable with `freedom` degrees of freedom exceeds `t`. NaN unless `freedom` is positive.
pub fn upper_tail(t: f64, freedom: f64) -> f64 {
    if t.is_nan() || freedom.is_nan() || freedom <= 0.0 {
        return f64::NAN;
    }
    if t < 0.0 {
        return 1.0 - upper_tail(-t, freedom);
    }
    if t.is_infinite() {
        return 0.0;
    }
    if freedom >= HILL_FROM {
        return normal::upper_tail(normalised(t, freedom));
    }
    let square = t * t;
    if square.is_infinite() {
        return 0.0;
    }
    let total = freedom + square;
    0.5 * tails_between(0.5 * freedom, 0.5, freedom / total, square / total).lower
}

/// The point that a t variable with `freedom` degrees of freedom exceeds with probability `tail`, to the last bits of
/// [`upper_tail`]. NaN outside [0, 1] or unless `freedom` is positive; infinite (or the largest float) for 0 and 1.
pub fn quantile_upper(tail: f64, freedom: f64) -> f64 {
    if !(0.0..=1.0).contains(&tail) || freedom.is_nan() || freedom <= 0.0 {
        return f64::NAN;
    }
    if tail > 0.5 {
        return -quantile_upper(1.0 - tail, freedom);
    }
    if tail == 0.0 {
        return f64::INFINITY;
    }
    if freedom.is_infinite() {
        return normal::quantile_upper(tail);
    }
    smallest(0.0, f64::MAX, |t| upper_tail(t, freedom) <= tail)
}

/// A normal variable with the same tail: G. W. Hill, *Algorithm 395: Student's t-distribution*, Comm. ACM 13 (1970).
fn normalised(t: f64, freedom: f64) -> f64 {
    if freedom.is_infinite() {
        return t;
    }
    let a = freedom - 0.5;
    let b = 48.0 * a * a;
    let ratio = t / freedom.sqrt();
    // ln(1 + t²/ν); for t beyond the square root of the largest float the 1 does not matter.
    let log = if ratio > 1e100 { 2.0 * ratio.ln() } else { (ratio * ratio).ln_1p() };
    let y = a * log;
    let correction = (((-0.4 * y - 3.3) * y - 24.0) * y - 85.5) / (0.8 * y * y + 100.0 + b);
    (((correction + y + 3.0) / b) + 1.0) * y.sqrt()
}
