//! Arithmetic on bounds `[lo, hi]`, rounded outwards unless the result is exact.
//!
//! Error-free transformations (Knuth's two-sum, fused multiply-add) decide whether a sum, product or quotient of two doubles
//! is exact, so that `2 * 3` stays 6 and can be compared for equality.
//! `None` is returned where a result is undefined for some numbers within the bounds (0/0, inf - inf).

use volvelle_logic::Comparison;

/// A lower and an upper bound; equal where the number is known exactly.
pub type Interval = [f64; 2];

fn outward(lo: (f64, bool), hi: (f64, bool)) -> Option<Interval> {
    if lo.0.is_nan() || hi.0.is_nan() {
        return None;
    }
    let down = |(v, exact): (f64, bool)| if exact { v } else { v.next_down() };
    let up = |(v, exact): (f64, bool)| if exact { v } else { v.next_up() };
    Some([down(lo), up(hi)])
}

fn add_exactly(a: f64, b: f64) -> (f64, bool) {
    let sum = a + b;
    let back = sum - a;
    let error = (a - (sum - back)) + (b - back);
    (sum, error == 0.0 || sum.is_infinite() && (a.is_infinite() || b.is_infinite()))
}

fn multiply_exactly(a: f64, b: f64) -> (f64, bool) {
    if a == 0.0 || b == 0.0 {
        return if a.is_infinite() || b.is_infinite() { (f64::NAN, false) } else { (0.0, true) };
    }
    let product = a * b;
    let exact = product.is_infinite() && (a.is_infinite() || b.is_infinite())
        || product.abs() > 1e-280 && a.mul_add(b, -product) == 0.0;
    (product, exact)
}

fn divide_exactly(a: f64, b: f64) -> (f64, bool) {
    let quotient = a / b;
    let exact = a == 0.0 && b != 0.0
        || b.is_infinite() && a.is_finite()
        || quotient.is_infinite() && (a.is_infinite() || b == 0.0)
        || quotient.abs() > 1e-280 && quotient.is_finite() && quotient.mul_add(b, -a) == 0.0;
    (quotient, exact)
}

/// `a + b`
#[inline]
pub fn add(a: Interval, b: Interval) -> Option<Interval> {
    outward(add_exactly(a[0], b[0]), add_exactly(a[1], b[1]))
}

/// `a - b`
#[inline]
pub fn sub(a: Interval, b: Interval) -> Option<Interval> {
    add(a, [-b[1], -b[0]])
}

fn extremes(corners: [(f64, bool); 4]) -> Option<Interval> {
    if corners.iter().any(|c| c.0.is_nan()) {
        return None;
    }
    let lo = corners.into_iter().reduce(|a, b| if b.0 < a.0 || (b.0 == a.0 && !b.1) { b } else { a })?;
    let hi = corners.into_iter().reduce(|a, b| if b.0 > a.0 || (b.0 == a.0 && !b.1) { b } else { a })?;
    outward(lo, hi)
}

/// `a b`
pub fn mul(a: Interval, b: Interval) -> Option<Interval> {
    extremes([
        multiply_exactly(a[0], b[0]),
        multiply_exactly(a[0], b[1]),
        multiply_exactly(a[1], b[0]),
        multiply_exactly(a[1], b[1]),
    ])
}

/// `a / b`
pub fn div(a: Interval, b: Interval) -> Option<Interval> {
    if b[0] != b[1] && b[0] <= 0.0 && b[1] >= 0.0 {
        return Some([f64::NEG_INFINITY, f64::INFINITY]);
    }
    extremes([
        divide_exactly(a[0], b[0]),
        divide_exactly(a[0], b[1]),
        divide_exactly(a[1], b[0]),
        divide_exactly(a[1], b[1]),
    ])
}

