//! Intervals against published values, closed forms, and their coverage: exact for proportions, sampled for means.

use crate::support::{self, binomial, close, exponential, gaussian, level, skewed};
use volvelle_random::Random;
use volvelle_statistics::special::beta;
use volvelle_statistics::{Confidence, Error, Interval, MeanInterval, Moments, Range, Side, Tally, interval};

fn tally(successes: usize, samples: usize) -> Tally {
    Tally::new(successes as u64, samples as u64).expect("no more successes than samples")
}

fn of(samples: impl IntoIterator<Item = f64>) -> Moments {
    let mut moments = Moments::new();
    samples.into_iter().for_each(|sample| moments.push(sample));
    moments
}

/// R. G. Newcombe, *Two-sided confidence intervals for the single proportion*, Statistics in Medicine 17 (1998),
/// table I.
#[test]
fn proportions_against_published_values() {
    for (successes, samples, wilson, exact) in [
        (81, 263, [0.2553, 0.3662], [0.2527, 0.3676]),
        (15, 148, [0.0624, 0.1605], [0.0578, 0.1617]),
        (0, 20, [0.0, 0.1611], [0.0, 0.1684]),
        (1, 29, [0.0061, 0.1718], [0.0009, 0.1776]),
    ] {
        let found = interval::wilson(tally(successes, samples), level(0.95), Side::Both);
        assert!(
            (found.lo - wilson[0]).abs() <= 5.1e-5 && (found.hi - wilson[1]).abs() <= 5.1e-5,
            "{found:?}"
        );
        let found = interval::clopper_pearson(tally(successes, samples), level(0.95), Side::Both);
        assert!((found.lo - exact[0]).abs() <= 5.1e-5 && (found.hi - exact[1]).abs() <= 5.1e-5, "{found:?}");
    }
}

/// For nothing and everything there are closed forms; also with so many samples that 1 - p has no digits left for
/// them.
#[test]
fn nothing_and_everything() {
    for exponent in 0..13 {
        let n = 10u64.pow(exponent);
        for miss in [0.5, 0.05, 1e-3, 1e-12] {
            let confidence = Confidence::with_miss(miss).unwrap();
            let none = interval::clopper_pearson(Tally::new(0, n).unwrap(), confidence, Side::Both);
            assert_eq!(none.lo, 0.0);
            // 1 - (miss/2)^(1/n), by its series where it is small.
            let x = (miss / 2.0f64).ln() / n as f64;
            let upper = if x > -1e-4 {
                -x - x * x / 2.0 - x * x * x / 6.0
            } else {
                1.0 - (miss / 2.0f64).powf(1.0 / n as f64)
            };
            close(none.hi, upper, 1e-9);
            let all = interval::clopper_pearson(Tally::new(n, n).unwrap(), confidence, Side::Both);
            assert_eq!(all.hi, 1.0);
            close(all.lo, (miss / 2.0f64).powf(1.0 / n as f64), 1e-12);
            for interval in [none, all] {
                assert!(interval.width() > 0.0);
            }
            let one_sided = interval::clopper_pearson(Tally::new(0, n).unwrap(), confidence, Side::Upper);
            assert!(one_sided.hi < none.hi && one_sided.lo == 0.0);
            for successes in [0, n] {
                let wilson = interval::wilson(Tally::new(successes, n).unwrap(), confidence, Side::Both);
                assert!(wilson.width() > 0.0 && wilson.lo >= 0.0 && wilson.hi <= 1.0);
            }
        }
    }
    let nothing = Interval { lo: 0.0, hi: 1.0 };
    assert_eq!(interval::clopper_pearson(Tally::default(), level(0.9), Side::Both), nothing);
    assert_eq!(interval::wilson(Tally::default(), level(0.9), Side::Both), nothing);
}

