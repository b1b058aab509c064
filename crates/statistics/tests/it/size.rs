//! Sample sizes against published values, against each other, and against exact probabilities of a miss.

use crate::support::{binomial, close, level, uniform};
use volvelle_random::Random;
use volvelle_statistics::size::{self, Basis};
use volvelle_statistics::special::normal;
use volvelle_statistics::{Confidence, Error, Interval, Range};

const UNIT: Basis = Basis::Hoeffding { range: Range::UNIT };

fn massart(lo: f64, hi: f64) -> Basis {
    Basis::Massart { within: Interval { lo, hi } }
}

/// n = ln(2/0.01) / (2 · 0.01²) = 26491.6: the size that APMC and its successors use for half-width 0.01 at 99 %.
#[test]
fn okamoto() {
    assert_eq!(size::samples(UNIT, 0.01, level(0.99)), Ok(26_492));
    assert_eq!(size::samples(UNIT, 0.05, level(0.95)), Ok(738));
    // A range twice as wide needs four times as many.
    let wide = Basis::Hoeffding { range: Range::new(-1.0, 1.0).unwrap() };
    assert_eq!(size::samples(wide, 0.01, level(0.99)), Ok(105_967));
}

/// W. G. Cochran, *Sampling techniques*, chapter 4: z² p q / d² = 1.96² · 0.25 / 0.05² = 384.1.
#[test]
fn normal_sizes() {
    assert_eq!(size::samples(Basis::Normal { variance: 0.25 }, 0.05, level(0.95)), Ok(385));
    let h = size::half_width(Basis::Normal { variance: 4.0 }, 100, level(0.95)).unwrap();
    close(h, 1.959_963_984_540_054 * 0.2, 1e-12);
    let found = size::confidence(Basis::Normal { variance: 4.0 }, 100, 0.4).unwrap();
    close(found.miss(), 2.0 * normal::upper_tail(2.0), 1e-12);
    // t(0.975, 4) = 2.776445.
    let h = size::half_width(Basis::Student { variance: 2.5 }, 5, level(0.95)).unwrap();
    close(h, 2.776_445_105_197_98 * 0.5f64.sqrt(), 1e-10);
}

/// The formula of Massart's theorem by hand, for an interval that is a point, and the savings that the paper is
/// about.
#[test]
fn massart_sizes() {
    let (p, h, delta) = (0.01f64, 0.001f64, 0.05f64);
    let by_hand = 2.0 / (9.0 * h * h) * (2.0 / delta).ln() * (3.0 * p + h) * (3.0 * (1.0 - p) - h);
    assert_eq!(size::samples(massart(p, p), h, level(0.95)), Ok(by_hand.ceil() as u64));
    // Symmetric.
    assert_eq!(
        size::samples(massart(0.01, 0.02), h, level(0.95)),
        size::samples(massart(0.98, 0.99), h, level(0.95))
    );
    // Where 1/2 is possible there is nothing to save; else there is.
    let okamoto = size::samples(UNIT, h, level(0.95)).unwrap();
    assert_eq!(size::samples(massart(0.2, 0.6), h, level(0.95)), Ok(okamoto));
    assert!(size::samples(massart(0.0, 0.01), h, level(0.95)).unwrap() * 20 < okamoto);
    assert_eq!(size::samples(massart(0.0, 1.0), 2.0, level(0.95)), Ok(1));
}

fn basis(random: &mut Random) -> Basis {
    let scale = 10f64.powf(6.0 * uniform(random) - 3.0);
    match random.below(4) {
        0 => Basis::Normal { variance: scale },
        1 => Basis::Student { variance: scale },
        2 => Basis::Hoeffding { range: Range::new(-scale, scale).unwrap() },
        _ => {
            let lo = uniform(random);
            massart(lo, lo + (1.0 - lo) * uniform(random))
        }
    }
}

