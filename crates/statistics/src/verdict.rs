//! Automatic statistical verification: does a numerical value agree with samples?
//!
//! M. Copik, A. Rataj and B. Woźna-Szcześniak, *A GPGPU-based simulator for Prism: statistical verification of
//! results of PMC*, CS&P 2016. Beside the value v stand the estimate w, the intervals at 90, 95 and 99 %, and the
//! width of the first relative to w.
//!
//! | where v lies | what that means | by chance |
//! |---|---|---|
//! | inside 90 | agrees | |
//! | outside 90, inside 95 | weak doubt | 5 % |
//! | outside 95, inside 99 | doubt | 4 % |
//! | outside 99 | v is probably wrong | 1 % |
//!
//! Whether the intervals are short enough for this to mean anything is another matter: [`Verdict::is_precise`].
//! With many values in a run, correct the p-values by [`crate::several::holm`] and ask [`Place::of_p_value`].

use crate::interval::{self, mean_student, mean_within};
use crate::special::{beta, student};
use crate::{Confidence, Error, Interval, MeanInterval, Moments, Range, Side, Tally};
use serde::{Deserialize, Serialize};

/// The levels of the intervals.
pub const LEVELS: [f64; 3] = [0.90, 0.95, 0.99];

/// The same as probabilities of a miss.
const MISSES: [f64; 3] = [0.10, 0.05, 0.01];

/// Numerical values may leave the domain by rounding; up to this share of its width they count as its end.
const SLACK: f64 = 1e-12;

/// Where a value lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Place {
    /// Inside the 90 % interval: agrees.
    Inside90,
    /// Outside 90 %, inside 95 %: weak doubt.
    Outside90,
    /// Outside 95 %, inside 99 %: doubt.
    Outside95,
    /// Outside 99 %: probably wrong.
    Outside99,
}

impl Place {
    /// By the probability with which samples would lie as far from the value as they do, or further, if it were
    /// right.
    pub fn of_p_value(p: f64) -> Self {
        Self::outside(MISSES.map(|miss| p < miss))
    }

    /// By the intervals at [`LEVELS`].
    fn among(intervals: [Interval; 3], value: Interval) -> Self {
        Self::outside(intervals.map(|interval| !interval.overlaps(value)))
    }

    fn outside(outside: [bool; 3]) -> Self {
        match outside {
            [_, _, true] => Self::Outside99,
            [_, true, _] => Self::Outside95,
            [true, _, _] => Self::Outside90,
            _ => Self::Inside90,
        }
    }
}

/// The comparison of a numerical value with samples.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// The estimate.
    pub estimate: f64,
    /// Number of samples.
    pub samples: u64,
    /// The intervals, at [`LEVELS`].
    pub intervals: [Interval; 3],
    /// Width of the first interval over the absolute value of the estimate; nothing where the estimate is 0.
    pub relative_width: Option<f64>,
    /// Where the value lies. It lies inside where its bounds have a point in common with the interval.
    pub place: Place,
    /// The probability with which samples would lie as far from the value (the nearest of its bounds), or further, if
    /// it were right.
    pub p_value: f64,
}

impl Verdict {
    /// Where another value lies.
    pub fn place_of(&self, value: Interval) -> Place {
        Place::among(self.intervals, value)
    }

    /// Whether the relative width is known and below a limit.
    pub fn is_precise(&self, limit: f64) -> bool {
        self.relative_width.is_some_and(|width| width < limit)
    }
}

/// Why there is no verdict.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum NoVerdict {
    /// All samples of a mean are equal, and no range is known: there is no bound on how far the mean may be
    /// away.
    AllEqual {
        /// The value of the samples.
        value: f64,
        /// How many there are.
        samples: u64,
    },
    /// No samples, or one without a known range.
    TooFew {
        /// How many there are.
        samples: u64,
    },
    /// Something is wrong with the samples or the value.
    Unsound(Error),
}

impl From<Error> for NoVerdict {
    fn from(error: Error) -> Self {
        Self::Unsound(error)
    }
}

