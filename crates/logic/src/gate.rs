//! The gate: the only way from the numbers of an engine to an answer that is `exact`, `sound` or `statistical`.
//!
//! Floating-point arithmetic goes wrong quietly: a sum overflows, the quotient of two infinities is no number, and comparisons with
//! that are all false, so that an extreme is taken over nothing and a lower bound ends up above the upper one. So no engine
//! states a guarantee itself. It hands its bounds to a [`Range`], which knows where a number of that kind lies, and gets them
//! back cut to it, or a [`Flaw`]. What has a flaw says nothing: the engine computes it in another way, or answers with the whole
//! range, which is true of every number of that kind. The variants of [`Guarantee`] can be made in this crate only, and are in this module
//! only.

use crate::answer::Guarantee;

/// Where a number lies by its nature, whatever is computed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    least: f64,
    most: f64,
}

/// The reason why bounds are worth nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flaw {
    /// One of them is no number.
    NotANumber,
    /// The lower one is above the upper one.
    Reversed,
    /// No number of that kind lies between them.
    Outside,
}

impl std::fmt::Display for Flaw {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Flaw::NotANumber => "a bound that is no number",
            Flaw::Reversed => "a lower bound above the upper bound",
            Flaw::Outside => "bounds outside the range of such numbers",
        })
    }
}

impl Range {
    /// Any number, also an infinite one.
    pub const ANY: Range = Range { least: f64::NEG_INFINITY, most: f64::INFINITY };

    /// Probabilities and shares.
    pub const PROBABILITY: Range = Range { least: 0.0, most: 1.0 };

    /// Times, costs and other sums of what is not negative; they may be infinite.
    pub const AMOUNT: Range = Range { least: 0.0, most: f64::INFINITY };

    /// What lies between two numbers, such as an average between the least and the greatest of what is averaged. An end that is no number
    /// is none; without any number in between, all numbers are.
    pub fn between(least: f64, most: f64) -> Self {
        let least = if least.is_nan() { f64::NEG_INFINITY } else { least };
        let most = if most.is_nan() { f64::INFINITY } else { most };
        if least <= most { Range { least, most } } else { Range::ANY }
    }

    /// The bounds that are true of every number of this kind.
    pub fn whole(self) -> [f64; 2] {
        [self.least, self.most]
    }

    /// Bounds of a number of this kind, cut to its range.
    ///
    /// # Errors
    /// They contradict themselves, or the range.
    pub fn admit(self, [lo, hi]: [f64; 2]) -> Result<[f64; 2], Flaw> {
        if lo.is_nan() || hi.is_nan() {
            return Err(Flaw::NotANumber);
        }
        if lo > hi {
            return Err(Flaw::Reversed);
        }
        let cut = [lo.max(self.least), hi.min(self.most)];
        if cut[0] <= cut[1] { Ok(cut) } else { Err(Flaw::Outside) }
    }

    /// Bounds of a number of this kind, or the whole range where these have a flaw.
    pub fn admit_or_whole(self, bounds: [f64; 2]) -> [f64; 2] {
        self.admit(bounds).unwrap_or(self.whole())
    }

    /// The same for many bounds; the number of those with a flaw.
    pub fn admit_all(self, all: &mut [[f64; 2]]) -> usize {
        let mut flawed = 0;
        for bounds in all {
            *bounds = self.admit(*bounds).unwrap_or_else(|_| {
                flawed += 1;
                self.whole()
            });
        }
        flawed
    }
}

/// Bounds of the probabilities of alternatives of which one comes about: each is a probability, and the lower bounds sum to at most one,
/// the upper ones to at least one. Where they do not, nothing is known of any of them; says whether that is so.
pub fn admit_distribution(all: &mut [[f64; 2]]) -> bool {
    let flawed = Range::PROBABILITY.admit_all(all);
    let sums = all.iter().fold([0.0; 2], |sums, bounds| [sums[0] + bounds[0], sums[1] + bounds[1]]);
    // A sum of so many terms is off by about as many roundings.
    let rounding = (all.len() + 1) as f64 * f64::EPSILON;
    let is_possible = sums[0] <= 1.0 + rounding && (all.is_empty() || sums[1] >= 1.0 - rounding);
    if !is_possible {
        all.fill(Range::PROBABILITY.whole());
    }
    flawed > 0 || !is_possible
}

/// The guarantee of what no rounding enters: truth by a graph algorithm or a complete search, fractions.
pub fn exact() -> Guarantee {
    Guarantee::Exact
}

/// The guarantee of a number between two bounds: exact where they are equal.
///
/// # Errors
/// Bounds with a flaw.
pub fn enclosed([lo, hi]: [f64; 2]) -> Result<Guarantee, Flaw> {
    let [lo, hi] = Range::ANY.admit([lo, hi])?;
    Ok(if lo == hi { Guarantee::Exact } else { Guarantee::Sound { lo, hi } })
}

/// The guarantee of the mean of samples. An interval with a flaw is none.
pub fn sampled(interval: Option<[f64; 2]>, confidence: f64, samples: u64) -> Guarantee {
    let interval = interval.and_then(|interval| Range::ANY.admit(interval).ok());
    Guarantee::Statistical { interval, confidence, samples }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPECIAL: [f64; 9] =
        [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 5e-324, -5e-324, 0.0, 0.5, 1.5, f64::MAX];

    #[test]
    fn no_nonsense_passes_as_a_narrow_interval() {
        for lo in SPECIAL {
            for hi in SPECIAL {
                let is_ordered = lo <= hi;
                for range in [Range::ANY, Range::PROBABILITY, Range::AMOUNT, Range::between(0.5, 2.0)] {
                    let is_sane = is_ordered && lo <= range.most && hi >= range.least;
                    match range.admit([lo, hi]) {
                        Ok([a, b]) => assert!(is_sane && range.least <= a && a <= b && b <= range.most),
                        Err(_) => assert!(!is_sane, "{lo} {hi}"),
                    }
                    let [a, b] = range.admit_or_whole([lo, hi]);
                    assert!(is_sane || [a, b] == range.whole(), "{lo} {hi}");
                }
                match enclosed([lo, hi]) {
                    Ok(Guarantee::Sound { lo: a, hi: b }) => assert!(a < b && [a, b] == [lo, hi]),
                    Ok(_) => assert!(lo == hi),
                    Err(_) => assert!(!is_ordered),
                }
                match sampled(Some([lo, hi]), 0.99, 10) {
                    Guarantee::Statistical { interval: Some([a, b]), .. } => assert!(a <= b),
                    Guarantee::Statistical { interval: None, .. } => assert!(!is_ordered),
                    other => panic!("{other:?}"),
                }
            }
        }
    }

    #[test]
    fn shares_that_do_not_sum_to_one_say_nothing() {
        let mut fine = [[0.25, 0.5], [0.5, 0.75]];
        assert!(!admit_distribution(&mut fine));
        assert_eq!(fine, [[0.25, 0.5], [0.5, 0.75]]);
        for mut wrong in [[[0.6, 0.6], [0.5, 0.5]], [[0.0, 0.1], [0.0, 0.2]], [[f64::NAN, 0.1], [0.9, 1.0]]] {
            assert!(admit_distribution(&mut wrong));
            assert_eq!(wrong[0], [0.0, 1.0]);
        }
    }

    #[test]
    fn ranges_without_numbers_are_all_numbers() {
        assert_eq!(Range::between(2.0, 1.0), Range::ANY);
        assert_eq!(Range::between(f64::NAN, 1.0).whole(), [f64::NEG_INFINITY, 1.0]);
    }
}
