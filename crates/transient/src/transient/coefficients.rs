//! Coefficients of a power series `sum_k c_k P^k x`: Poisson probabilities turn steps into time.
//!
//! Poisson probabilities are computed from the mode outwards by ratios, on any scale, and divided by
//! their sum, as in Fox and Glynn (Comm. ACM 31, 1988) and in D. N. Jansen, *Understanding Fox and Glynn*
//! (ICIS-R11001, 2011). No table of constants enters: both tails are bounded by geometric series from
//! the last weight computed. The window reaches down to weights of 1e-250 of the largest, so that
//! tiny results keep their relative precision; a series that needs less stops earlier.

use volvelle_solver::rounding::{SUM_ERROR, Sum, U};

/// Weights below this fraction of the largest are left out.
const CUT: f64 = 1e-250;

/// Expected events beyond this have no coefficients: numbers of events must differ as doubles.
const MOST_EVENTS: f64 = 1e14;

/// The sequence `c_0, c_1, …`, not negative.
#[derive(Clone, Debug)]
pub struct Coefficients {
    /// The step after the largest terms, at which to check whether the rest is needed.
    pub peak: u64,
    /// `c_k` for `k < window_start`.
    pub before: f64,
    /// First `k` of the window.
    pub window_start: u64,
    /// `c_k` from `window_start` on; zero (up to `beyond`) afterwards.
    pub window: Vec<f64>,
    /// Bound of the sum of all `c_k` left out: those after the window and those set to zero before it.
    pub left_out: f64,
    /// Relative error of each `c_k`.
    pub error: f64,
    /// The sum of the window.
    window_sum: f64,
}

impl Coefficients {
    /// The coefficients of `x` after exactly `k` steps.
    pub fn at(k: u64) -> Self {
        Coefficients {
            peak: k,
            before: 0.0,
            window_start: k,
            window: vec![1.0],
            left_out: 0.0,
            error: 0.0,
            window_sum: 1.0,
        }
    }

    /// The coefficients of the sum over the steps `0..count`.
    pub fn first(count: u64) -> Self {
        Coefficients {
            peak: count,
            before: 1.0,
            window_start: count,
            window: Vec::new(),
            left_out: 0.0,
            error: 0.0,
            window_sum: 0.0,
        }
    }

    /// Probabilities of `k` events of a Poisson process with the expectation `lambda`.
    pub fn poisson(lambda: f64) -> Self {
        if lambda <= 0.0 {
            return Coefficients::at(0);
        }
        if lambda.is_nan() || lambda > MOST_EVENTS {
            // Beyond this events are not counted one by one any more: nothing is known of any number of steps.
            let (left_out, error) = (1.0, f64::INFINITY);
            return Coefficients { left_out, error, ..Coefficients::at(0) };
        }
        let mode = lambda.floor();
        let mut down = Vec::new();
        let (mut k, mut weight) = (mode, 1.0f64);
        // Left of the window everything is at most weight * (k / lambda)^i.
        while k > 0.0 && weight > CUT {
            weight *= k / lambda;
            k -= 1.0;
            down.push(weight);
        }
        let left = if k > 0.0 { weight * (k / lambda) / (1.0 - k / lambda) } else { 0.0 };
        let window_start = k as u64;
        let mut window: Vec<f64> = down.into_iter().rev().collect();
        window.push(1.0);
        let (mut k, mut weight) = (mode, 1.0f64);
        while weight > CUT {
            k += 1.0;
            weight *= lambda / k;
            window.push(weight);
        }
        let right = weight * (lambda / (k + 1.0)) / (1.0 - lambda / (k + 1.0));
        let mut sum = Sum::default();
        window.iter().for_each(|&w| sum.add(w));
        let total = sum.value();
        window.iter_mut().for_each(|w| *w /= total);
        let left_out = (left + right) / total * (1.0 + 1e-6);
        let error = left_out + SUM_ERROR + 2.0 * U * (window.len() as f64 + 2.0);
        let window_sum = sum_of(&window);
        Coefficients { peak: mode as u64, before: 0.0, window_start, window, left_out, error, window_sum }
    }

    /// `scale` times the probability of more than `k` events: expected time (in units of `1 / scale`
    /// events) that is spent after event `k` and before the end.
    pub fn poisson_tail(lambda: f64, scale: f64) -> Self {
        if lambda <= 0.0 {
            return Coefficients::first(0);
        }
        let mut poisson = Coefficients::poisson(lambda);
        // Expected number of events beyond the window; the tail there decays at least geometrically.
        let end = poisson.window_start as f64 + poisson.window.len() as f64;
        let beyond = poisson.left_out;
        let left_out = scale * beyond / (1.0 - lambda / (end + 1.0)).max(1e-9);
        let mut tail = Sum::default();
        for weight in poisson.window.iter_mut().rev() {
            let above = tail.value();
            tail.add(*weight);
            *weight = above * scale;
        }
        let (window_sum, error) = (sum_of(&poisson.window), poisson.error + SUM_ERROR + 2.0 * U);
        Coefficients { before: scale, left_out, error, window_sum, ..poisson }
    }

    /// Number of steps until the coefficients are zero.
    pub fn len(&self) -> u64 {
        self.window_start + self.window.len() as u64
    }

    /// `c_k`.
    pub fn get(&self, k: u64) -> f64 {
        match k.checked_sub(self.window_start) {
            None => self.before,
            Some(at) => self.window.get(at as usize).copied().unwrap_or(0.0),
        }
    }

