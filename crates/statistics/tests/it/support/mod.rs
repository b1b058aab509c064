//! Slow and obvious: binomial weights by adding one trial at a time, and random variables with known means.

use volvelle_random::Random;
use volvelle_statistics::Confidence;

/// The probabilities of 0, 1, ..., `n` successes. Sums of positive terms only, so that every weight is exact to many
/// digits.
pub fn binomial(n: usize, p: f64) -> Vec<f64> {
    let mut weights = vec![1.0];
    for _ in 0..n {
        let mut next = vec![0.0; weights.len() + 1];
        for (k, weight) in weights.iter().enumerate() {
            next[k] += weight * (1.0 - p);
            next[k + 1] += weight * p;
        }
        weights = next;
    }
    weights
}

/// A number strictly between 0 and 1.
pub fn uniform(random: &mut Random) -> f64 {
    ((random.bits() >> 11) as f64 + 0.5) / (1u64 << 53) as f64
}

/// Exponential with mean 1.
pub fn exponential(random: &mut Random) -> f64 {
    -uniform(random).ln()
}

/// In [0, 1], skewed to the left end: the fourth power of a uniform number, mean 1/5.
pub fn skewed(random: &mut Random) -> f64 {
    uniform(random).powi(4)
}

/// Standard normal, by the polar form of Box and Muller.
pub fn gaussian(random: &mut Random) -> f64 {
    (-2.0 * uniform(random).ln()).sqrt() * (std::f64::consts::TAU * uniform(random)).cos()
}

/// A confidence that exists.
pub fn level(value: f64) -> Confidence {
    Confidence::new(value).expect("between 0 and 1")
}

/// Asserts that two numbers agree up to a relative error.
#[track_caller]
pub fn close(found: f64, expected: f64, relative: f64) {
    let error = (found - expected).abs();
    assert!(
        error <= relative * expected.abs(),
        "{found:e} is not {expected:e}: off by {:e}",
        error / expected.abs()
    );
}
