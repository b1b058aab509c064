//! Verdicts against the intervals they are made of, and how often values that are right are doubted.

use crate::support::{binomial, close, exponential, level, uniform};
use volvelle_random::Random;
use volvelle_statistics::verdict::{self, NoVerdict, Place};
use volvelle_statistics::{Error, Interval, Moments, Range, Side, Tally, interval};

fn point(value: f64) -> Interval {
    Interval { lo: value, hi: value }
}

fn of(samples: impl IntoIterator<Item = f64>) -> Moments {
    let mut moments = Moments::new();
    samples.into_iter().for_each(|sample| moments.push(sample));
    moments
}

fn place_by_hand(intervals: [Interval; 3], value: Interval) -> Place {
    let apart = |i: usize| intervals[i].hi < value.lo || value.hi < intervals[i].lo;
    if !apart(0) {
        Place::Inside90
    } else if !apart(1) {
        Place::Outside90
    } else if !apart(2) {
        Place::Outside95
    } else {
        Place::Outside99
    }
}

/// Samples with mean 0, standard error 1 and 10^6 + 1 of them: the ends are those of the normal distribution.
#[test]
fn the_table() {
    let n = 1_000_001u64;
    let moments = Moments::from_parts(n, 10.0, n as f64 * (n - 1) as f64, -1e9, 1e9).unwrap();
    close(moments.standard_error().unwrap(), 1.0, 1e-12);
    for (away, place) in [
        (0.0, Place::Inside90),
        (1.6448, Place::Inside90),
        (1.6450, Place::Outside90),
        (1.9598, Place::Outside90),
        (1.9602, Place::Outside95),
        (2.5757, Place::Outside95),
        (2.5760, Place::Outside99),
        (50.0, Place::Outside99),
        (f64::INFINITY, Place::Outside99),
    ] {
        for value in [10.0 - away, 10.0 + away] {
            let found = verdict::of_mean(&moments, None, point(value)).unwrap();
            assert_eq!(found.place, place, "{away}");
            assert_eq!(Place::of_p_value(found.p_value), place);
            assert_eq!((found.estimate, found.samples), (10.0, n));
            // Bounds that reach back to the estimate agree.
            let bounds = Interval { lo: value.min(10.0), hi: value.max(10.0) };
            let found = verdict::of_mean(&moments, None, bounds).unwrap();
            assert_eq!((found.place, found.p_value), (Place::Inside90, 1.0));
        }
    }
    let found = verdict::of_mean(&moments, None, point(10.0)).unwrap();
    close(found.relative_width.unwrap(), 2.0 * 1.644_853_6 / 10.0, 1e-4);
    assert!(found.is_precise(0.33) && !found.is_precise(0.32));
}

#[test]
fn places_intervals_and_p_values_say_the_same() {
    let mut random = Random(2);
    let mut seen = [0; 4];
    for _ in 0..3000 {
        let samples = 1 + random.below(300) as u64;
        let successes = random.below(samples as usize + 1) as u64;
        let tally = Tally::new(successes, samples).unwrap();
        let centre = successes as f64 / samples as f64;
        let spread = (0.3 / samples as f64).sqrt();
        let lo = (centre + 6.0 * spread * (uniform(&mut random) - 0.5)).clamp(0.0, 1.0);
        let value =
            Interval { lo, hi: (lo + spread * uniform(&mut random) * random.below(2) as f64).min(1.0) };
        let found = if random.one_in(2) {
            verdict::of_proportion(tally, value).unwrap()
        } else {
            // The same samples as a mean with a known range.
            verdict::of_mean(&tally.moments(), Some(Range::UNIT), value).unwrap()
        };
        assert_eq!(found.place, place_by_hand(found.intervals, value));
        let near_a_level = [0.1, 0.05, 0.01].iter().any(|level| (found.p_value / level - 1.0).abs() < 1e-9);
        assert!(
            near_a_level || Place::of_p_value(found.p_value) == found.place,
            "{tally:?} {value:?} {found:?}"
        );
        assert!((0.0..=1.0).contains(&found.p_value));
        seen[found.place as usize] += 1;
    }
    assert!(seen.iter().all(|&count| count > 50), "{seen:?}");
}

#[test]
fn intervals_are_those_of_the_methods() {
    let tally = Tally::new(17, 400).unwrap();
    let found = verdict::of_proportion(tally, point(0.04)).unwrap();
    let moments = of([1.0, 4.0, 2.0, 2.5]);
    let mean = verdict::of_mean(&moments, None, point(2.0)).unwrap();
    for (i, value) in verdict::LEVELS.into_iter().enumerate() {
        let expected = interval::clopper_pearson(tally, level(value), Side::Both);
        assert!(
            (found.intervals[i].lo - expected.lo).abs() < 1e-14
                && (found.intervals[i].hi - expected.hi).abs() < 1e-14
        );
        let expected = interval::mean_student(&moments, level(value), Side::Both).unwrap().known().unwrap();
        assert!((mean.intervals[i].lo - expected.lo).abs() < 1e-12);
    }
    close(found.relative_width.unwrap(), found.intervals[0].width() / 0.0425, 1e-12);
}

#[test]
fn nothing_succeeded() {
    let found = verdict::of_proportion(Tally::new(0, 1_000_000).unwrap(), point(4.5e-8)).unwrap();
    assert_eq!((found.estimate, found.relative_width, found.place), (0.0, None, Place::Inside90));
    assert!(!found.is_precise(1e9) && found.intervals[0].hi > 0.0);
    let found = verdict::of_proportion(Tally::new(0, 1_000_000).unwrap(), point(1e-4)).unwrap();
    assert_eq!(found.place, Place::Outside99);
}

