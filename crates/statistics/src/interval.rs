//! Intervals of confidence for means and proportions.
//!
//! | function | guarantee |
//! |---|---|
//! | [`clopper_pearson`] | covers with at least the confidence, for every probability and number of samples |
//! | [`wilson`] | covers with about the confidence on average; for single probabilities it may be some points less |
//! | [`mean_student`], [`mean_normal`] | exact (Student) for normal samples; for others as the number of samples grows |
//! | [`mean_hoeffding`], [`mean_bernstein`] | covers with at least the confidence, for samples in a known range |
//! | [`mean_within`] | as Student's, and at least the confidence where all samples are equal |
//!
//! All of them are for a number of samples that was fixed before they were drawn; see [`mod@crate::size`] for how
//! many, and [`crate::sequential`] for rules that look at the samples to know when to stop.

use crate::special::{beta, normal, student};
use crate::{Confidence, Error, Moments, Side, Tally};
use serde::{Deserialize, Serialize};

/// A closed interval; ends may be infinite.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// Lower end.
    pub lo: f64,
    /// Upper end.
    pub hi: f64,
}

impl Interval {
    /// Both ends around a centre.
    pub fn around(centre: f64, half_width: f64) -> Self {
        Self { lo: centre - half_width, hi: centre + half_width }
    }

    /// Distance of the ends.
    pub fn width(self) -> f64 {
        self.hi - self.lo
    }

    /// Whether a value lies in it, ends included.
    pub fn contains(self, value: f64) -> bool {
        self.lo <= value && value <= self.hi
    }

    /// Whether it has a point in common with another.
    pub fn overlaps(self, other: Self) -> bool {
        self.lo <= other.hi && other.lo <= self.hi
    }

    fn cut(self, range: Range) -> Self {
        Self { lo: self.lo.max(range.lo), hi: self.hi.min(range.hi) }
    }
}

/// A range in which all samples are known to lie: finite ends in order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    lo: f64,
    hi: f64,
}

impl Range {
    /// Probabilities and truth values.
    pub const UNIT: Self = Self { lo: 0.0, hi: 1.0 };

    /// From `lo` to `hi`.
    ///
    /// # Errors
    ///
    /// Unless both are finite, `lo <= hi`, and their distance is finite.
    pub fn new(lo: f64, hi: f64) -> Result<Self, Error> {
        if lo <= hi && (hi - lo).is_finite() { Ok(Self { lo, hi }) } else { Err(Error::Range { lo, hi }) }
    }

    /// Lower end.
    pub fn lo(self) -> f64 {
        self.lo
    }

    /// Upper end.
    pub fn hi(self) -> f64 {
        self.hi
    }

    /// Distance of the ends.
    pub fn width(self) -> f64 {
        self.hi - self.lo
    }

    fn interval(self) -> Interval {
        Interval { lo: self.lo, hi: self.hi }
    }

    pub(crate) fn check(self, moments: &Moments) -> Result<(), Error> {
        if !moments.is_finite() {
            return Err(Error::NotFinite);
        }
        match (moments.min(), moments.max()) {
            (Some(min), Some(max)) if min < self.lo || max > self.hi => Err(Error::OutsideRange { min, max }),
            _ => Ok(()),
        }
    }
}

/// The interval for a mean, if the spread of the samples gives one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MeanInterval {
    /// An interval of positive width.
    Known(Interval),
    /// All samples have the same value. Their spread of 0 gives no interval: without a range in which all
    /// samples are known to lie there is no bound. With one, [`mean_within`] gives it.
    AllEqual {
        /// The value.
        value: f64,
        /// How many samples have it, two at least.
        samples: u64,
    },
    /// Fewer than two samples have no spread.
    TooFew {
        /// How many there are.
        samples: u64,
    },
}

impl MeanInterval {
    /// The interval, where there is one.
    pub fn known(self) -> Option<Interval> {
        match self {
            Self::Known(interval) => Some(interval),
            Self::AllEqual { .. } | Self::TooFew { .. } => None,
        }
    }
}

/// Student's interval for a mean.
///
/// # Errors
///
/// [`Error::NotFinite`].
pub fn mean_student(moments: &Moments, confidence: Confidence, side: Side) -> Result<MeanInterval, Error> {
    mean_by_spread(moments, side, |freedom| student::quantile_upper(confidence.tail(side), freedom))
}

