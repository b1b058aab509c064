//! Tails and quantiles against values computed with 50 digits (mpmath: incomplete beta function, or quadrature of the
//! density), against printed tables, and against sums of binomial weights.

use crate::support::{binomial, close, uniform};
use volvelle_random::Random;
use volvelle_statistics::special::{beta, normal, student};

/// a, b, x, mass below x.
const BETA_LOWER: &[(f64, f64, f64, f64)] = &[
    (1.0, 10.0, 1e-12, 9.999999999955e-12),
    (3.0, 7.0, 0.1, 0.05297213800000001),
    (0.5, 0.5, 0.01, 0.06376856085851985),
    (50.0, 50.0, 0.3, 1.5547799761443295e-05),
    (500.0, 500.0, 0.49, 0.2635756083565853),
    (2.0, 1000000.0, 1e-08, 4.9667963337782826e-05),
    (10.0, 1000000000000.0, 1e-12, 1.1142547834378954e-07),
    (10.0, 1000000000000.0, 5e-12, 0.031828057307474095),
    (10000.0, 1000000000000.0, 9.9e-09, 0.15865143213324828),
    (1000000.0, 1000000000000.0, 9.97e-07, 0.001342496202400485),
    (500000.0, 500000.0, 0.499, 0.022750050961631484),
    (500000.0, 500000.0, 0.4999, 0.42074030933095263),
    (500000000000.0, 500000000000.0, 0.499998, 3.16712418305771e-05),
    (500000000000.0, 500000000000.0, 0.4999995, 0.15865525392449903),
    (300000000.0, 700000000.0, 0.29995, 0.00027984906954286787),
    (1000000000000.0, 10.0, 0.99999999998, 0.0049954074950328215),
    (1000000000000.0, 200000.0, 0.999999798, 4.133502159701305e-06),
    (3000.0, 3000.0, 0.45, 4.078593275452821e-15),
    (1000000.0, 3.0, 0.9999, 1.888147603593188e-40),
    (400000000000000.0, 600000000000000.0, 0.39999995, 0.0006244154046173071),
];

/// a, b, x, mass above x.
const BETA_UPPER: &[(f64, f64, f64, f64)] = &[
    (10.0, 1000000000000.0, 3e-11, 7.121750859846309e-06),
    (500000000000.0, 500000000000.0, 0.5000035, 1.2798125422939515e-12),
    (10000.0, 1000000000000.0, 1.03e-08, 0.0014704899844472726),
    (0.5, 20.0, 0.4, 7.011611054066504e-06),
    (1000000.0, 3.0, 0.9999995, 0.014387725349102733),
    (700000000.0, 300000000.0, 0.70005, 0.0002798490695468395),
];

/// t, degrees of freedom, mass above t.
const STUDENT: &[(f64, f64, f64)] = &[
    (1.0, 1.0, 0.25),
    (12.7, 1.0, 0.02501216384467208),
    (1000000.0, 1.0, 3.1830988618368455e-07),
    (2.0, 2.0, 0.09175170953613698),
    (3.0, 5.0, 0.015049623948731286),
    (2.6, 10.0, 0.013245748757047555),
    (0.01, 10.0, 0.4961089874954857),
    (8.0, 30.0, 3.1329112378503795e-09),
    (2.0, 1999.0, 0.022817670433079102),
    (7.0, 1999.0, 1.7404977964325474e-12),
    (2.0, 2000.0, 0.022817636655847406),
    (7.0, 2000.0, 1.7402344940047608e-12),
    (20.0, 2000.0, 1.4357948448065456e-81),
    (2.5, 1000000.0, 0.006209744751081623),
    (37.0, 100000.0, 5.987313886561339e-298),
    (7.0, 1000000000000.0, 1.279812544685123e-12),
];