#[test]
fn values_at_the_ends_of_the_domain() {
    let all = Tally::new(50, 50).unwrap();
    // Rounding beyond 1 is 1; more is not a probability.
    for (value, place) in [
        (1.0, Place::Inside90),
        (1.0 + 2e-16, Place::Inside90),
        (1.001, Place::Outside99),
        (f64::INFINITY, Place::Outside99),
    ] {
        let found = verdict::of_proportion(all, point(value)).unwrap();
        assert_eq!((found.place, Place::of_p_value(found.p_value)), (place, place), "{value}");
        let found = verdict::of_mean(&all.moments(), Some(Range::UNIT), point(value)).unwrap();
        assert_eq!((found.place, Place::of_p_value(found.p_value)), (place, place), "{value}");
    }
    let unknown = Interval { lo: 0.0, hi: f64::INFINITY };
    assert_eq!(verdict::of_proportion(all, unknown).unwrap().place, Place::Inside90);
}

#[test]
fn no_verdict() {
    let equal = of([0.3; 10]);
    assert_eq!(
        verdict::of_mean(&equal, None, point(0.3)),
        Err(NoVerdict::AllEqual { value: 0.3, samples: 10 })
    );
    assert!(verdict::of_mean(&equal, Some(Range::UNIT), point(0.3)).is_ok());
    assert_eq!(verdict::of_mean(&of([0.3]), None, point(0.3)), Err(NoVerdict::TooFew { samples: 1 }));
    assert_eq!(
        verdict::of_mean(&of([]), Some(Range::UNIT), point(0.3)),
        Err(NoVerdict::TooFew { samples: 0 })
    );
    assert_eq!(verdict::of_proportion(Tally::default(), point(0.3)), Err(NoVerdict::TooFew { samples: 0 }));
    let one = verdict::of_mean(&of([0.3]), Some(Range::UNIT), point(0.9)).unwrap();
    assert_eq!((one.place, one.p_value), (Place::Inside90, 1.0));
    assert_eq!(
        verdict::of_mean(&of([1.0, f64::NAN]), None, point(0.3)),
        Err(NoVerdict::Unsound(Error::NotFinite))
    );
    for (lo, hi) in [(f64::NAN, f64::NAN), (1.0, 0.0)] {
        let value = Interval { lo, hi };
        assert!(matches!(
            verdict::of_mean(&of([1.0, 2.0]), None, value),
            Err(NoVerdict::Unsound(Error::Range { .. }))
        ));
        assert!(matches!(
            verdict::of_proportion(Tally::new(1, 2).unwrap(), value),
            Err(NoVerdict::Unsound(Error::Range { .. }))
        ));
    }
}

/// Sums that differ in the last bits are no reason for an alarm.
#[test]
fn rounding_is_not_a_difference() {
    let samples = (0..1000).map(|i| if i % 2 == 0 { 0.1 + 0.2 } else { 0.3 });
    let found = verdict::of_mean(&of(samples), None, point(0.3)).unwrap();
    assert_eq!((found.place, found.p_value), (Place::Inside90, 1.0));
}

/// The exact probability that a right value is doubted, for proportions: at most 10, 5 and 1 %.
#[test]
fn right_probabilities_are_seldom_doubted() {
    for n in [30usize, 400] {
        for p in [1e-3, 0.02, 0.3, 0.5, 0.9, 0.999] {
            let weights = binomial(n, p);
            let mut doubted = [0.0; 3];
            for (k, weight) in weights.iter().enumerate() {
                let place =
                    verdict::of_proportion(Tally::new(k as u64, n as u64).unwrap(), point(p)).unwrap().place;
                for (i, least) in
                    [Place::Outside90, Place::Outside95, Place::Outside99].into_iter().enumerate()
                {
                    doubted[i] += if place >= least { *weight } else { 0.0 };
                }
            }
            assert!(
                doubted[0] <= 0.1 + 1e-12 && doubted[1] <= 0.05 + 1e-12 && doubted[2] <= 0.01 + 1e-12,
                "{n} {p} {doubted:?}"
            );
        }
    }
}

/// Sampled, for an exponential mean: shares near 10, 5 and 1 %; and a value that is 5 % off is found out.
#[test]
fn right_means_are_seldom_doubted_and_wrong_ones_often() {
    let mut random = Random(60);
    let (mut right, mut wrong) = ([0.0; 4], 0);
    const RUNS: usize = 3000;
    for _ in 0..RUNS {
        let moments = of((0..400).map(|_| exponential(&mut random)));
        let place = |v| verdict::of_mean(&moments, None, point(v)).unwrap().place;
        right[place(1.0) as usize] += 1.0 / RUNS as f64;
        wrong += usize::from(place(1.25) == Place::Outside99);
    }
    let outside = [right[1] + right[2] + right[3], right[2] + right[3], right[3]];
    for (found, expected) in outside.into_iter().zip([0.1, 0.05, 0.01]) {
        // Four standard deviations of the share, and something for the skewness.
        let slack = 4.0 * (expected * (1.0 - expected) / RUNS as f64).sqrt() + 0.1 * expected;
        assert!((found - expected).abs() < slack, "{outside:?}");
    }
    assert!(wrong > RUNS * 9 / 10, "{wrong}");
}
