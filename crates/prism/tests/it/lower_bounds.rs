//! Bounds of values hold all results.

use volvelle_prism::lower::bounds::{Bounds, equal, less};

/// Every pair of values of small bounds stays inside the bounds of the result.
#[test]
fn sound_on_small_ranges() {
    let values = [-3.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0, f64::INFINITY];
    for (i, &a) in values.iter().enumerate() {
        for (j, &b) in values.iter().enumerate() {
            for (k, &c) in values.iter().enumerate() {
                for (l, &d) in values.iter().enumerate() {
                    if i > j || k > l {
                        continue;
                    }
                    check(Bounds { lo: a, hi: b }, Bounds { lo: c, hi: d }, &values[i..=j], &values[k..=l]);
                }
            }
        }
    }
}

type Operation = (Option<Bounds>, fn(f64, f64) -> f64);

fn check(x: Bounds, y: Bounds, xs: &[f64], ys: &[f64]) {
    let operations: [Operation; 6] = [
        (x.plus(y), |x, y| x + y),
        (x.minus(y), |x, y| x - y),
        (x.times(y), |x, y| x * y),
        (x.divided(y), |x, y| x / y),
        (Some(x.min(y)), f64::min),
        (Some(x.max(y)), f64::max),
    ];
    for &p in xs {
        for &q in ys {
            for (bounds, f) in operations {
                if let Some(bounds) = bounds {
                    let value = f(p, q);
                    assert!(bounds.lo <= value && value <= bounds.hi, "{p} {q}: {value} not in {bounds:?}");
                }
            }
            assert!(less(x, y).is_none_or(|answer| answer == (p < q)));
            assert!(equal(x, y).is_none_or(|answer| answer == (p == q)));
        }
    }
}
