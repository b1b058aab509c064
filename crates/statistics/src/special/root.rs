//! Roots of monotone functions, to the last bit.

/// The smallest `x` in `lo..=hi` (both nonnegative, `lo <= hi`) for which `holds(x)`, where `holds` is false up to
/// some point and true from there on; `hi` where it is false throughout.
///
/// Bisection over the bit patterns of nonnegative floats, which are ordered like the floats: at most 64 evaluations,
/// as exact near 0 as anywhere, and no criterion for convergence.
pub(crate) fn smallest(lo: f64, hi: f64, holds: impl Fn(f64) -> bool) -> f64 {
    // Adding 0.0 makes +0 of -0, whose bits would be the largest of all.
    let (mut lo, mut hi) = ((lo + 0.0).to_bits(), (hi + 0.0).to_bits());
    while lo < hi {
        let mid = lo + (hi - lo) / 2;
        if holds(f64::from_bits(mid)) {
            hi = mid;
        } else {
            lo = mid + 1;
        }
    }
    f64::from_bits(hi)
}

#[cfg(test)]
mod tests {
    use super::smallest;

    #[test]
    fn the_smallest_float_that_holds() {
        let root = smallest(0.0, 2.0, |x| x * x >= 2.0);
        assert!(root * root >= 2.0);
        let below = f64::from_bits(root.to_bits() - 1);
        assert!(below * below < 2.0);
    }

    #[test]
    fn the_ends() {
        assert_eq!(smallest(0.0, 1.0, |_| true), 0.0);
        assert_eq!(smallest(-0.0, 1.0, |_| true), 0.0);
        assert_eq!(smallest(0.0, 1.0, |_| false), 1.0);
        assert_eq!(smallest(0.0, f64::MAX, |x| x >= 1e-300), 1e-300);
    }
}