/// Mass above, degrees of freedom, t.
const STUDENT_QUANTILES: &[(f64, f64, f64)] = &[
    (0.025, 1.0, 12.706204736174705),
    (0.005, 1.0, 63.65674116287158),
    (1e-06, 1.0, 318309.8861827435),
    (0.025, 2.0, 4.302652729749464),
    (0.005, 5.0, 4.032142983555228),
    (0.025, 10.0, 2.228138851986275),
    (1e-12, 10.0, 40.5320961786626),
    (0.025, 30.0, 2.042272456301238),
    (0.05, 1000.0, 1.6463788172854648),
    (1e-12, 1000.0, 7.1242289253144095),
];

/// z, mass above z.
const NORMAL: &[(f64, f64)] = &[
    (0.5, 0.3085375387259869),
    (1.2, 0.11506967022170828),
    (2.0, 0.02275013194817921),
    (5.0, 2.866515718791939e-07),
    (7.0, 1.279812543885835e-12),
    (12.0, 1.776482112077679e-33),
    (30.0, 4.906713927148187e-198),
];

/// Mass above z, z.
const NORMAL_QUANTILES: &[(f64, f64)] = &[
    (0.4, 0.2533471031357997),
    (0.1, 1.2815515655446004),
    (0.05, 1.6448536269514726),
    (0.025, 1.9599639845400543),
    (0.005, 2.575829303548901),
    (0.0001, 3.7190164854556804),
    (1e-12, 7.034483825301132),
    (1e-30, 11.464024688443615),
    (1e-200, 30.20559417957964),
    (1e-300, 37.0470962993612),
];

#[test]
fn beta_against_many_digits() {
    for &(a, b, x, mass) in BETA_LOWER {
        close(beta::tails(a, b, x).lower, mass, 1e-12);
    }
    for &(a, b, x, mass) in BETA_UPPER {
        close(beta::tails(a, b, x).upper, mass, 1e-12);
    }
}

#[test]
fn student_against_many_digits() {
    for &(t, freedom, mass) in STUDENT {
        // So far out that Hill's transformation has lost some digits; nobody asks for 1e-298.
        let relative = if mass < 1e-60 { 1e-7 } else { 1e-12 };
        close(student::upper_tail(t, freedom), mass, relative);
        close(student::upper_tail(-t, freedom), 1.0 - mass, 1e-14);
    }
    for &(mass, freedom, t) in STUDENT_QUANTILES {
        close(student::quantile_upper(mass, freedom), t, 1e-12);
    }
}

#[test]
fn normal_against_many_digits() {
    for &(z, mass) in NORMAL {
        close(normal::upper_tail(z), mass, 1e-12);
        close(normal::upper_tail(-z), 1.0 - mass, 1e-14);
    }
    for &(mass, z) in NORMAL_QUANTILES {
        close(normal::quantile_upper(mass), z, 1e-14);
    }
    assert_eq!(normal::quantile_upper(0.0), f64::INFINITY);
    assert_eq!(normal::quantile_upper(1.0), f64::NEG_INFINITY);
    assert!(normal::quantile_upper(-0.1).is_nan());
    assert!(normal::quantile_upper(f64::NAN).is_nan());
}

/// E. S. Pearson and H. O. Hartley, *Biometrika tables for statisticians* I, table 12.
#[test]
fn student_against_the_printed_table() {
    for (freedom, at_025, at_005) in [
        (1.0, 12.706, 63.657),
        (2.0, 4.303, 9.925),
        (10.0, 2.228, 3.169),
        (30.0, 2.042, 2.750),
        (120.0, 1.980, 2.617),
    ] {
        assert!((student::quantile_upper(0.025, freedom) - at_025).abs() <= 5.1e-4);
        assert!((student::quantile_upper(0.005, freedom) - at_005).abs() <= 5.1e-4);
    }
}

/// Both ways to compute it meet where one takes over from the other, and it tends to the normal distribution.
#[test]
fn student_has_no_step_between_its_methods() {
    for t in [0.1, 1.0, 2.0, 5.0, 9.0] {
        let (below, above) = (student::upper_tail(t, 1_999.999_999), student::upper_tail(t, 2000.0));
        close(below, above, 1e-8);
        close(student::upper_tail(t, 1e15), normal::upper_tail(t), 1e-9);
        assert_eq!(student::upper_tail(t, f64::INFINITY), normal::upper_tail(t));
    }
}

