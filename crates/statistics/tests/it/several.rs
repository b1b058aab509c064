//! Corrections against worked examples and sampled error rates; counts of misses against sums.

use crate::support::{binomial, close, uniform};
use volvelle_random::Random;
use volvelle_statistics::{Error, several};

/// By hand: 5 · 0.01, 4 · 0.02, 3 · 0.03, then 2 · 0.04 and 0.05, which are below the one before them.
#[test]
fn worked_examples() {
    let holm = several::holm(&[0.04, 0.01, 0.05, 0.03, 0.02]).unwrap();
    for (found, expected) in holm.iter().zip([0.09, 0.05, 0.09, 0.09, 0.08]) {
        close(*found, expected, 1e-12);
    }
    let bonferroni = several::bonferroni(&[0.04, 0.01, 0.5]).unwrap();
    for (found, expected) in bonferroni.iter().zip([0.12, 0.03, 1.0]) {
        close(*found, expected, 1e-12);
    }
    assert_eq!(several::holm(&[]), Ok(vec![]));
    for bad in [-0.1, 1.1, f64::NAN] {
        assert!(matches!(several::holm(&[0.5, bad]), Err(Error::Probability(_))));
        assert!(matches!(several::bonferroni(&[bad]), Err(Error::Probability(_))));
    }
}

/// Holm's procedure as he states it: go through the ordered p-values, reject while p(i) <= level / (m - i + 1).
#[test]
fn holm_by_its_statement() {
    let mut random = Random(12);
    for _ in 0..500 {
        let p: Vec<f64> = (0..random.below(12)).map(|_| uniform(&mut random).powi(3)).collect();
        let corrected = several::holm(&p).unwrap();
        let simple = several::bonferroni(&p).unwrap();
        assert!(corrected.iter().zip(&simple).all(|(holm, bonferroni)| holm <= bonferroni));
        let level = 0.001 + 0.3 * uniform(&mut random);
        let mut order: Vec<usize> = (0..p.len()).collect();
        order.sort_by(|&i, &j| p[i].total_cmp(&p[j]));
        let mut rejecting = true;
        for (rank, &i) in order.iter().enumerate() {
            rejecting &= p[i] * (p.len() - rank) as f64 <= level;
            assert_eq!(corrected[i] <= level, rejecting);
        }
    }
}

/// With all hypotheses true, some finding at level 0.1 comes up in a tenth of the runs (10 independent tests:
/// 0.0956), without correction in two thirds.
#[test]
fn false_findings_are_kept_in_bounds() {
    let mut random = Random(13);
    let (mut corrected, mut plain) = (0, 0);
    for _ in 0..10_000 {
        let p: Vec<f64> = (0..10).map(|_| uniform(&mut random)).collect();
        corrected += usize::from(several::holm(&p).unwrap().iter().any(|&p| p <= 0.1));
        plain += usize::from(p.iter().any(|&p| p <= 0.1));
    }
    assert!((880..1040).contains(&corrected), "{corrected}");
    assert!(plain > 6000);
}

#[test]
fn misses_by_chance() {
    close(several::expected_misses(31, 0.1), 3.1, 1e-12);
    let weights = binomial(31, 0.1);
    for k in 0..=32usize {
        let expected: f64 = weights.iter().skip(k).rev().sum();
        let found = several::at_least_misses(31, k as u64, 0.1).unwrap();
        assert!((found - expected).abs() <= 1e-11 * expected);
    }
    assert_eq!(several::at_least_misses(5, 0, 0.0), Ok(1.0));
    assert_eq!(several::at_least_misses(5, 1, 0.0), Ok(0.0));
    assert_eq!(several::at_least_misses(5, 5, 1.0), Ok(1.0));
    assert!(several::at_least_misses(5, 1, f64::NAN).is_err());
}
