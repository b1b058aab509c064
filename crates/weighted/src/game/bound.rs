//! How far the weight of an answer may be from that of a step: bounds, and the windows of integers that they
//! allow.

use crate::Failure;
use dashu_ratio::RBig;
use std::cmp::Ordering;
use volvelle_space::WeightedStructure;

/// The kind of distance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Weighted branching distance (Definition 11): a step of weight `w` is answered by a weight from `w(1-e)` to `w(1+e)`.
    Wbd,
    /// Existential bounded distance (Definition 14): a step of weight `w` is answered by a weight up to `w(1+e)`.
    Ebd,
}

/// A non-negative fraction `top / bottom`, not necessarily in lowest terms. Comparisons are those of the
/// numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ratio {
    pub top: u64,
    pub bottom: u64,
}

impl Ratio {
    pub const ZERO: Ratio = Ratio { top: 0, bottom: 1 };
    pub const ONE: Ratio = Ratio { top: 1, bottom: 1 };

    /// The number.
    pub fn exact(self) -> RBig {
        RBig::from_parts(self.top.into(), self.bottom.into())
    }

    /// The fraction of a number, if its terms fit.
    pub fn of(number: &RBig) -> Option<Ratio> {
        let top = u64::try_from(number.numerator().clone()).ok()?;
        Some(Ratio { top, bottom: u64::try_from(number.denominator().clone()).ok()? })
    }
}

impl Ord for Ratio {
    fn cmp(&self, other: &Self) -> Ordering {
        let left = u128::from(self.top) * u128::from(other.bottom);
        left.cmp(&(u128::from(other.top) * u128::from(self.bottom)))
    }
}

impl PartialOrd for Ratio {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Ratio {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Ratio {}

/// A bound on the deviation of answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bound {
    /// Any finite deviation.
    Finite,
    /// At most this.
    AtMost(Ratio),
    /// Less than this, which is positive.
    Below(Ratio),
}

impl Bound {
    /// Whether the relation at this bound contains that at another one.
    pub fn covers(self, other: Bound) -> bool {
        match (self, other) {
            (Bound::Finite, _) => true,
            (_, Bound::Finite) => false,
            (Bound::Below(most), Bound::AtMost(other)) => other < most,
            (Bound::Below(most) | Bound::AtMost(most), Bound::Below(other) | Bound::AtMost(other)) => {
                other <= most
            }
        }
    }