/// The ends are the probabilities under which what was seen, or more extreme, has half the miss: by sums of weights.
#[test]
fn clopper_pearson_by_its_definition() {
    for n in [1usize, 3, 10, 60, 200] {
        for k in (0..=n).step_by(1 + n / 12) {
            for value in [0.6, 0.95, 0.999_99] {
                let found = interval::clopper_pearson(tally(k, n), level(value), Side::Both);
                let tail = level(value).miss() / 2.0;
                if k > 0 {
                    close(binomial(n, found.lo)[k..].iter().rev().sum(), tail, 1e-9);
                }
                if k < n {
                    close(binomial(n, found.hi)[..=k].iter().sum(), tail, 1e-9);
                }
                let proportion = k as f64 / n as f64;
                assert!(found.contains(proportion));
            }
        }
    }
}

/// The ends of Wilson's interval are z standard deviations from the proportion, with the deviation of the end.
#[test]
fn wilson_by_its_definition() {
    for n in [1usize, 3, 10, 60, 2000] {
        for k in (0..=n).step_by(1 + n / 12) {
            let found = interval::wilson(tally(k, n), level(0.95), Side::Both);
            let proportion = k as f64 / n as f64;
            for end in [found.lo, found.hi] {
                let z = (proportion - end).abs() / (end * (1.0 - end) / n as f64).sqrt();
                // At 0 and 1 themselves the deviation is 0.
                if end > 0.0 && end < 1.0 {
                    close(z, 1.959_963_984_540_054, 1e-9);
                } else {
                    assert!(k == 0 || k == n);
                }
            }
        }
    }
}

/// Exact probability that the interval covers.
fn coverage(n: usize, p: f64, interval: impl Fn(Tally) -> Interval) -> f64 {
    let weights = binomial(n, p);
    (0..=n).filter(|&k| interval(tally(k, n)).contains(p)).map(|k| weights[k]).sum()
}

const PROBABILITIES: [f64; 13] =
    [1e-4, 1e-3, 0.01, 0.03, 0.1, 0.25, 0.37, 0.5, 0.7, 0.9, 0.98, 0.995, 0.9999];

#[test]
fn clopper_pearson_covers_everywhere() {
    let (mut total, mut cases) = (0.0, 0.0);
    for n in [1, 5, 20, 101, 400] {
        for p in PROBABILITIES {
            for value in [0.9, 0.99] {
                for side in [Side::Both, Side::Lower, Side::Upper] {
                    let covered =
                        coverage(n, p, |tally| interval::clopper_pearson(tally, level(value), side));
                    assert!(covered >= value - 1e-12, "{n} {p} {value} {side:?}: {covered}");
                    if n == 400 && (0.1..0.9).contains(&p) && value == 0.9 {
                        total += covered;
                        cases += 1.0;
                    }
                }
            }
        }
    }
    // It is not conservative for no reason: for many samples it comes close to its level.
    assert!(total / cases < 0.92, "{}", total / cases);
}

#[test]
fn wilson_covers_on_average() {
    for n in [20, 101, 400] {
        let points: Vec<f64> = (1..100).map(|i| f64::from(i) / 100.0).collect();
        let all: Vec<f64> = points
            .iter()
            .map(|&p| coverage(n, p, |tally| interval::wilson(tally, level(0.95), Side::Both)))
            .collect();
        let mean = all.iter().sum::<f64>() / all.len() as f64;
        assert!((mean - 0.95).abs() < 0.01, "{n}: {mean}");
        let least = all.iter().copied().fold(1.0, f64::min);
        assert!(least > 0.83, "{n}: {least}");
    }
}

#[test]
fn one_sided_ends_are_two_sided_ends_of_twice_the_miss() {
    let (once, twice) = (level(0.95), level(0.9));
    for (k, n) in [(0, 9), (3, 17), (50, 100), (17, 17)] {
        for method in [interval::clopper_pearson, interval::wilson] {
            let both = method(tally(k, n), twice, Side::Both);
            let lower = method(tally(k, n), once, Side::Lower);
            let upper = method(tally(k, n), once, Side::Upper);
            assert!((lower.lo - both.lo).abs() < 1e-14 && lower.hi == 1.0);
            assert!((upper.hi - both.hi).abs() < 1e-14 && upper.lo == 0.0);
        }
    }
}

