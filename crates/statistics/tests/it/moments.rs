//! Summaries against two passes over the samples.

use crate::support::{close, gaussian};
use volvelle_random::Random;
use volvelle_statistics::{Error, Moments, Tally};

fn of(samples: &[f64]) -> Moments {
    let mut moments = Moments::new();
    samples.iter().for_each(|&sample| moments.push(sample));
    moments
}

#[test]
fn two_passes_say_the_same() {
    let mut random = Random(1);
    for case in 0..200 {
        let offset = [0.0, 1.0, 1e6, -1e9][case % 4];
        let samples: Vec<f64> = (0..2 + random.below(500)).map(|_| offset + gaussian(&mut random)).collect();
        let n = samples.len() as f64;
        let mean = samples.iter().sum::<f64>() / n;
        let squares: f64 = samples.iter().map(|x| (x - mean) * (x - mean)).sum();
        // In pieces, merged in their order.
        let mut merged = Moments::new();
        for piece in samples.chunks(1 + random.below(40)) {
            merged.merge(&of(piece));
        }
        for moments in [of(&samples), merged] {
            assert_eq!(moments.count(), samples.len() as u64);
            assert!((moments.mean().unwrap() - mean).abs() <= 1e-13 * (1.0 + offset.abs()));
            assert!((moments.mean().unwrap() - mean).abs() <= moments.rounding() + 1e-14 * offset.abs());
            close(moments.variance().unwrap(), squares / (n - 1.0), 1e-6);
            close(moments.population_variance().unwrap(), squares / n, 1e-6);
            close(moments.standard_error().unwrap(), (squares / (n - 1.0) / n).sqrt(), 1e-6);
            assert_eq!(moments.min(), samples.iter().copied().reduce(f64::min));
            assert_eq!(moments.max(), samples.iter().copied().reduce(f64::max));
        }
    }
}

/// NIST, *Statistical Reference Datasets*, NumAcc3 and NumAcc4: means 1000000.2 and 10000000.2, standard deviation
/// 0.1.
#[test]
fn certified_values() {
    for (offset, precision) in [(1e6, 1e-9), (1e7, 1e-8)] {
        let mut moments = Moments::new();
        moments.push(offset + 0.2);
        for _ in 0..500 {
            moments.push(offset + 0.1);
            moments.push(offset + 0.3);
        }
        close(moments.mean().unwrap(), offset + 0.2, 1e-15);
        close(moments.variance().unwrap().sqrt(), 0.1, precision);
    }
}

#[test]
fn without_samples_there_is_nothing() {
    let none = Moments::new();
    assert_eq!((none.mean(), none.variance(), none.min(), none.standard_error()), (None, None, None, None));
    let mut one = of(&[3.0]);
    assert_eq!((one.mean(), one.variance(), one.population_variance()), (Some(3.0), None, Some(0.0)));
    one.merge(&none);
    assert_eq!(one, of(&[3.0]));
    let mut empty = none;
    empty.merge(&one);
    assert_eq!(empty, one);
}

#[test]
fn equal_samples_stay_equal() {
    for value in [0.1, -7.3e100, 1.0 / 3.0, 0.0] {
        let mut moments = of(&vec![value; 1000]);
        moments.merge(&of(&[value; 77]));
        assert_eq!(moments.all_equal(), Some(value));
        assert_eq!((moments.mean(), moments.variance()), (Some(value), Some(0.0)));
    }
    assert_eq!(of(&[1.0, 1.0 + f64::EPSILON]).all_equal(), None);
}

#[test]
fn what_is_not_finite_is_seen() {
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        assert!(!of(&[1.0, bad, 2.0]).is_finite());
        assert_eq!(of(&[bad, bad]).all_equal(), None);
        let mut merged = of(&[1.0]);
        merged.merge(&of(&[bad]));
        assert!(!merged.is_finite());
    }
    assert!(!of(&[1e200, -1e200]).is_finite());
}

#[test]
fn parts_are_checked() {
    let moments = of(&[1.0, 2.0, 4.0]);
    let mean = moments.mean().unwrap();
    let again = Moments::from_parts(3, mean, moments.population_variance().unwrap() * 3.0, 1.0, 4.0).unwrap();
    assert_eq!(again.count(), 3);
    close(again.variance().unwrap(), moments.variance().unwrap(), 1e-15);
    assert_eq!(Moments::from_parts(0, 9.0, 1.0, 3.0, 2.0), Ok(Moments::new()));
    assert!(Moments::from_parts(2, 1.0, -1.0, 0.0, 2.0).is_err());
    assert!(Moments::from_parts(2, 3.0, 1.0, 0.0, 2.0).is_err());
}

#[test]
fn tallies_are_exact_and_samples_of_zeros_and_ones() {
    let mut random = Random(3);
    for _ in 0..100 {
        let samples: Vec<bool> = (0..random.below(200)).map(|_| random.one_in(3)).collect();
        let mut tally = Tally::default();
        samples.iter().for_each(|&sample| tally.push(sample));
        assert_eq!(tally.successes(), samples.iter().filter(|&&s| s).count() as u64);
        assert_eq!(tally.samples(), samples.len() as u64);
        let moments = of(&samples.iter().map(|&s| f64::from(u8::from(s))).collect::<Vec<_>>());
        let quick = tally.moments();
        assert_eq!(
            (quick.count(), quick.min(), quick.max()),
            (moments.count(), moments.min(), moments.max())
        );
        if let (Some(found), Some(expected)) = (quick.variance(), moments.variance()) {
            assert!((found - expected).abs() <= 1e-12);
            assert!((quick.mean().unwrap() - moments.mean().unwrap()).abs() <= 1e-14);
        }
    }
    assert_eq!(Tally::new(3, 2), Err(Error::Tally { successes: 3, samples: 2 }));
    let mut full = Tally::new(u64::MAX, u64::MAX).unwrap();
    full.push(false);
    assert_eq!(full.failures(), 0);
}
