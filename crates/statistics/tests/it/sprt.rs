//! Wald's test against exact probabilities of error, by dynamic programming over the walk of successes and failures.

use crate::support::{close, uniform};
use volvelle_random::Random;
use volvelle_statistics::sprt::{Question, Sprt};
use volvelle_statistics::{Comparison, Decision, Error, Tally};

fn question(comparison: Comparison, threshold: f64, indifference: f64, error: f64) -> Question {
    Question { comparison, threshold, indifference, alpha: error, beta: error / 2.0 }
}

/// Exact probabilities of rejecting and of accepting, and the expected number of samples, by pushing the mass of
/// undecided walks from one number of samples to the next. The ratio is a quotient of products of probabilities, as
/// Wald writes it.
struct Exact {
    rejects: f64,
    accepts: f64,
    samples: f64,
}

fn exact(question: Question, p: f64) -> Exact {
    let test = Sprt::new(question).unwrap();
    let (lower, upper) = (test.region().lo, test.region().hi);
    let (holds, fails) = if question.comparison.wants_large() { (upper, lower) } else { (lower, upper) };
    let mut mass = vec![1.0];
    let mut found = Exact { rejects: 0.0, accepts: 0.0, samples: 0.0 };
    for n in 1..20_000i32 {
        let mut next = vec![0.0; mass.len() + 1];
        for (k, weight) in mass.iter().enumerate().filter(|(_, weight)| **weight > 0.0) {
            next[k] += weight * (1.0 - p);
            next[k + 1] += weight * p;
        }
        let mut left = 0.0;
        for (k, weight) in next.iter_mut().enumerate().filter(|(_, weight)| **weight > 0.0) {
            let k = k as i32;
            let ratio = (fails / holds).powi(k) * ((1.0 - fails) / (1.0 - holds)).powi(n - k);
            if ratio >= 1.0 / question.alpha {
                found.rejects += *weight;
                found.samples += *weight * f64::from(n);
                *weight = 0.0;
            } else if ratio <= question.beta {
                found.accepts += *weight;
                found.samples += *weight * f64::from(n);
                *weight = 0.0;
            }
            left += *weight;
        }
        // What is too small to matter is left undecided for good.
        next.iter_mut().filter(|weight| **weight < 1e-18).for_each(|weight| *weight = 0.0);
        mass = next;
        if left < 1e-10 {
            return found;
        }
    }
    panic!("it does not end");
}

#[test]
fn errors_are_at_most_what_is_promised() {
    for (threshold, indifference) in
        [(0.5, 0.1), (0.1, 0.05), (0.9, 0.08), (0.98, 0.015), (0.3, 0.25), (0.95, 0.2), (0.05, 0.1)]
    {
        for error in [0.2, 0.05, 0.01] {
            for comparison in [Comparison::AtLeast, Comparison::Below] {
                let asked = question(comparison, threshold, indifference, error);
                let region = Sprt::new(asked).unwrap().region();
                let (holds, fails) =
                    if comparison.wants_large() { (region.hi, region.lo) } else { (region.lo, region.hi) };
                let at_holds = exact(asked, holds);
                let at_fails = exact(asked, fails);
                assert!(at_holds.rejects <= asked.alpha, "{asked:?}: {}", at_holds.rejects);
                assert!(at_fails.accepts <= asked.beta, "{asked:?}: {}", at_fails.accepts);
                // The errors are not far below: a test that takes many more samples than it needs would show.
                assert!(at_holds.rejects >= 0.2 * asked.alpha, "{asked:?}: {}", at_holds.rejects);
                close(at_holds.rejects + at_holds.accepts, 1.0, 1e-9);
                // Further outside, errors are smaller yet.
                let further = if comparison.wants_large() { (1.0 + holds) / 2.0 } else { holds / 2.0 };
                assert!(exact(asked, further).rejects <= at_holds.rejects);
            }
        }
    }
}

/// Wald's approximation of the expected number of samples: (L ln B + (1 - L) ln A) / E[z], a lower bound except for the
/// overshoot.
#[test]
fn expected_samples_are_walds() {
    let asked = Question {
        comparison: Comparison::AtLeast,
        threshold: 0.5,
        indifference: 0.02,
        alpha: 0.05,
        beta: 0.05,
    };
    let (lower, upper): (f64, f64) = (0.48, 0.52);
    let found = exact(asked, upper);
    let step = upper * (lower / upper).ln() + (1.0 - upper) * ((1.0 - lower) / (1.0 - upper)).ln();
    let walds = (found.accepts * 0.05f64.ln() - found.rejects * 0.05f64.ln()) / step;
    assert!(found.samples > walds && found.samples < 1.05 * walds, "{} {walds}", found.samples);
}