/// Samples 1..=5: mean 3, standard error sqrt(2.5/5), t(0.975, 4) = 2.776445.
#[test]
fn student_by_hand() {
    let moments = of([1.0, 2.0, 3.0, 4.0, 5.0]);
    let found = interval::mean_student(&moments, level(0.95), Side::Both).unwrap().known().unwrap();
    close(found.lo, 3.0 - 2.776_445_105_197_98 * 0.5f64.sqrt(), 1e-12);
    close(found.hi, 3.0 + 2.776_445_105_197_98 * 0.5f64.sqrt(), 1e-12);
    let normal = interval::mean_normal(&moments, level(0.95), Side::Both).unwrap().known().unwrap();
    close(normal.hi, 3.0 + 1.959_963_984_540_054 * 0.5f64.sqrt(), 1e-12);
    let upper = interval::mean_student(&moments, level(0.975), Side::Upper).unwrap().known().unwrap();
    assert_eq!(upper.lo, f64::NEG_INFINITY);
    close(upper.hi, found.hi, 1e-12);
}

#[test]
fn samples_too_small_to_be_squared_have_a_spread() {
    for scale in [1.0, 1e-100, 1e-160, 1e-200, 1e-300, 5e-324] {
        let samples = [1.0, 2.0, 4.0, 1.0, 3.0, 1.0].map(|v: f64| v * scale);
        let found = interval::mean_student(&of(samples), level(0.99), Side::Both).unwrap().known().unwrap();
        // The interval of the samples as they are without the scale.
        let [lo, hi] = [-0.08, 4.08].map(|end| end * scale);
        assert!(found.lo <= lo && hi <= found.hi, "{scale:e}: {found:?}");
    }
    for special in [f64::NAN, f64::INFINITY, f64::MAX, -f64::MAX] {
        let found = interval::mean_student(&of([1.0, special, 2.0, special]), level(0.99), Side::Both);
        if let Ok(MeanInterval::Known(found)) = found {
            assert!(found.lo <= found.hi, "{special}: {found:?}");
        }
    }
}

#[test]
fn no_spread_is_said() {
    let level = level(0.9);
    let ask = |moments: &Moments| interval::mean_student(moments, level, Side::Both).unwrap();
    assert_eq!(ask(&Moments::new()), MeanInterval::TooFew { samples: 0 });
    assert_eq!(ask(&of([2.0])), MeanInterval::TooFew { samples: 1 });
    assert_eq!(ask(&of([2.0; 7])), MeanInterval::AllEqual { value: 2.0, samples: 7 });
    assert_eq!(ask(&of([2.0; 7])).known(), None);
    // The smallest difference makes an interval, and never one of width 0.
    for (x, y) in [(1.0, 1.0 + f64::EPSILON), (0.0, f64::from_bits(1)), (1e-200, 2e-200), (1e150, 1.5e150)] {
        assert!(ask(&of([x, y])).known().unwrap().width() > 0.0, "{x} {y}");
    }
    for bad in [f64::NAN, f64::INFINITY] {
        assert_eq!(interval::mean_student(&of([1.0, bad]), level, Side::Both), Err(Error::NotFinite));
        assert_eq!(
            interval::mean_within(&of([1.0, bad]), Range::UNIT, level, Side::Both),
            Err(Error::NotFinite)
        );
    }
}

#[test]
fn a_known_range_gives_a_bound_for_equal_samples() {
    let range = Range::new(-1.0, 3.0).unwrap();
    let ask = |moments: &Moments, side| interval::mean_within(moments, range, level(0.95), side).unwrap();
    assert_eq!(ask(&Moments::new(), Side::Both), Interval { lo: -1.0, hi: 3.0 });
    assert_eq!(ask(&of([2.0]), Side::Both), Interval { lo: -1.0, hi: 3.0 });
    let found = ask(&of([2.0; 101]), Side::Both);
    let share = 1.0 - 0.05f64.powf(0.01);
    close(found.lo, 2.0 - 3.0 * share, 1e-12);
    close(found.hi, 2.0 + share, 1e-12);
    let lower = ask(&of([2.0; 101]), Side::Lower);
    assert_eq!(lower, Interval { lo: found.lo, hi: 3.0 });
    // Twice as many samples, half the width.
    let more = ask(&of([2.0; 201]), Side::Both);
    assert!((more.width() / found.width() - 0.5).abs() < 0.01);
    assert_eq!(
        interval::mean_within(&of([2.0, 3.5]), range, level(0.95), Side::Both),
        Err(Error::OutsideRange { min: 2.0, max: 3.5 })
    );
}