    /// Sum of `c_k ratio^(k - from)` over `k >= from`; infinite where `ratio` is. The steps before the window cost nothing.
    pub fn weighted_sum(&self, from: u64, ratio: f64) -> f64 {
        let ahead = self.window_start.saturating_sub(from);
        let mut power = if ahead == 0 { 1.0 } else { ratio.powf(ahead as f64) };
        let mut sum = Sum::default();
        if self.before > 0.0 && ahead > 0 {
            sum.add(self.before * geometric(ratio, ahead));
        }
        let skipped = from.saturating_sub(self.window_start).min(self.window.len() as u64) as usize;
        for weight in &self.window[skipped..] {
            if power == 0.0 || power == f64::INFINITY {
                break;
            }
            sum.add(weight * power);
            power *= ratio;
        }
        if power == f64::INFINITY { f64::INFINITY } else { sum.value() }
    }

    /// Number of steps after which at most the fraction `epsilon` of the sum of all `c_k` is left.
    pub fn end_within(&self, epsilon: f64) -> u64 {
        let allowed = epsilon * self.sum_from(0);
        let mut left = 0.0;
        let kept = self.window.iter().rposition(|&w| {
            left += w;
            left > allowed
        });
        match kept {
            Some(at) => self.window_start + at as u64 + 1,
            None => self.window_start,
        }
    }

    /// Sum of `c_k` over `k >= from`.
    pub fn sum_from(&self, from: u64) -> f64 {
        let before = self.window_start.saturating_sub(from) as f64 * self.before;
        let skip = from.saturating_sub(self.window_start).min(self.window.len() as u64) as usize;
        before + if skip == 0 { self.window_sum } else { sum_of(&self.window[skip..]) }
    }
}

/// `1 + ratio + … + ratio^(count - 1)`, by doubling: the sum of twice as many is the sum times one plus their power.
fn geometric(ratio: f64, count: u64) -> f64 {
    let (mut sum, mut power) = (0.0, 1.0);
    for bit in (0..u64::BITS - count.leading_zeros()).rev() {
        sum *= 1.0 + power;
        power *= power;
        if count >> bit & 1 == 1 {
            sum = sum * ratio + 1.0;
            power *= ratio;
        }
    }
    sum
}

/// The sum, from the last term on.
fn sum_of(terms: &[f64]) -> f64 {
    let mut sum = Sum::default();
    terms.iter().rev().for_each(|&term| sum.add(term));
    sum.value()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Poisson probabilities by logarithms, accurate to about 1e-12.
    fn slow(lambda: f64, k: u64) -> f64 {
        let mut log = -lambda;
        for i in 1..=k {
            log += (lambda / i as f64).ln();
        }
        log.exp()
    }

    #[test]
    fn weights_agree_with_logarithms() {
        for lambda in [1e-9, 0.3, 1.0, 7.5, 100.0, 5000.0] {
            let c = Coefficients::poisson(lambda);
            for k in 0..c.len() + 10 {
                let expected = slow(lambda, k);
                let got = c.get(k);
                assert!((got - expected).abs() <= 1e-9 * expected + 1e-250, "{lambda} {k} {got} {expected}");
            }
            assert!((c.sum_from(0) - 1.0).abs() < 1e-14);
            assert!(c.left_out < 1e-240);
        }
    }

    #[test]
    fn tails_add_up_to_the_expectation() {
        for lambda in [0.01, 3.0, 250.0, 40_000.0] {
            let c = Coefficients::poisson_tail(lambda, 0.5);
            assert!((c.sum_from(0) / (0.5 * lambda) - 1.0).abs() < 1e-12, "{lambda}");
            let p = Coefficients::poisson(lambda);
            for k in [0, 1, 2, lambda as u64, lambda as u64 + 5] {
                assert!((c.get(k) - 0.5 * p.sum_from(k + 1)).abs() < 1e-13);
            }
        }
    }

    #[test]
    fn large_expectations_stay_in_range() {
        let c = Coefficients::poisson(3.1e6);
        assert!(c.window.len() < 150_000);
        assert!((c.sum_from(0) - 1.0).abs() < 1e-13);
        assert!(c.error < 1e-10);
    }

    #[test]
    fn weighted_sum_is_a_generating_function() {
        // E[z^N] = exp(lambda (z - 1)).
        let c = Coefficients::poisson(20.0);
        for z in [0.5f64, 0.99, 1.0, 1.01] {
            let expected = (20.0 * (z - 1.0)).exp();
            assert!((c.weighted_sum(0, z) / expected - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn weighted_sums_skip_what_is_equal() {
        for c in
            [Coefficients::poisson(5000.0), Coefficients::poisson_tail(5000.0, 0.5), Coefficients::first(777)]
        {
            for from in [0, 1, 600, 5000, 6000] {
                for ratio in [0.0, 0.7, 0.9999, 1.0, 1.0 + 1e-9] {
                    let term = |k: u64| c.get(k) * f64::powi(ratio, (k - from) as i32);
                    let expected: f64 = (from..c.len()).map(term).sum();
                    let found = c.weighted_sum(from, ratio);
                    assert!(
                        (found - expected).abs() <= 1e-10 * expected,
                        "{from} {ratio}: {found} {expected}"
                    );
                }
            }
        }
        assert_eq!(Coefficients::first(10).weighted_sum(0, f64::INFINITY), f64::INFINITY);
        // A horizon that nobody would walk through.
        let c = Coefficients::first(1 << 52);
        assert!((c.weighted_sum(0, 1.0 - 1e-9) * 1e-9 - 1.0).abs() < 1e-6);
    }
}
