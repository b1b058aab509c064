//! The rounding model: how floating-point error enters every bound that this crate gives.
//!
//! *Arithmetic.* IEEE 754 binary64, round to nearest: each `+ - * /` on normal numbers is exact up to a
//! factor `1 + d` with `|d| <= U = 2^-53`. Nearly everything here adds, multiplies and divides
//! non-negative numbers, so errors stay *relative*: k operations in a row cost a factor within
//! `(1 - U)^k ..= (1 + U)^k`, which [`slack`] bounds. Where numbers are subtracted, the place says how
//! it accounts for it.
//!
//! *Input.* A number on a transition is the double nearest to a rational, or computed from such doubles: it is off by
//! at most [`Options::input`](crate::Options) relatively, which is [`INPUT`] unless the model computes more (as exploration
//! tells). Rewards have errors of their own ([`volvelle_space::Accuracy`]), which the evaluator adds. Rows are meant to sum to one exactly:
//! the stored diagonal entry is ignored, and `sum of the other entries` is used in place of
//! `1 - diagonal`.
//!
//! *Why relative input errors are harmless.* Take a chain with n transient states and let every
//! off-diagonal entry and reward change by a factor within `1 - e ..= 1 + e`. By the matrix-tree theorem
//! absorption probabilities and expected rewards are quotients of sums of products of entries, all
//! signs positive, one factor per transient state in each product; so the quotient changes by a factor
//! within `((1 - e) / (1 + e))^n ..= ((1 + e) / (1 - e))^n`, however badly the chain mixes. If only the
//! entries of k rows change, the exponent is k. (C. O'Cinneide, *Entrywise perturbation theory and error
//! analysis for Markov chains*, Numer. Math. 65, 1993.) The same holds for an optimum over schedulers,
//! because it holds for each memoryless scheduler.
//!
//! *Underflow.* Products below the normal range lose relative precision. Each algorithm either notices
//! and gives up, or widens its result by [`TINY`], which is far above what underflow can have cost.

/// Unit roundoff of binary64.
pub const U: f64 = f64::EPSILON / 2.0;

/// Least relative error that is assumed of the probabilities and rates in a `Space`.
pub const INPUT: f64 = 2.0 * U;

/// Absolute widening that covers underflow.
pub const TINY: f64 = 1e-290;

/// Upper bound of `(1 + U)^ops - 1` and of `1 - (1 - U)^ops`.
#[inline]
pub fn slack(ops: usize) -> f64 {
    relative(ops as f64 * U)
}

/// Upper bound of `exp(sum) - 1` and of `1 - exp(-sum)` for a sum of first-order relative errors.
/// Infinite if the sum is so large that it gives no bound.
#[inline]
pub fn relative(sum: f64) -> f64 {
    if sum < 0.25 { sum * (1.0 + sum) * (1.0 + 8.0 * U) } else { f64::INFINITY }
}

/// `value`, known up to the relative error `error`, as a lower bound.
#[inline]
pub fn below(value: f64, error: f64) -> f64 {
    // What is no number is known to be above nothing.
    if value.is_nan() || value <= 0.0 || error.is_nan() || error >= 1.0 {
        return 0.0;
    }
    (value.min(f64::MAX) * (1.0 - error) * (1.0 - 4.0 * U) - TINY).max(0.0)
}

/// `value`, known up to the relative error `error`, as an upper bound.
#[inline]
pub fn above(value: f64, error: f64) -> f64 {
    if value == 0.0 {
        // Zero times an error without a bound is not a number.
        return TINY;
    }
    if value.is_nan() || error.is_nan() {
        return f64::INFINITY;
    }
    value * (1.0 + error) * (1.0 + 4.0 * U) + TINY
}

/// Sum of non-negative numbers with a relative error of at most `2 U` (Neumaier's compensation).
#[derive(Clone, Copy, Debug, Default)]
pub struct Sum {
    high: f64,
    low: f64,
}

impl Sum {
    /// Adds a number.
    #[inline]
    pub fn add(&mut self, value: f64) {
        let sum = self.high + value;
        self.low += if self.high.abs() >= value.abs() {
            (self.high - sum) + value
        } else {
            (value - sum) + self.high
        };
        self.high = sum;
    }

    /// The sum times a power of two.
    #[must_use]
    #[inline]
    pub fn times(self, power: f64) -> Self {
        Sum { high: self.high * power, low: self.low * power }
    }

    /// Whether nothing was rounded away.
    #[inline]
    pub fn is_exact(self) -> bool {
        self.low == 0.0
    }

    /// The sum so far.
    #[inline]
    pub fn value(self) -> f64 {
        self.high + self.low
    }
}

/// First-order relative error of [`Sum::value`] for fewer than 2^40 non-negative terms.
pub const SUM_ERROR: f64 = 2.0 * U;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slack_covers_the_product() {
        for ops in [0usize, 1, 10, 1_000_000] {
            let exact = (ops as f64 * (1.0 + U).ln_1p()).abs();
            assert!(slack(ops) >= ops as f64 * U, "{ops} {exact}");
        }
        assert_eq!(relative(0.3), f64::INFINITY);
    }

    #[test]
    fn compensated_sum_keeps_small_terms() {
        let mut sum = Sum::default();
        sum.add(1.0);
        for _ in 0..1_000_000 {
            sum.add(1e-17);
        }
        assert!((sum.value() - (1.0 + 1e-11)).abs() <= 2.0 * U);
    }

    #[test]
    fn bounds_enclose() {
        for v in [0.0, 1e-300, 0.3, 7e90] {
            assert!(below(v, 0.0) <= v && v <= above(v, 0.0));
            assert!(below(v, 1e-9) <= v * (1.0 - 1e-9) && v * (1.0 + 1e-9) <= above(v, 1e-9));
        }
        assert_eq!(below(1.0, f64::INFINITY), 0.0);
        let nan = f64::NAN;
        assert_eq!(
            [below(nan, 0.0), below(1.0, nan), above(nan, 0.0), above(1.0, nan)],
            [0.0, 0.0, f64::INFINITY, f64::INFINITY]
        );
        assert_eq!((above(1.0, f64::INFINITY), above(0.0, f64::INFINITY)), (f64::INFINITY, TINY));
    }
}