/// With values on several atoms: the probability that all samples are equal and the bound misses, exactly.
#[test]
fn the_bound_for_equal_samples_misses_as_seldom_as_it_says() {
    let mut random = Random(8);
    let mut closest: f64 = 0.0;
    for _ in 0..2000 {
        let n = 2 + random.below(60);
        let miss = [0.5, 0.1, 0.01][random.below(3)];
        // One heavy atom, and the rest on others.
        let heavy = 1.0 - 10f64.powf(-3.0 * support::uniform(&mut random));
        let atoms = [0.0, 1.0, 0.5];
        let weights = [heavy, (1.0 - heavy) * 0.9, (1.0 - heavy) * 0.1];
        let mean: f64 = atoms.iter().zip(weights).map(|(value, weight)| value * weight).sum();
        let missed: f64 = atoms
            .iter()
            .zip(weights)
            .filter(|(value, _)| {
                let samples = of(std::iter::repeat_n(**value, n));
                let confidence = Confidence::with_miss(miss).unwrap();
                !interval::mean_within(&samples, Range::UNIT, confidence, Side::Both).unwrap().contains(mean)
            })
            .map(|(_, weight)| weight.powi(n as i32))
            .sum();
        assert!(missed <= miss * (1.0 + 1e-9), "{n} {heavy}: {missed} > {miss}");
        closest = closest.max(missed / miss);
    }
    assert!(closest > 0.5, "the bound is not loose either: {closest}");
}

/// Sampled coverage of intervals for means.
fn sampled(
    seed: u64,
    n: usize,
    mean: f64,
    mut draw: impl FnMut(&mut Random) -> f64,
    ask: impl Fn(&Moments) -> Interval,
) -> f64 {
    const RUNS: usize = 20_000;
    let mut random = Random(seed);
    let covered = (0..RUNS).filter(|_| ask(&of((0..n).map(|_| draw(&mut random)))).contains(mean)).count();
    covered as f64 / RUNS as f64
}

/// The standard deviation of a share of 20 000 runs is 0.0021 at 0.9.
#[test]
fn student_covers_normal_samples_exactly() {
    for n in [2, 3, 10] {
        let ask = |m: &Moments| interval::mean_student(m, level(0.9), Side::Both).unwrap().known().unwrap();
        let covered = sampled(21, n, 0.0, gaussian, ask);
        assert!((covered - 0.9).abs() < 0.008, "{n}: {covered}");
        let ask = |m: &Moments| interval::mean_student(m, level(0.9), Side::Upper).unwrap().known().unwrap();
        let covered = sampled(22, n, 0.0, gaussian, ask);
        assert!((covered - 0.9).abs() < 0.008, "{n}: {covered}");
        // The normal interval is too short for few samples: the test can tell.
        let ask = |m: &Moments| interval::mean_normal(m, level(0.9), Side::Both).unwrap().known().unwrap();
        assert!(sampled(23, n, 0.0, gaussian, ask) < 0.89);
    }
}

#[test]
fn student_covers_skewed_samples_nearly() {
    let ask = |m: &Moments| interval::mean_student(m, level(0.95), Side::Both).unwrap().known().unwrap();
    let covered = sampled(31, 200, 1.0, exponential, ask);
    assert!((0.938..0.955).contains(&covered), "{covered}");
    let covered = sampled(32, 200, 0.2, skewed, ask);
    assert!((0.938..0.955).contains(&covered), "{covered}");
}