/// The interval of the normal approximation for a mean.
///
/// # Errors
///
/// [`Error::NotFinite`].
pub fn mean_normal(moments: &Moments, confidence: Confidence, side: Side) -> Result<MeanInterval, Error> {
    mean_by_spread(moments, side, |_| normal::quantile_upper(confidence.tail(side)))
}

fn mean_by_spread(
    moments: &Moments,
    side: Side,
    quantile: impl Fn(f64) -> f64,
) -> Result<MeanInterval, Error> {
    if !moments.is_finite() {
        return Err(Error::NotFinite);
    }
    let samples = moments.count();
    let (Some(mean), Some(error)) = (moments.mean(), moments.standard_error()) else {
        return Ok(MeanInterval::TooFew { samples });
    };
    if let Some(value) = moments.all_equal() {
        return Ok(MeanInterval::AllEqual { value, samples });
    }
    // Samples may differ by next to nothing; only rounding is left then.
    let away = (quantile((samples - 1) as f64) * error + moments.rounding()).max(f64::MIN_POSITIVE);
    Ok(MeanInterval::Known(one_sided(Interval::around(mean, away), side)))
}

/// Without the end that carries no information. One-sided levels below 1/2 would put the end on the other side of the
/// mean; then the mean itself is the end.
fn one_sided(interval: Interval, side: Side) -> Interval {
    match side {
        Side::Both => interval,
        Side::Lower => Interval { lo: interval.lo, hi: f64::INFINITY },
        Side::Upper => Interval { lo: f64::NEG_INFINITY, hi: interval.hi },
    }
}

/// An interval for the mean of any samples in a known range: Student's if they differ; the
/// bound for equal samples where they do not; the range where there are none. Cut to the range.
///
/// **Equal samples.** Where all of n samples are c, the n - 1 after the first are trials of "the sample is c" that
/// all succeeded. Had that less than probability 1 - q, this would happen with probability below (1 - q)^(n-1),
/// for any first sample. So with q = 1 - miss^(1/(n-1)) the mean lies within q of the way from c to either
/// end of the range.
///
/// # Errors
///
/// [`Error::NotFinite`], [`Error::OutsideRange`].
pub fn mean_within(
    moments: &Moments,
    range: Range,
    confidence: Confidence,
    side: Side,
) -> Result<Interval, Error> {
    range.check(moments)?;
    Ok(match mean_student(moments, confidence, side)? {
        MeanInterval::Known(interval) => interval.cut(range),
        MeanInterval::TooFew { .. } => range.interval(),
        MeanInterval::AllEqual { value, samples } => {
            // At both ends at once: the event is the same one, so that nothing has to be split.
            let share = -(confidence.miss().ln() / (samples - 1) as f64).exp_m1();
            let interval =
                Interval { lo: value - share * (value - range.lo), hi: value + share * (range.hi - value) };
            one_sided(interval, side).cut(range)
        }
    })
}

/// Hoeffding's interval for the mean of samples in a known range, cut to it.
///
/// W. Hoeffding, *Probability inequalities for sums of bounded random variables*, JASA 58 (1963), theorem 2.
///
/// # Errors
///
/// [`Error::NotFinite`], [`Error::OutsideRange`].
pub fn mean_hoeffding(
    moments: &Moments,
    range: Range,
    confidence: Confidence,
    side: Side,
) -> Result<Interval, Error> {
    range.check(moments)?;
    let Some(mean) = moments.mean() else { return Ok(range.interval()) };
    let away = range.width() * (-confidence.tail(side).ln() / (2.0 * moments.count() as f64)).sqrt();
    Ok(one_sided(Interval::around(mean, away + moments.rounding()), side).cut(range))
}

/// The empirical Bernstein interval for the mean of samples in a known range, cut to it: short where the variance is
/// small.
///
/// J.-Y. Audibert, R. Munos and C. Szepesvári, *Exploration-exploitation tradeoff using variance estimates in
/// multi-armed bandits*, Theoretical Computer Science 410 (2009), theorem 1. One-sided bounds use the same constant.
///
/// # Errors
///
/// [`Error::NotFinite`], [`Error::OutsideRange`].
pub fn mean_bernstein(
    moments: &Moments,
    range: Range,
    confidence: Confidence,
    side: Side,
) -> Result<Interval, Error> {
    range.check(moments)?;
    let (Some(mean), Some(variance)) = (moments.mean(), moments.population_variance()) else {
        return Ok(range.interval());
    };
    let away = bernstein_radius(variance, range, moments.count(), (3.0 / confidence.miss()).ln());
    Ok(one_sided(Interval::around(mean, away + moments.rounding()), side).cut(range))
}

