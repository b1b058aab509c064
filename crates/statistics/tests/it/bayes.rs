//! Posterior statements against sums over a fine grid of probabilities, and their guarantee under the prior.

use crate::support::{close, level, uniform};
use volvelle_random::Random;
use volvelle_statistics::bayes::{BayesTest, Beta};
use volvelle_statistics::{Comparison, Decision, Error, Side, Tally};

/// The posterior mass above a point, by the midpoint rule on 200 000 cells.
fn above_by_grid(a: f64, b: f64, threshold: f64) -> f64 {
    const CELLS: u32 = 200_000;
    let (mut above, mut all) = (0.0, 0.0);
    for i in 0..CELLS {
        let p = (f64::from(i) + 0.5) / f64::from(CELLS);
        let weight = ((a - 1.0) * p.ln() + (b - 1.0) * (1.0 - p).ln()).exp();
        all += weight;
        if p > threshold {
            above += weight;
        }
    }
    above / all
}

#[test]
fn factors_by_summing_over_a_grid() {
    for (a, b, successes, samples, threshold) in
        [(1.0, 1.0, 3, 10, 0.4), (1.0, 1.0, 0, 30, 0.1), (2.0, 5.0, 90, 100, 0.85), (3.5, 1.5, 20, 41, 0.7)]
    {
        let prior = Beta::new(a, b).unwrap();
        let mut test = BayesTest::new(Comparison::AtLeast, threshold, prior, 1e100).unwrap();
        assert_eq!(test.log_factor(), 0.0);
        test.push_batch(Tally::new(successes, samples).unwrap());
        let after = above_by_grid(a + successes as f64, b + (samples - successes) as f64, threshold);
        let before = above_by_grid(a, b, threshold);
        close(test.belief(), after, 1e-4);
        let factor = after / (1.0 - after) / (before / (1.0 - before));
        close(test.log_factor(), factor.ln(), 1e-3);
        let mut other = BayesTest::new(Comparison::Below, threshold, prior, 1e100).unwrap();
        other.push_batch(Tally::new(successes, samples).unwrap());
        close(other.log_factor(), -test.log_factor(), 1e-12);
        close(other.belief(), 1.0 - test.belief(), 1e-9);
    }
}

/// Uniform prior, threshold 0.9, nothing but successes: posterior mass below is 0.9^(n+1), prior odds 1/9.
#[test]
fn only_successes() {
    let mut test = BayesTest::new(Comparison::AtLeast, 0.9, Beta::UNIFORM, 100.0).unwrap();
    test.push(true);
    let below: f64 = 0.9 * 0.9;
    close(test.log_factor(), (9.0 * (1.0 - below) / below).ln(), 1e-12);
    while test.push(true) == Decision::Undecided {}
    assert_eq!(test.decision(), Decision::Holds);
    // The first n for which 9 (1/0.9^(n+1) - 1) >= 100.
    let n = (1..).find(|&n| 9.0 * (0.9f64.powi(-(n + 1)) - 1.0) >= 100.0).unwrap();
    assert_eq!(test.tally().samples(), n as u64);
    let before = test;
    test.push(false);
    assert_eq!(test, before);
    // Factors beyond floats decide too.
    let mut test = BayesTest::new(Comparison::AtLeast, 0.5, Beta::UNIFORM, 1e300).unwrap();
    assert_eq!(test.push_batch(Tally::new(100_000, 100_000).unwrap()), Decision::Holds);
    assert_eq!(test.log_factor(), f64::INFINITY);
}

/// With probabilities drawn from the prior, what is accepted is wrong at most once in 1 + factor · odds.
#[test]
fn wrong_answers_under_the_prior() {
    let mut random = Random(77);
    let (mut accepted, mut wrong) = (0, 0);
    for _ in 0..4000 {
        let p = uniform(&mut random);
        let mut test = BayesTest::new(Comparison::AtLeast, 0.5, Beta::UNIFORM, 9.0).unwrap();
        for _ in 0..2000 {
            if test.push(uniform(&mut random) < p) != Decision::Undecided {
                accepted += 1;
                wrong += usize::from((test.decision() == Decision::Holds) != (p >= 0.5));
                break;
            }
        }
    }
    let share = wrong as f64 / accepted as f64;
    assert!(accepted > 3800 && share <= 0.1 && share > 0.03, "{wrong} of {accepted}");
}

#[test]
fn credible_intervals_have_their_mass() {
    let mut random = Random(4);
    for _ in 0..100 {
        let samples = random.below(1_000_000) as u64;
        let successes = (samples as f64 * uniform(&mut random).powi(3)) as u64;
        let belief = Beta::JEFFREYS.after(Tally::new(successes, samples).unwrap());
        let found = belief.credible(level(0.95), Side::Both);
        close(belief.tails(found.lo).lower, 0.025, 1e-6);
        close(belief.tails(found.hi).upper, 0.025, 1e-6);
        assert!(found.contains(belief.mean()) && found.width() > 0.0);
        let upper = belief.credible(level(0.95), Side::Upper);
        assert!(upper.lo == 0.0 && upper.hi < found.hi);
    }
    // L. D. Brown, T. T. Cai and A. DasGupta, Statistical Science 16 (2001): Jeffreys' interval for 1 of 10 is
    // (0.011, 0.381).
    let found = Beta::JEFFREYS.after(Tally::new(1, 10).unwrap()).credible(level(0.95), Side::Both);
    assert!((found.lo - 0.011).abs() < 6e-4 && (found.hi - 0.381).abs() < 6e-4, "{found:?}");
}

#[test]
fn nonsense_is_refused() {
    assert!(
        Beta::new(0.0, 1.0).is_err()
            && Beta::new(1.0, f64::NAN).is_err()
            && Beta::new(f64::INFINITY, 1.0).is_err()
    );
    let ask = |comparison, threshold, factor| BayesTest::new(comparison, threshold, Beta::UNIFORM, factor);
    assert!(matches!(ask(Comparison::AtLeast, 1.5, 10.0), Err(Error::Probability(_))));
    assert!(matches!(ask(Comparison::AtLeast, 0.5, 1.0), Err(Error::Parameter { .. })));
    assert!(matches!(ask(Comparison::AtLeast, 1.0, 10.0), Err(Error::Parameter { .. })));
    assert_eq!(ask(Comparison::AtMost, 1.0, 10.0).unwrap().decision(), Decision::Holds);
}
