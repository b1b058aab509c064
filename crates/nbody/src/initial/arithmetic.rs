//! Functions that round the same on every machine: arithmetic, square roots, and the logarithms of the crate
//! `volvelle-streams`.

use volvelle_streams::plain::{exp, log_of_normal};

/// `x` to the power of `exponent`, for a positive normal `x`.
pub fn power(x: f64, exponent: f64) -> f64 {
    exp(exponent * log_of_normal(x))
}

/// The natural logarithm of a positive normal number.
pub fn ln(x: f64) -> f64 {
    log_of_normal(x)
}

/// e^x.
pub fn e_to(x: f64) -> f64 {
    exp(x)
}

/// The arc sine of a number from 0 to 1: the angle is halved three times, then its power series is summed.
pub fn arc_sine(x: f64) -> f64 {
    let mut small = x.clamp(0.0, 1.0);
    for _ in 0..3 {
        small /= (2.0 * (1.0 + ((1.0 - small) * (1.0 + small)).sqrt())).sqrt();
    }
    // Coefficients of the series follow from each other: (2n-1)^2 / (2n (2n+1)). The argument is at most sin(pi/16) = 0.195.
    let square = small * small;
    let (mut term, mut sum) = (small, small);
    for n in 1..14 {
        let n = f64::from(n);
        term *= square * (2.0 * n - 1.0) * (2.0 * n - 1.0) / (2.0 * n * (2.0 * n + 1.0));
        sum += term;
    }
    8.0 * sum
}

/// Cosine and sine of an angle in degrees, by their power series.
pub fn cosine_and_sine(degrees: f64) -> [f64; 2] {
    // From -180 to 180, exactly.
    let mut rest = degrees % 360.0;
    if rest.abs() > 180.0 {
        rest -= 360.0_f64.copysign(rest);
    }
    let angle = rest / 180.0 * std::f64::consts::PI;
    let square = angle * angle;
    let (mut cosine, mut sine) = ((1.0, 1.0), (angle, angle));
    for n in 1..18 {
        let n = f64::from(2 * n);
        cosine.0 *= -square / (n * (n - 1.0));
        cosine.1 += cosine.0;
        sine.0 *= -square / (n * (n + 1.0));
        sine.1 += sine.0;
    }
    [cosine.1, sine.1]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_those_of_the_library() {
        for i in 0..=1000 {
            let x = f64::from(i) / 1000.0;
            assert!((arc_sine(x) - x.asin()).abs() < 2e-15, "{x}");
            let degrees = 900.0 * (x - 0.5);
            let [cosine, sine] = cosine_and_sine(degrees);
            let expected = degrees.to_radians();
            assert!((cosine - expected.cos()).abs() < 1e-14, "{degrees}");
            assert!((sine - expected.sin()).abs() < 1e-14, "{degrees}");
            assert!((power(x + 0.01, -2.0 / 3.0) / (x + 0.01).powf(-2.0 / 3.0) - 1.0).abs() < 1e-14);
        }
    }
}