/// Compares a value, known to lie in `value` (a point where there are no bounds), with the mean of samples. Where the
/// range of samples is known, it bounds the mean also if all samples are equal.
///
/// # Errors
///
/// [`NoVerdict`] says why there is none.
pub fn of_mean(moments: &Moments, range: Option<Range>, value: Interval) -> Result<Verdict, NoVerdict> {
    check(value)?;
    let samples = moments.count();
    let Some(estimate) = moments.mean() else { return Err(NoVerdict::TooFew { samples }) };
    let ask = |miss| -> Result<Interval, NoVerdict> {
        let confidence = Confidence::with_miss(miss)?;
        if let Some(range) = range {
            return Ok(mean_within(moments, range, confidence, Side::Both)?);
        }
        match mean_student(moments, confidence, Side::Both)? {
            MeanInterval::Known(interval) => Ok(interval),
            MeanInterval::AllEqual { value, samples } => Err(NoVerdict::AllEqual { value, samples }),
            MeanInterval::TooFew { samples } => Err(NoVerdict::TooFew { samples }),
        }
    };
    let intervals = [ask(MISSES[0])?, ask(MISSES[1])?, ask(MISSES[2])?];
    let value = range.map_or(value, |range| settle(value, range));
    let p_value = match range {
        Some(range) if value.hi < range.lo() || value.lo > range.hi() => 0.0,
        Some(range) if samples < 2 || moments.all_equal().is_some() => {
            equal_p_value(estimate, samples, range, value)
        }
        _ => student_p_value(moments, estimate, value),
    };
    Ok(verdict(estimate, samples, intervals, value, p_value))
}

/// Compares a value, known to lie in `value` (a point where there are no bounds), with a share of successes.
///
/// # Errors
///
/// [`NoVerdict`] says why there is none.
pub fn of_proportion(tally: Tally, value: Interval) -> Result<Verdict, NoVerdict> {
    check(value)?;
    let Some(estimate) = tally.proportion() else { return Err(NoVerdict::TooFew { samples: 0 }) };
    let ask = |miss| -> Result<Interval, NoVerdict> {
        Ok(interval::clopper_pearson(tally, Confidence::with_miss(miss)?, Side::Both))
    };
    let intervals = [ask(MISSES[0])?, ask(MISSES[1])?, ask(MISSES[2])?];
    let value = settle(value, Range::UNIT);
    let (successes, samples) = (tally.successes(), tally.samples());
    let p_value = if value.hi < 0.0 || value.lo > 1.0 {
        0.0
    } else if value.hi < estimate {
        2.0 * beta::binomial_at_least(successes, samples, value.hi)
    } else if value.lo > estimate {
        2.0 * beta::binomial_at_most(successes, samples, value.lo)
    } else {
        1.0
    };
    Ok(verdict(estimate, samples, intervals, value, p_value.min(1.0)))
}

fn verdict(estimate: f64, samples: u64, intervals: [Interval; 3], value: Interval, p_value: f64) -> Verdict {
    let relative_width = (estimate != 0.0).then(|| intervals[0].width() / estimate.abs());
    let place = Place::among(intervals, value);
    Verdict { estimate, samples, intervals, relative_width, place, p_value }
}

/// Infinite ends are values too: a numerical engine may report that a reward is infinite, or has no upper bound.
fn check(value: Interval) -> Result<(), Error> {
    if value.lo <= value.hi { Ok(()) } else { Err(Error::Range { lo: value.lo, hi: value.hi }) }
}

/// Puts ends that are outside the domain by no more than rounding on its ends.
fn settle(value: Interval, range: Range) -> Interval {
    let slack = SLACK * range.width().max(range.lo().abs()).max(range.hi().abs());
    let settle = |end: f64| {
        let near = end.clamp(range.lo(), range.hi());
        if (end - near).abs() <= slack { near } else { end }
    };
    Interval { lo: settle(value.lo), hi: settle(value.hi) }
}

fn student_p_value(moments: &Moments, mean: f64, value: Interval) -> f64 {
    let Some(error) = moments.standard_error() else { return 1.0 };
    let away = (value.lo - mean).max(mean - value.hi) - moments.rounding();
    if away <= 0.0 {
        return 1.0;
    }
    // Where samples do not differ, rounding was all there was.
    if error == 0.0 {
        return 0.0;
    }
    2.0 * student::upper_tail(away / error, (moments.count() - 1) as f64)
}

/// The miss of [`mean_within`] for equal samples whose interval just reaches the value.
fn equal_p_value(found: f64, samples: u64, range: Range, value: Interval) -> f64 {
    let (away, room) = if value.hi < found {
        (found - value.hi, found - range.lo())
    } else if value.lo > found {
        (value.lo - found, range.hi() - found)
    } else {
        return 1.0;
    };
    let others = samples.saturating_sub(1) as f64;
    if others == 0.0 { 1.0 } else { (others * (-away / room).ln_1p()).exp() }
}