#[test]
fn bounds_for_ranges_cover_skewed_samples() {
    for n in [1, 4, 50] {
        let hoeffding =
            |m: &Moments| interval::mean_hoeffding(m, Range::UNIT, level(0.9), Side::Both).unwrap();
        let bernstein =
            |m: &Moments| interval::mean_bernstein(m, Range::UNIT, level(0.9), Side::Both).unwrap();
        assert!(sampled(41, n, 0.2, skewed, hoeffding) >= 0.9);
        assert!(sampled(42, n, 0.2, skewed, bernstein) >= 0.9);
    }
    // For proportions exactly.
    for n in [1, 10, 100] {
        for p in PROBABILITIES {
            for side in [Side::Both, Side::Lower, Side::Upper] {
                for value in [0.6, 0.9] {
                    let ask = |t: Tally| {
                        interval::mean_hoeffding(&t.moments(), Range::UNIT, level(value), side).unwrap()
                    };
                    assert!(coverage(n, p, ask) >= value - 1e-12);
                    let ask = |t: Tally| {
                        interval::mean_bernstein(&t.moments(), Range::UNIT, level(value), side).unwrap()
                    };
                    assert!(coverage(n, p, ask) >= value - 1e-12);
                }
            }
        }
    }
}

/// Where the variance is small, Bernstein's interval is the shorter one.
#[test]
fn bernstein_knows_the_variance() {
    let moments = tally(10, 100_000).moments();
    let hoeffding = interval::mean_hoeffding(&moments, Range::UNIT, level(0.95), Side::Both).unwrap();
    let bernstein = interval::mean_bernstein(&moments, Range::UNIT, level(0.95), Side::Both).unwrap();
    assert!(bernstein.width() < 0.1 * hoeffding.width());
}

#[test]
fn large_counts() {
    let n = 1_000_000_000_000u64;
    for successes in [1, 1000, 500_000_000_000, n - 1] {
        let found = interval::clopper_pearson(Tally::new(successes, n).unwrap(), level(0.99), Side::Both);
        let (k, rest) = (successes as f64, (n - successes) as f64);
        // Next to 1 floats are 1e-16 apart, which is much for an end that is 1e-12 away from it.
        let relative = if rest < 10.0 { 0.05 } else { 1e-6 };
        close(beta::tails(k, rest + 1.0, found.lo).lower, 0.005, relative);
        close(beta::tails(k + 1.0, rest, found.hi).upper, 0.005, relative);
        let wilson = interval::wilson(Tally::new(successes, n).unwrap(), level(0.99), Side::Both);
        assert!(wilson.overlaps(found) && found.contains(k / n as f64));
    }
    // A handful of successes is a Poisson count: the exact upper end for 1 is the root of (1 + x) exp(-x) = 0.025.
    let one = interval::clopper_pearson(Tally::new(1, n).unwrap(), level(0.95), Side::Both);
    close(one.hi * n as f64, 5.571_643_390_938, 1e-9);
    close(one.lo * n as f64, 0.025_317_807_984, 1e-9);
}

#[test]
fn intervals_meet() {
    let unit = Interval { lo: 0.0, hi: 1.0 };
    assert!(unit.overlaps(Interval { lo: 1.0, hi: 2.0 }) && unit.overlaps(Interval { lo: -1.0, hi: 5.0 }));
    assert!(!unit.overlaps(Interval { lo: 1.1, hi: 2.0 }));
    assert!(unit.contains(1.0) && !unit.contains(f64::NAN));
    for (lo, hi) in [(1.0, 0.0), (f64::NAN, 1.0), (0.0, f64::INFINITY), (-1e308, 1e308)] {
        assert!(Range::new(lo, hi).is_err());
    }
    for value in [0.0, 1.0, -0.5, 2.0, f64::NAN, 1.0 - 1e-17] {
        assert!(Confidence::new(value).is_err());
    }
    close(Confidence::with_miss(1e-20).unwrap().miss(), 1e-20, 0.0);
    close(level(0.95).shared(10).miss(), 0.005, 1e-12);
}