    /// The least and the largest weight of an answer to a step of this weight. A largest weight that does not
    /// fit is capped at the largest number; sums of weights are smaller (see [`check_weights`]).
    pub fn window(self, kind: Kind, weight: u64) -> (u64, u64) {
        if weight == 0 {
            return (0, 0);
        }
        let w = u128::from(weight);
        let clamp = |number: u128| u64::try_from(number).unwrap_or(u64::MAX);
        match self {
            Bound::Finite => (0, u64::MAX),
            Bound::AtMost(e) => {
                let (top, bottom) = (u128::from(e.top), u128::from(e.bottom));
                let high = clamp(w * (bottom + top) / bottom);
                let wide = kind == Kind::Ebd || top >= bottom;
                (if wide { 0 } else { clamp((w * (bottom - top)).div_ceil(bottom)) }, high)
            }
            Bound::Below(e) => {
                let (top, bottom) = (u128::from(e.top), u128::from(e.bottom));
                let high = clamp((w * (bottom + top)).div_ceil(bottom) - 1);
                let wide = kind == Kind::Ebd || top > bottom;
                (if wide { 0 } else { clamp(w * (bottom - top) / bottom + 1) }, high)
            }
        }
    }
}

/// The deviation of an answer's weight from a step's weight; `None` if it is an answer at no bound.
pub(crate) fn deviation(kind: Kind, weight: u64, answer: u64) -> Option<Ratio> {
    let top = match kind {
        Kind::Ebd => answer.saturating_sub(weight),
        Kind::Wbd => answer.abs_diff(weight),
    };
    match (top, weight) {
        (0, _) => Some(Ratio::ZERO),
        (_, 0) => None,
        _ => Some(Ratio { top, bottom: weight }),
    }
}

/// Rejects weights whose sums along simple paths need more than 60 bits. Afterwards, no sum or product of
/// fractions overflows.
pub(crate) fn check_weights(structure: &WeightedStructure) -> Result<u64, Failure> {
    (structure.num_states() as u64 + 1)
        .checked_mul(structure.largest_weight().max(1))
        .filter(|&largest| largest < 1 << 60)
        .ok_or(Failure::Overflow)
}

/// The simplest fraction strictly between two: the one with the least denominator, and among these with the
/// least numerator (Stern-Brocot). `None` if a term needs more than 62 bits.
pub(crate) fn simplest_between(low: (u128, u128), high: (u128, u128)) -> Option<Ratio> {
    // Continued fractions of both, while they agree. `high` may become infinite: (1, 0).
    let ((mut a, mut b), (mut c, mut d)) = (low, high);
    let (mut previous, mut current) = ((0u128, 1u128), (1u128, 0u128));
    loop {
        let digit = a / b;
        // Whether digit + 1 is strictly below the upper end.
        let inside = d == 0 || (digit + 1).checked_mul(d)? < c;
        let take = if inside { digit + 1 } else { digit };
        let next = (
            take.checked_mul(current.0)?.checked_add(previous.0)?,
            take.checked_mul(current.1)?.checked_add(previous.1)?,
        );
        if next.0 >= 1 << 62 || next.1 >= 1 << 62 {
            return None;
        }
        if inside {
            return Some(Ratio { top: next.0 as u64, bottom: next.1 as u64 });
        }
        (previous, current) = (current, next);
        // x = digit + 1/y: y lies between 1/(high - digit) and 1/(low - digit).
        (a, b, c, d) = (d, c - digit * d, b, a - digit * b);
        if b == 0 {
            return None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By definition: tries all fractions, by denominator.
    fn search(low: (u128, u128), high: (u128, u128)) -> Ratio {
        for bottom in 1u128.. {
            let top = low.0 * bottom / low.1 + 1;
            if top * high.1 < high.0 * bottom {
                return Ratio { top: top as u64, bottom: bottom as u64 };
            }
        }
        unreachable!("fractions are dense")
    }

    #[test]
    fn simplest_fractions() {
        for (b, d) in (1..14).flat_map(|b| (1..14).map(move |d| (b, d))) {
            for (a, c) in (0..30).flat_map(|a| (0..30).map(move |c| (a, c))) {
                if a * d < c * b {
                    let found = simplest_between((a, b), (c, d)).expect("small");
                    let expected = search((a, b), (c, d));
                    assert_eq!((found.top, found.bottom), (expected.top, expected.bottom), "{a}/{b} {c}/{d}");
                }
            }
        }
    }

    #[test]
    fn windows_are_deviations() {
        let ratios = [(0, 1), (1, 3), (1, 2), (2, 3), (1, 1), (4, 3), (5, 2)];
        for (top, bottom) in ratios {
            let e = Ratio { top, bottom };
            for (weight, answer) in (0..12).flat_map(|w| (0..40).map(move |a| (w, a))) {
                for kind in [Kind::Wbd, Kind::Ebd] {
                    let deviation = deviation(kind, weight, answer);
                    let within = |bound: Bound| {
                        let (low, high) = bound.window(kind, weight);
                        (low..=high).contains(&answer)
                    };
                    assert_eq!(within(Bound::AtMost(e)), deviation.is_some_and(|d| d <= e));
                    assert_eq!(within(Bound::Finite), deviation.is_some());
                    if top > 0 {
                        assert_eq!(within(Bound::Below(e)), deviation.is_some_and(|d| d < e));
                    }
                }
            }
        }
    }
}