#[test]
fn each_of_the_three_from_the_others() {
    let mut random = Random(17);
    for _ in 0..400 {
        let basis = basis(&mut random);
        let confidence = Confidence::with_miss(10f64.powf(-12.0 * uniform(&mut random)) * 0.9).unwrap();
        let scale = match basis {
            Basis::Normal { variance } | Basis::Student { variance } => variance.sqrt(),
            Basis::Hoeffding { range } => range.width(),
            Basis::Massart { .. } => 1.0,
        };
        let h = scale * 10f64.powf(-5.0 * uniform(&mut random)) * 0.3;
        let n = size::samples(basis, h, confidence).unwrap();
        assert!(size::miss_probability(basis, n, h).unwrap() <= confidence.miss());
        // One less is not enough.
        let fewest = if matches!(basis, Basis::Student { .. }) { 2 } else { 1 };
        if n > fewest {
            assert!(size::miss_probability(basis, n - 1, h).unwrap() > confidence.miss(), "{basis:?} {n}");
        }
        let width = size::half_width(basis, n, confidence).unwrap();
        assert!(width <= h && width > 0.0);
        close(size::miss_probability(basis, n, width).unwrap(), confidence.miss(), 1e-6);
    }
}

/// Hoeffding's and Massart's probabilities of a miss bound the exact ones, and Massart's is the smaller.
#[test]
fn promised_misses_bound_exact_ones() {
    for n in [1usize, 7, 50, 300] {
        for p in [1e-3, 0.02, 0.1, 0.3, 0.48, 0.5, 0.9, 0.999] {
            let weights = binomial(n, p);
            for h in [0.01, 0.03, 0.1, 0.3, 0.7] {
                let exact: f64 = (0..=n)
                    .filter(|&k| (k as f64 / n as f64 - p).abs() > h + 1e-12)
                    .map(|k| weights[k])
                    .sum();
                let okamoto = size::miss_probability(UNIT, n as u64, h).unwrap();
                let sharper = size::miss_probability(massart(p, p), n as u64, h).unwrap();
                let vague = size::miss_probability(massart(p * 0.9, p * 1.1), n as u64, h).unwrap();
                assert!(
                    exact <= sharper + 1e-12 && sharper <= vague && vague <= okamoto + 1e-15,
                    "{n} {p} {h}"
                );
            }
        }
    }
}

/// p = 1e-6: (2 · 1.645 / 0.1)² · 1e6 paths for a relative width of a tenth at 90 %.
#[test]
fn rare_events() {
    let n = size::samples_for_relative_width(1e-6, 0.1, level(0.9)).unwrap();
    close(n as f64, (2.0 * 1.644_853_626_951_473f64 / 0.1).powi(2) * 1e6, 1e-5);
    assert_eq!(size::samples_for_relative_width(1e-300, 0.1, level(0.9)), Err(Error::TooMany));
    assert_eq!(size::samples_for_relative_width(0.0, 0.1, level(0.9)), Err(Error::Probability(0.0)));
}

#[test]
fn nonsense_is_refused() {
    let level = level(0.9);
    for h in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(size::samples(UNIT, h, level), Err(Error::Width(_))));
    }
    for variance in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(size::half_width(Basis::Normal { variance }, 5, level), Err(Error::Variance(_))));
    }
    let point = Basis::Hoeffding { range: Range::new(1.0, 1.0).unwrap() };
    assert!(size::samples(point, 0.1, level).is_err());
    assert!(size::samples(massart(0.5, 0.2), 0.1, level).is_err());
    assert!(size::samples(massart(f64::NAN, 2.0), 0.1, level).is_err());
    assert!(size::samples(massart(-1.0, f64::INFINITY), 0.1, level).is_ok(), "cut to [0, 1]");
    assert_eq!(size::half_width(UNIT, 0, level), Err(Error::TooFew { needed: 1 }));
    assert_eq!(
        size::half_width(Basis::Student { variance: 1.0 }, 1, level),
        Err(Error::TooFew { needed: 2 })
    );
    assert_eq!(size::half_width(UNIT, u64::MAX, level), Err(Error::TooMany));
    assert_eq!(size::samples(UNIT, 1e-9, level), Err(Error::TooMany));
    assert!(matches!(size::confidence(UNIT, 1, 1e-6), Err(Error::Confidence(_))), "nothing can be said");
}