/// One step at a time against the quotient of products.
#[test]
fn pushes_are_the_quotient() {
    let mut random = Random(9);
    for _ in 0..300 {
        let comparison =
            [Comparison::AtLeast, Comparison::Above, Comparison::AtMost, Comparison::Below][random.below(4)];
        let asked =
            question(comparison, 0.05 + 0.9 * uniform(&mut random), 0.001 + 0.2 * uniform(&mut random), 0.02);
        let mut test = Sprt::new(asked).unwrap();
        let region = test.region();
        assert!(
            region.lo > 0.0 && region.lo < asked.threshold && asked.threshold < region.hi && region.hi < 1.0
        );
        let (holds, fails) =
            if comparison.wants_large() { (region.hi, region.lo) } else { (region.lo, region.hi) };
        let p = uniform(&mut random);
        let samples: Vec<bool> = (0..3000).map(|_| uniform(&mut random) < p).collect();
        let mut ratio: f64 = 0.0;
        let mut expected = Decision::Undecided;
        let mut used = 0;
        for &sample in &samples {
            ratio += if sample { (fails / holds).ln() } else { ((1.0 - fails) / (1.0 - holds)).ln() };
            used += 1;
            if ratio >= (1.0 / asked.alpha).ln() {
                expected = Decision::Fails;
            } else if ratio <= asked.beta.ln() {
                expected = Decision::Holds;
            }
            if expected != Decision::Undecided {
                break;
            }
        }
        assert_eq!(test.extend(samples.iter().copied()), expected);
        assert_eq!(test.tally().samples(), used);
        assert!((test.log_ratio() - ratio).abs() < 1e-8);
        let stops = test.stops_at();
        assert_eq!(
            stops.lo < test.log_ratio() && test.log_ratio() < stops.hi,
            expected == Decision::Undecided
        );
        // Nothing changes after the decision.
        let before = test;
        if expected != Decision::Undecided {
            test.extend(samples.iter().copied());
            test.push(true);
            assert_eq!(test, before);
        }
    }
}

#[test]
fn thresholds_at_the_ends() {
    let ask = |comparison, threshold| Sprt::new(question(comparison, threshold, 0.01, 0.01)).unwrap();
    // Decided before the first sample.
    for (comparison, threshold, decision) in [
        (Comparison::AtLeast, 0.0, Decision::Holds),
        (Comparison::Below, 0.0, Decision::Fails),
        (Comparison::AtMost, 1.0, Decision::Holds),
        (Comparison::Above, 1.0, Decision::Fails),
    ] {
        assert_eq!(ask(comparison, threshold).decision(), decision);
        assert_eq!(ask(comparison, threshold).extend([true, false]), decision);
        assert_eq!(ask(comparison, threshold).tally(), Tally::default());
    }
    // One sample refutes or proves; the other kind adds up.
    for (comparison, threshold, decisive, decision, otherwise) in [
        (Comparison::AtLeast, 1.0, false, Decision::Fails, Decision::Holds),
        (Comparison::Below, 1.0, false, Decision::Holds, Decision::Fails),
        (Comparison::Above, 0.0, true, Decision::Holds, Decision::Fails),
        (Comparison::AtMost, 0.0, true, Decision::Fails, Decision::Holds),
    ] {
        let mut test = ask(comparison, threshold);
        assert_eq!(test.push(!decisive), Decision::Undecided);
        assert_eq!(test.push(decisive), decision);
        assert!(test.log_ratio().is_infinite());
        let mut test = ask(comparison, threshold);
        assert_eq!(test.extend(std::iter::repeat_n(!decisive, 1000)), otherwise);
        // (1 - 0.01)^n <= 0.01 or 0.005.
        let error: f64 = if otherwise == Decision::Holds { 0.005 } else { 0.01 };
        assert_eq!(test.tally().samples() as f64, (error.ln() / 0.99f64.ln()).ceil());
    }
}

/// A region that would leave [0, 1] ends halfway, and one failure does not refute "P >= 0.9999".
#[test]
fn regions_stay_inside() {
    let mut test = Sprt::new(question(Comparison::AtLeast, 0.9999, 0.001, 0.01)).unwrap();
    close(test.region().hi, 0.999_95, 1e-12);
    close(test.region().lo, 0.9989, 1e-12);
    assert_eq!(test.push(false), Decision::Undecided);
    let region = Sprt::new(question(Comparison::AtLeast, 0.3, 2.0, 0.01)).unwrap().region();
    close(region.lo, 0.15, 1e-15);
    close(region.hi, 0.65, 1e-15);
    // Regions narrower than floats next to the threshold still make steps.
    let mut test = Sprt::new(question(Comparison::AtLeast, 0.5, 1e-18, 0.01)).unwrap();
    test.push(true);
    assert!(test.log_ratio() < 0.0);
    for threshold in [f64::from_bits(1), 1e-300, 1.0 - f64::EPSILON / 2.0] {
        let mut test = Sprt::new(question(Comparison::AtLeast, threshold, 0.1, 0.01)).unwrap();
        test.extend([true, false, true]);
        assert!(!test.log_ratio().is_nan());
    }
}

#[test]
fn nonsense_is_refused() {
    let good = question(Comparison::AtLeast, 0.5, 0.1, 0.01);
    assert!(Sprt::new(good).is_ok());
    for threshold in [-0.1, 1.1, f64::NAN] {
        assert!(matches!(Sprt::new(Question { threshold, ..good }), Err(Error::Probability(_))));
    }
    for indifference in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(Sprt::new(Question { indifference, ..good }), Err(Error::Width(_))));
    }
    for alpha in [0.0, 1.0, f64::NAN] {
        assert!(matches!(Sprt::new(Question { alpha, ..good }), Err(Error::Confidence(_))));
    }
    assert!(matches!(Sprt::new(Question { alpha: 0.6, beta: 0.5, ..good }), Err(Error::Parameter { .. })));
}