/// How far the mean of `count` samples with this variance (over their count) may be from the truth, but with
/// probability 3 exp(-`x`).
pub(crate) fn bernstein_radius(variance: f64, range: Range, count: u64, x: f64) -> f64 {
    let count = count as f64;
    (2.0 * variance * x / count).sqrt() + 3.0 * range.width() * x / count
}

/// The interval of Clopper and Pearson for a probability. Never of width 0; without samples all of [0, 1].
///
/// C. J. Clopper and E. S. Pearson, *The use of confidence or fiducial limits illustrated in the case of the
/// binomial*, Biometrika 26 (1934).
pub fn clopper_pearson(tally: Tally, confidence: Confidence, side: Side) -> Interval {
    let tail = confidence.tail(side);
    let lo = if side == Side::Upper { 0.0 } else { clopper_pearson_lower(tally, tail) };
    let hi = if side == Side::Lower { 1.0 } else { clopper_pearson_upper(tally, tail) };
    match tally.proportion() {
        Some(proportion) if tail <= 0.5 => around(proportion, Interval { lo, hi }),
        _ => Interval { lo, hi },
    }
}

/// An interval that contains the proportion up to rounding: also where it is so short that floats cannot tell its
/// ends.
fn around(proportion: f64, interval: Interval) -> Interval {
    let hi = if proportion == 1.0 { 1.0 } else { interval.hi };
    Interval { lo: interval.lo.min(proportion), hi: hi.max(proportion) }
}

/// The probability with which this many successes, or more, have the probability `tail`.
fn clopper_pearson_lower(tally: Tally, tail: f64) -> f64 {
    let (successes, failures) = (tally.successes() as f64, tally.failures() as f64);
    if successes == 0.0 {
        0.0
    } else if failures == 0.0 {
        (tail.ln() / successes).exp()
    } else {
        beta::quantile_lower(successes, failures + 1.0, tail)
    }
}

/// The probability with which this many successes, or fewer, have the probability `tail`. Not by symmetry from the
/// other end: 1 minus something would lose the digits of small bounds.
fn clopper_pearson_upper(tally: Tally, tail: f64) -> f64 {
    let (successes, failures) = (tally.successes() as f64, tally.failures() as f64);
    if failures == 0.0 {
        1.0
    } else if successes == 0.0 {
        -(tail.ln() / failures).exp_m1()
    } else {
        beta::quantile_upper(successes + 1.0, failures, tail)
    }
}

/// Wilson's interval for a probability. Never of width 0; without samples all of [0, 1].
///
/// E. B. Wilson, *Probable inference, the law of succession, and statistical inference*, JASA 22 (1927).
pub fn wilson(tally: Tally, confidence: Confidence, side: Side) -> Interval {
    let Some(proportion) = tally.proportion() else { return Interval { lo: 0.0, hi: 1.0 } };
    let n = tally.samples() as f64;
    let z = normal::quantile_upper(confidence.tail(side));
    let weight = z * z / n;
    let failing = tally.failures() as f64 / n;
    let away = z / n.sqrt() * (proportion * failing + weight / 4.0).sqrt();
    let below = proportion + weight / 2.0;
    let hi = ((below + away) / (1.0 + weight)).clamp(0.0, 1.0);
    let Interval { lo, hi } = if z < 0.0 {
        // One-sided, below one half: the bounds are on the other sides of the proportion.
        Interval { lo: ((below - away) / (1.0 + weight)).clamp(0.0, 1.0), hi }
    } else {
        // For the lower end, the difference of `below` and `away` would cancel; the product of both ends is known.
        let lo = if proportion == 0.0 { 0.0 } else { proportion * proportion / (below + away) };
        around(proportion, Interval { lo, hi })
    };
    match side {
        Side::Both => Interval { lo, hi },
        Side::Lower => Interval { lo, hi: 1.0 },
        Side::Upper => Interval { lo: 0.0, hi },
    }
}
