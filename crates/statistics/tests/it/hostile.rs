//! Whatever numbers come in, there is an answer or an error: no panic, and no interval whose ends are not in order.

use crate::support;
use volvelle_random::Random;
use volvelle_statistics::bayes::{BayesTest, Beta};
use volvelle_statistics::sequential::{ChowRobbins, CoveredProportion, EbStop, Schedule, Target};
use volvelle_statistics::size::{self, Basis};
use volvelle_statistics::special::{beta, normal, student};
use volvelle_statistics::sprt::{Question, Sprt};
use volvelle_statistics::{
    Comparison, Confidence, Interval, Moments, Range, Side, Tally, interval, several, verdict,
};

/// Ordinary numbers, extreme ones, and what is none.
fn number(random: &mut Random) -> f64 {
    match random.below(5) {
        0 => f64::from_bits(random.bits()),
        1 => random.pick(&[
            0.0,
            -0.0,
            1.0,
            0.5,
            -1.0,
            f64::MIN_POSITIVE,
            f64::MAX,
            f64::INFINITY,
            f64::NEG_INFINITY,
            f64::NAN,
        ]),
        2 => support::uniform(random) * 10f64.powi(random.below(40) as i32 - 20),
        3 => 1.0 - support::uniform(random) * 10f64.powi(-(random.below(17) as i32)),
        _ => support::uniform(random),
    }
}

fn count(random: &mut Random) -> u64 {
    random.bits() >> random.below(64)
}

fn side(random: &mut Random) -> Side {
    random.pick(&[Side::Both, Side::Lower, Side::Upper])
}

#[track_caller]
fn in_order(interval: Interval) {
    assert!(interval.lo <= interval.hi, "{interval:?}");
}

#[test]
fn special_functions() {
    let mut random = Random(1);
    for _ in 0..20_000 {
        let [a, b, x] = [0; 3].map(|_| number(&mut random));
        let tails = beta::tails(a, b, x);
        assert!(tails.lower.is_nan() || (0.0..=1.0).contains(&tails.lower), "{a} {b} {x} {tails:?}");
        assert!(tails.upper.is_nan() || (0.0..=1.0).contains(&tails.upper), "{a} {b} {x} {tails:?}");
        let tail = student::upper_tail(x, a);
        assert!(tail.is_nan() || (0.0..=1.0).contains(&tail), "{x} {a} {tail}");
        let tail = normal::upper_tail(x);
        assert!(tail.is_nan() || (0.0..=1.0).contains(&tail));
        normal::quantile_upper(x);
    }
    for _ in 0..500 {
        let [a, b] = [0; 2].map(|_| number(&mut random));
        student::quantile_upper(a, b);
    }
}

#[test]
fn intervals_and_verdicts() {
    let mut random = Random(2);
    for _ in 0..3000 {
        let samples = count(&mut random);
        let tally =
            Tally::new(count(&mut random) % samples.saturating_add(1).max(1), samples).unwrap_or_default();
        let Ok(confidence) = Confidence::with_miss(number(&mut random)) else { continue };
        let side = side(&mut random);
        in_order(interval::clopper_pearson(tally, confidence, side));
        in_order(interval::wilson(tally, confidence, side));
        let value = Interval { lo: number(&mut random), hi: number(&mut random) };
        if let Ok(verdict) = verdict::of_proportion(tally, value) {
            assert!((0.0..=1.0).contains(&verdict.p_value), "{tally:?} {value:?} {verdict:?}");
        }
        let mut moments = tally.moments();
        if random.one_in(2) {
            moments = Moments::new();
        }
        (0..random.below(5)).for_each(|_| moments.push(number(&mut random)));
        let range = Range::new(number(&mut random), number(&mut random)).ok();
        for method in [interval::mean_student, interval::mean_normal] {
            if let Some(found) = method(&moments, confidence, side).ok().and_then(|found| found.known()) {
                in_order(found);
            }
        }
        for method in [interval::mean_within, interval::mean_hoeffding, interval::mean_bernstein] {
            if let Ok(found) = method(&moments, range.unwrap_or(Range::UNIT), confidence, side) {
                in_order(found);
            }
        }
        if let Ok(verdict) = verdict::of_mean(&moments, range, value) {
            assert!((0.0..=1.0).contains(&verdict.p_value), "{moments:?} {value:?} {verdict:?}");
        }
    }
}

#[test]
fn plans() {
    let mut random = Random(3);
    for _ in 0..3000 {
        let [x, y, width] = [0; 3].map(|_| number(&mut random));
        let Ok(confidence) = Confidence::with_miss(number(&mut random)) else { continue };
        let basis = match random.below(4) {
            0 => Basis::Normal { variance: x },
            1 => Basis::Student { variance: x },
            2 => Basis::Hoeffding { range: Range::new(x, y).unwrap_or(Range::UNIT) },
            _ => Basis::Massart { within: Interval { lo: x, hi: y } },
        };
        let samples = count(&mut random);
        if let Ok(found) = size::samples(basis, width, confidence) {
            assert!(size::miss_probability(basis, found, width).unwrap() <= confidence.miss());
        }
        if let Ok(found) = size::half_width(basis, samples, confidence) {
            assert!(found >= 0.0, "{basis:?} {samples} {found}");
        }
        let _ = size::confidence(basis, samples, width);
        let _ = size::samples_for_relative_width(x, width, confidence);
    }
}

#[test]
fn tests_and_rules() {
    let mut random = Random(4);
    for _ in 0..3000 {
        let [x, y, z, w] = [0; 4].map(|_| number(&mut random));
        let comparison =
            random.pick(&[Comparison::AtLeast, Comparison::Above, Comparison::AtMost, Comparison::Below]);
        let question = Question { comparison, threshold: x, indifference: y, alpha: z, beta: w };
        if let Ok(mut test) = Sprt::new(question) {
            test.extend((0..50).map(|_| random.one_in(2)));
            assert!(!test.log_ratio().is_nan(), "{question:?}");
        }
        if let Ok(mut test) =
            Beta::new(y, z).and_then(|prior| BayesTest::new(comparison, x, prior, w.abs() * 100.0))
        {
            for _ in 0..20 {
                test.push(random.one_in(2));
            }
            assert!(!test.log_factor().is_nan() && !test.belief().is_nan(), "{test:?}");
        }
        let target = if random.one_in(2) { Target::Absolute(y) } else { Target::Relative(y) };
        let Ok(confidence) = Confidence::with_miss(z) else { continue };
        let samples = count(&mut random) >> 1;
        let tally = Tally::new(count(&mut random) % (samples + 1), samples).unwrap();
        let mut moments = Moments::new();
        (0..random.below(5)).for_each(|_| moments.push(number(&mut random)));
        if let Ok(rule) = ChowRobbins::new(target, confidence, 3) {
            rule.check_proportion(tally);
            let _ = rule.check(&moments);
            let _ = rule.check(&tally.moments());
        }
        if let Ok(mut rule) = CoveredProportion::new(target, confidence, None) {
            rule.check(tally);
        }
        if let Ok(mut rule) = EbStop::new(Range::new(x, w).unwrap_or(Range::UNIT), target, confidence) {
            let _ = rule.check(&moments);
            let _ = rule.check(&tally.moments());
        }
        if let Ok(schedule) = Schedule::new(count(&mut random), x) {
            assert!(schedule.take(100).is_sorted());
        }
        let _ = several::holm(&[x, y, z, w]);
        let _ = several::at_least_misses(samples, tally.successes(), x);
    }
}