/// Whether a comparison holds for all numbers within bounds, or for none.
#[inline]
pub fn decide(comparison: Comparison, [a, b]: Interval, [c, d]: Interval) -> Option<bool> {
    match comparison {
        _ if a.is_nan() || c.is_nan() => Some(false),
        Comparison::Lt if b < c => Some(true),
        Comparison::Lt if a >= d => Some(false),
        Comparison::Le if b <= c => Some(true),
        Comparison::Le if a > d => Some(false),
        Comparison::Gt if a > d => Some(true),
        Comparison::Gt if b <= c => Some(false),
        Comparison::Ge if a >= d => Some(true),
        Comparison::Ge if b < c => Some(false),
        _ => None,
    }
}

/// A function that rises in its argument and is exact on what it returns (floor, ceil, round).
pub fn monotone(a: Interval, f: impl Fn(f64) -> f64) -> Option<Interval> {
    outward((f(a[0]), true), (f(a[1]), true))
}

/// A library function of known accuracy (2 units in the last place), evaluated at the corners, between which
/// it is monotone in each argument.
pub fn library(a: Interval, b: Interval, f: impl Fn(f64, f64) -> f64) -> Option<Interval> {
    let corners = [f(a[0], b[0]), f(a[0], b[1]), f(a[1], b[0]), f(a[1], b[1])];
    if corners.iter().any(|c| c.is_nan()) {
        return None;
    }
    let lo = corners.iter().copied().fold(f64::INFINITY, f64::min);
    let hi = corners.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let whole = lo == hi && lo.fract() == 0.0 && lo.abs() < 2f64.powi(53);
    if whole && a[0].fract() == 0.0 && b[0].fract() == 0.0 && a[0] == a[1] && b[0] == b[1] {
        return Some([lo, hi]);
    }
    Some([lo.next_down().next_down(), hi.next_up().next_up()])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_results_stay_points() {
        assert_eq!(add([2.0, 2.0], [3.0, 3.0]), Some([5.0, 5.0]));
        assert_eq!(mul([2.0, 2.0], [3.5, 3.5]), Some([7.0, 7.0]));
        assert_eq!(div([1.0, 1.0], [4.0, 4.0]), Some([0.25, 0.25]));
        assert_eq!(sub([1.0, 1.0], [1.0, 1.0]), Some([0.0, 0.0]));
        assert_eq!(library([2.0, 2.0], [10.0, 10.0], f64::powf), Some([1024.0, 1024.0]));
        assert_eq!(add([f64::INFINITY; 2], [1.0, 1.0]), Some([f64::INFINITY; 2]));
    }

    #[test]
    fn results_enclose_the_rational_truth() {
        use volvelle_reference::{Random, exact};
        let mut random = Random(5);
        let mut widened = 0;
        for _ in 0..2000 {
            let mut number = || (random.below(2000) as f64 - 1000.0) * [1.0, 0.1, 0.25][random.below(3)];
            let (a, b) = (number(), number());
            let (x, y) = (exact(a), exact(b));
            let mut cases = vec![
                (add([a; 2], [b; 2]), &x + &y),
                (sub([a; 2], [b; 2]), &x - &y),
                (mul([a; 2], [b; 2]), &x * &y),
            ];
            if b != 0.0 {
                cases.push((div([a; 2], [b; 2]), &x / &y));
            }
            for (bounds, truth) in cases {
                let [lo, hi] = bounds.unwrap();
                assert!(exact(lo) <= truth && truth <= exact(hi), "{a} {b}");
                assert_eq!(lo == hi, exact(lo) == truth, "{a} {b}");
                widened += usize::from(lo < hi);
            }
        }
        assert!(widened > 1000, "{widened}");
    }

    #[test]
    fn signs_are_minded() {
        assert_eq!(mul([-2.0, 3.0], [-5.0, 4.0]), Some([-15.0, 12.0]));
        assert_eq!(div([1.0, 2.0], [-1.0, 1.0]), Some([f64::NEG_INFINITY, f64::INFINITY]));
    }

    #[test]
    fn undefined_is_none() {
        assert_eq!(sub([f64::INFINITY; 2], [f64::INFINITY; 2]), None);
        assert_eq!(div([0.0, 0.0], [0.0, 0.0]), None);
        assert_eq!(mul([0.0, 0.0], [f64::INFINITY; 2]), None);
    }
}