#[test]
fn binomial_tails_are_sums_of_weights() {
    for n in [1usize, 2, 7, 30, 300] {
        for p in [1e-6, 0.01, 0.3, 0.5, 0.77, 0.999] {
            let weights = binomial(n, p);
            for k in (0..=n).step_by(1 + n / 25) {
                let at_least: f64 = weights[k..].iter().rev().sum();
                let at_most: f64 = weights[..=k].iter().sum();
                for (found, expected) in [
                    (beta::binomial_at_least(k as u64, n as u64, p), at_least),
                    (beta::binomial_at_most(k as u64, n as u64, p), at_most),
                ] {
                    // Below, floats lose digits.
                    if expected > 1e-290 {
                        close(found, expected, 1e-11);
                    } else {
                        assert!(found < 1e-289);
                    }
                }
            }
        }
    }
    assert_eq!(beta::binomial_at_least(5, 4, 0.5), 0.0);
}

/// For large counts, where sums are out of reach: neighbouring tails differ by a binomial weight, whose ratio to the
/// next one is known.
#[test]
fn large_binomial_tails_obey_the_recurrence() {
    let mut random = Random(5);
    for _ in 0..300 {
        let n = 10f64.powf(2.0 + 10.0 * uniform(&mut random)).floor() as u64;
        let k = ((n as f64).powf(0.3 + 0.7 * uniform(&mut random)) as u64).clamp(3, n - 3);
        // A point within a few standard deviations.
        let (mean, n_float) = (k as f64 / n as f64, n as f64);
        let p = mean + 3.0 * (2.0 * uniform(&mut random) - 1.0) * (mean * (1.0 - mean) / n_float).sqrt();
        let p = p.clamp(mean * 0.1, 1.0 - (1.0 - mean) * 0.1);
        let tail = |k| beta::binomial_at_least(k, n, p);
        let [first, second, third] = [tail(k - 1), tail(k), tail(k + 1)];
        let ratio = (second - third) / (first - second);
        let expected = (n - k + 1) as f64 / k as f64 * p / (1.0 - p);
        // The differences are as small as 1e-7 of what they are made of.
        close(ratio, expected, 1e-4_f64.max(1e-13 * n_float.sqrt() * 100.0));
        close(tail(k) + beta::binomial_at_most(k - 1, n, p), 1.0, 1e-12);
    }
}

#[test]
fn quantiles_are_inverse_to_tails() {
    let mut random = Random(11);
    for _ in 0..400 {
        let a = 10f64.powf(12.0 * uniform(&mut random)).max(0.5);
        let b = 10f64.powf(12.0 * uniform(&mut random)).max(0.5);
        let tail = 10f64.powf(-14.0 * uniform(&mut random));
        let x = beta::quantile_lower(a, b, tail);
        if x < 1.0 - 1e-9 {
            assert!(beta::tails(a, b, x).lower >= tail);
            assert!(beta::tails(a, b, x * (1.0 - 1e-9)).lower <= tail);
        }
        let x = beta::quantile_upper(a, b, tail);
        assert!(beta::tails(a, b, x).upper <= tail);
        assert!(beta::tails(a, b, x * (1.0 - 1e-9)).upper >= tail || x == 1.0);
    }
}

#[test]
fn nonsense_is_not_a_number() {
    for (a, b, x) in
        [(0.0, 1.0, 0.5), (1.0, -1.0, 0.5), (1.0, 1.0, 2.0), (1.0, f64::INFINITY, 0.5), (f64::NAN, 1.0, 0.1)]
    {
        assert!(beta::tails(a, b, x).lower.is_nan(), "{a} {b} {x}");
    }
    assert!(student::upper_tail(1.0, 0.0).is_nan());
    assert!(student::quantile_upper(2.0, 3.0).is_nan());
    assert_eq!(student::upper_tail(f64::INFINITY, 1.0), 0.0);
    assert_eq!(student::upper_tail(f64::MAX, 1e5), 0.0);
}
