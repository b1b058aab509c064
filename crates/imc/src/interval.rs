//! Interval arithmetic on doubles, every operation rounded outwards.

use volvelle_logic::gate::Range;

/// Lower and upper bound of a number.
pub type Bounds = [f64; 2];

/// The interval of a single number.
pub(crate) fn point(value: f64) -> Bounds {
    [value; 2]
}

/// Valid bounds: an end that is NaN (for example, the difference of two overflows) becomes infinite.
fn known([lo, hi]: Bounds) -> Bounds {
    [if lo.is_nan() { f64::NEG_INFINITY } else { lo }, if hi.is_nan() { f64::INFINITY } else { hi }]
}

fn down(value: f64) -> f64 {
    if value == 0.0 { value } else { value.next_down() }
}

fn up(value: f64) -> f64 {
    if value == 0.0 { value } else { value.next_up() }
}

/// The sum. A zero that is exact stays exact.
pub(crate) fn add(a: Bounds, b: Bounds) -> Bounds {
    if a == [0.0; 2] {
        return b;
    }
    if b == [0.0; 2] {
        return a;
    }
    known([(a[0] + b[0]).next_down(), (a[1] + b[1]).next_up()])
}

/// The negative.
pub(crate) fn negative(a: Bounds) -> Bounds {
    [-a[1], -a[0]]
}

/// The difference.
pub(crate) fn subtract(a: Bounds, b: Bounds) -> Bounds {
    add(a, negative(b))
}

/// The product. Infinite ends stand for finite numbers without a known bound, so zero times any of them is
/// zero.
pub(crate) fn multiply(a: Bounds, b: Bounds) -> Bounds {
    if a == [0.0; 2] || b == [0.0; 2] {
        return [0.0; 2];
    }
    if a == [1.0; 2] {
        return b;
    }
    if b == [1.0; 2] {
        return a;
    }
    let corner = |x: f64, y: f64| if x == 0.0 || y == 0.0 { 0.0 } else { x * y };
    let corners = [corner(a[0], b[0]), corner(a[0], b[1]), corner(a[1], b[0]), corner(a[1], b[1])];
    if corners.iter().any(|corner| corner.is_nan()) {
        return Range::ANY.whole();
    }
    // A product of zero may have underflowed; its neighbours enclose the true value.
    let is_below = corners.iter().copied().fold(f64::INFINITY, f64::min);
    let is_above = corners.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let least = if a[0] >= 0.0 && b[0] >= 0.0 { down(is_below) } else { is_below.next_down() };
    let most = if is_above == 0.0 { is_above.next_up() } else { up(is_above) };
    [least, most]
}

/// The quotient by a number. If the divisor may be zero, there is no upper bound.
pub(crate) fn divide(a: Bounds, b: Bounds) -> Bounds {
    if b == [1.0; 2] {
        return a;
    }
    if b[0] <= 0.0 {
        return [if a[0] < 0.0 { f64::NEG_INFINITY } else { 0.0 }, f64::INFINITY];
    }
    if a == [0.0; 2] {
        return a;
    }
    let least = a[0] / if a[0] < 0.0 { b[0] } else { b[1] };
    let most = a[1] / if a[1] < 0.0 { b[1] } else { b[0] };
    let most = if most.is_nan() { f64::INFINITY } else { most.next_up() };
    let least =
        if least.is_nan() { if a[0] < 0.0 { f64::NEG_INFINITY } else { 0.0 } } else { least.next_down() };
    [least, most]
}

/// The intersection. If it is empty, one interval is wrong, so only their hull is known.
pub(crate) fn meet(a: Bounds, b: Bounds) -> Bounds {
    let both = [a[0].max(b[0]), a[1].min(b[1])];
    if both[0] <= both[1] { both } else { [a[0].min(b[0]), a[1].max(b[1])] }
}

/// A number within the bounds: the middle where they are finite.
pub fn middle(bounds: Bounds) -> f64 {
    let [lo, hi] = bounds;
    match (lo == hi, lo.is_finite(), hi.is_finite()) {
        (true, ..) | (_, true, false) => lo,
        (_, true, true) => lo + 0.5 * (hi - lo),
        _ => hi,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use volvelle_random::Random;

    #[test]
    fn results_lie_inside() {
        let mut random = Random(3);
        let mut number = || (random.below(2001) as f64 - 1000.0) / 64.0;
        for _ in 0..2000 {
            let sort = |a: f64, b: f64| [a.min(b), a.max(b)];
            let (a, b) = (sort(number(), number()), sort(number(), number()));
            let (x, y) = (middle(a), middle(b));
            let holds = |bounds: Bounds, value: f64| bounds[0] <= value && value <= bounds[1];
            assert!(holds(add(a, b), x + y) && holds(subtract(a, b), x - y) && holds(multiply(a, b), x * y));
            assert!(b[0] <= 0.0 || holds(divide(a, b), x / y), "{a:?} / {b:?}");
        }
        assert_eq!(multiply([0.0; 2], [1.0, 5.0]), [0.0; 2]);
        let endless = [1.0, f64::INFINITY];
        assert_eq!(multiply([0.0, 1.0], endless), [0.0, f64::INFINITY]);
        assert_eq!(subtract(endless, endless), [f64::NEG_INFINITY, f64::INFINITY]);
        assert_eq!(divide([f64::MAX, f64::INFINITY], endless)[1], f64::INFINITY);
        assert!(divide([1.0, 2.0], [0.0, 1.0])[1] == f64::INFINITY);
    }

    #[test]
    fn no_operation_on_special_numbers_is_narrow_and_wrong() {
        let special = [f64::NEG_INFINITY, -1e300, -5e-324, 0.0, 5e-324, 1e-300, 1.0, 1e300, f64::INFINITY];
        let all: Vec<Bounds> = special
            .iter()
            .flat_map(|&lo| special.iter().filter(move |&&hi| lo <= hi).map(move |&hi| [lo, hi]))
            .collect();
        for &a in &all {
            for &b in &all {
                let quotient = if b[0] >= 0.0 { divide(a, b) } else { Range::ANY.whole() };
                for [lo, hi] in [add(a, b), subtract(a, b), multiply(a, b), quotient, meet(a, b)] {
                    assert!(lo <= hi, "{a:?} {b:?}: {lo} {hi}");
                }
            }
        }
        assert_eq!(meet([1.0, 2.0], [3.0, 4.0]), [1.0, 4.0]);
    }
}
