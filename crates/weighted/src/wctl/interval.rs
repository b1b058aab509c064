//! Intervals of rational weights as closed intervals of integers, and sums of weights below a bound.

use crate::Failure;
use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;
use volvelle_logic::WeightInterval;

/// The multiples of `unit` in an interval: the least, and the largest if there is an end. `None` if there are
/// none.
///
/// Ends that do not fit into 64 bits become `u64::MAX`. This never makes an answer wrong: if it is an end, a
/// sum of weights that exceeds 64 bits is [`Failure::Overflow`].
pub fn closed(interval: &WeightInterval, unit: &RBig) -> Option<(u64, Option<u64>)> {
    let scaled = &interval.lower.amount / unit;
    let mut lower = scaled.ceil();
    if interval.lower.strict && scaled == RBig::from(lower.clone()) {
        lower += IBig::ONE;
    }
    let lower = lower.max(IBig::ZERO);
    let upper = match &interval.upper {
        None => None,
        Some(limit) => {
            let scaled = &limit.amount / unit;
            let mut upper = scaled.floor();
            if limit.strict && scaled == RBig::from(upper.clone()) {
                upper -= IBig::ONE;
            }
            if upper < lower {
                return None;
            }
            Some(saturated(upper))
        }
    };
    Some((saturated(lower), upper))
}

fn saturated(number: IBig) -> u64 {
    let (_, magnitude): (_, UBig) = number.into_parts();
    u64::try_from(magnitude).unwrap_or(u64::MAX)
}

/// Bounds from here on may stand for larger ones, or are so close to 64 bits that sums say nothing.
const LARGE: u64 = 1 << 62;

/// The sum of a weight of at most `bound` and another one; if 64 bits do not suffice, some number above
/// `2 * bound`.
///
/// # Errors
/// The sum does not fit, and the bound is too large to say more.
#[inline]
pub(super) fn sum(weight: u64, more: u64, bound: u64) -> Result<u64, Failure> {
    match weight.checked_add(more) {
        Some(sum) => Ok(sum),
        None if bound < LARGE => Ok(u64::MAX),
        None => Err(Failure::Overflow),
    }
}

/// The sum of two weights, but at most `cap`: larger sums need not be distinguished.
///
/// # Errors
/// The sum reaches the end of 64 bits, which may stand for larger numbers.
#[inline]
pub(super) fn capped(weight: u64, more: u64, cap: u64) -> Result<u64, Failure> {
    let sum = weight.saturating_add(more).min(cap);
    if sum == u64::MAX { Err(Failure::Overflow) } else { Ok(sum) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use volvelle_logic::Limit;

    fn ratio(text: &str) -> RBig {
        text.parse().expect("a fraction")
    }

    fn of(lower: (&str, bool), upper: Option<(&str, bool)>, unit: &str) -> Option<(u64, Option<u64>)> {
        let limit = |(amount, strict): (&str, bool)| Limit { amount: ratio(amount), strict };
        closed(&WeightInterval { lower: limit(lower), upper: upper.map(limit) }, &ratio(unit))
    }

    #[test]
    fn ends() {
        assert_eq!(of(("0", false), None, "3"), Some((0, None)));
        assert_eq!(of(("0", true), None, "1/3"), Some((1, None)));
        assert_eq!(of(("1", false), Some(("3", true)), "1"), Some((1, Some(2))));
        // 2.5 and 3.5 are no multiples of 1: strict or not is the same.
        for strict in [false, true] {
            assert_eq!(of(("5/2", strict), Some(("7/2", strict)), "1"), Some((3, Some(3))));
        }
        assert_eq!(of(("5/2", true), Some(("7/2", true)), "1/2"), Some((6, Some(6))));
        assert_eq!(of(("5/4", false), Some(("7/4", false)), "1"), None);
        assert_eq!(of(("0", false), Some(("0", true)), "1"), None);
        assert_eq!(of(("0", false), Some(("0", false)), "1"), Some((0, Some(0))));
        assert_eq!(of(("2", true), Some(("2", false)), "1"), None);
    }

    #[test]
    fn ends_beyond_64_bits() {
        let large = "36893488147419103232";
        assert_eq!(of(("0", false), Some((large, false)), "1"), Some((0, Some(u64::MAX))));
        assert_eq!(of((large, false), Some((large, true)), "1"), None);
        assert_eq!(of((large, true), None, "1"), Some((u64::MAX, None)));
        assert_eq!(sum(u64::MAX, 1, u64::MAX), Err(Failure::Overflow));
        assert_eq!(sum(7, u64::MAX, 7), Ok(u64::MAX));
        assert_eq!(capped(7, u64::MAX, 9), Ok(9));
        assert_eq!(capped(7, u64::MAX, u64::MAX), Err(Failure::Overflow));
    }
}
