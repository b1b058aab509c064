//! Planning: of samples, half-width and confidence, any two give the third.
//!
//! The half-width h belongs to the statement "the estimate is within h of the truth, but with probability 1 -
//! confidence". What connects the three is the [`Basis`]:
//!
//! | basis | for | probability of a miss | guarantee |
//! |---|---|---|---|
//! | [`Basis::Normal`] | means | 2 Q(h √(n/σ²)) | as n grows; σ² known or from a pilot |
//! | [`Basis::Student`] | means | the same with t, n - 1 degrees of freedom | the width to expect when the n samples have variance σ² |
//! | [`Basis::Hoeffding`] | ranges | 2 exp(-2 n h²/(b-a)²) | for every n; for [0, 1] the sizes of Okamoto, and of APMC |
//! | [`Basis::Massart`] | proportions | 2 exp(-n h²/(2 v)) | for every n, if the probability lies in the interval given |
//!
//! M. Okamoto, *Some inequalities relating to the partial sum of binomial probabilities*, Ann. Inst. Stat. Math. 10
//! (1959); T. Hérault, R. Lassaigne, F. Magniette and S. Peyronnet, *Approximate probabilistic model checking*, VMCAI
//! 2004; P. Massart, *The tight constant in the Dvoretzky-Kiefer-Wolfowitz inequality*, Ann. Probab. 18 (1990),
//! theorem 2; C. Jegourel, J. Sun and J. S. Dong, *Sequential schemes for frequentist estimation of properties in
//! statistical model checking*, QEST 2017. Instead of the end of the interval that is nearest to 1/2, v takes the
//! largest value of x(1 - x) over the interval widened by h/3 at both ends: this bounds both tails, also for
//! probabilities close to 1/2.

use crate::special::{normal, smallest, student};
use crate::{Confidence, Error, Interval, Range};

/// Counts from here on are not exact as floats.
const SAMPLES_AT_MOST: u64 = 1 << 53;

/// The distribution or bound from which the probability of a miss is computed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Basis {
    /// The mean of samples with this variance is assumed to be normal.
    Normal {
        /// Variance of one sample, known or from a pilot.
        variance: f64,
    },
    /// As the interval of Student will come out, should the samples have this variance. At least two samples.
    Student {
        /// Variance of one sample, known or from a pilot.
        variance: f64,
    },
    /// Samples lie in a range ([`Range::UNIT`] for proportions); nothing else is known.
    Hoeffding {
        /// The range.
        range: Range,
    },
    /// Samples are 0 or 1, and the probability of 1 lies in an interval, as known from elsewhere. Where the interval
    /// comes from samples, its own probability of a miss has to be added.
    Massart {
        /// The interval, cut to [0, 1].
        within: Interval,
    },
}

/// The smallest number of samples for which the estimate is within `half_width` of the truth with this confidence.
///
/// # Errors
///
/// For a half-width that is not positive and finite, a basis that makes no sense, and [`Error::TooMany`].
pub fn samples(basis: Basis, half_width: f64, confidence: Confidence) -> Result<u64, Error> {
    check(basis)?;
    check_width(half_width)?;
    let enough = |n: u64| miss(basis, n, half_width) <= confidence.miss();
    if !enough(SAMPLES_AT_MOST) {
        return Err(Error::TooMany);
    }
    // Misses fall with every sample, so that bisection finds the first number that is enough.
    let (mut lo, mut hi) = (fewest(basis), SAMPLES_AT_MOST);
    while lo < hi {
        let mid = lo + (hi - lo) / 2;
        if enough(mid) {
            hi = mid;
        } else {
            lo = mid + 1;
        }
    }
    Ok(hi)
}

/// The smallest half-width that `samples` samples give with this confidence.
///
/// # Errors
///
/// For a basis that makes no sense, and fewer samples than it needs.
pub fn half_width(basis: Basis, samples: u64, confidence: Confidence) -> Result<f64, Error> {
    check(basis)?;
    check_samples(basis, samples)?;
    Ok(smallest(0.0, f64::MAX, |h| miss(basis, samples, h) <= confidence.miss()))
}

/// The probability that the estimate from `samples` samples is further than `half_width` from the true value; 1 where
/// no statement is possible.
///
/// # Errors
///
/// For a half-width that is not positive and finite, a basis that makes no sense, and fewer samples than it needs.
pub fn miss_probability(basis: Basis, samples: u64, half_width: f64) -> Result<f64, Error> {
    check(basis)?;
    check_width(half_width)?;
    check_samples(basis, samples)?;
    Ok(miss(basis, samples, half_width))
}

/// The confidence that the estimate from `samples` samples is within `half_width` of the true value.
///
/// # Errors
///
/// As [`miss_probability`]; and [`Error::Confidence`] where a miss is certain, or has a probability too small for a
/// float.
pub fn confidence(basis: Basis, samples: u64, half_width: f64) -> Result<Confidence, Error> {
    Confidence::with_miss(miss_probability(basis, samples, half_width)?)
}

/// Samples after which the interval of an event of probability `probability` is expected to have this width relative
/// to the probability: what a rare event costs without splitting. Normal approximation.
///
/// # Errors
///
/// For a probability not in (0, 1), a width that is not positive and finite, and [`Error::TooMany`].
pub fn samples_for_relative_width(
    probability: f64,
    relative_width: f64,
    confidence: Confidence,
) -> Result<u64, Error> {
    if !(probability > 0.0 && probability < 1.0) {
        return Err(Error::Probability(probability));
    }
    check_width(relative_width)?;
    // In units of the probability, so that nothing underflows.
    let variance = (1.0 - probability) / probability;
    samples(Basis::Normal { variance }, 0.5 * relative_width, confidence)
}

/// The probability of a miss: falls with samples and half-width.
fn miss(basis: Basis, samples: u64, half_width: f64) -> f64 {
    let n = samples as f64;
    match basis {
        Basis::Normal { variance } => 2.0 * normal::upper_tail(half_width * (n / variance).sqrt()),
        Basis::Student { variance } => {
            2.0 * student::upper_tail(half_width * (n / variance).sqrt(), (samples - 1) as f64)
        }
        Basis::Hoeffding { range } => {
            let relative = half_width / range.width();
            (2.0 * (-2.0 * n * relative * relative).exp()).min(1.0)
        }
        Basis::Massart { within } => massart(within, n, half_width),
    }
}

fn massart(within: Interval, n: f64, half_width: f64) -> f64 {
    if half_width >= 1.0 {
        // No two proportions are further apart.
        return 0.0;
    }
    if half_width == 0.0 {
        return 1.0;
    }
    let lo = (within.lo.max(0.0) - half_width / 3.0).max(0.0);
    let hi = (within.hi.min(1.0) + half_width / 3.0).min(1.0);
    let nearest = 0.5f64.clamp(lo, hi);
    let spread = nearest * (1.0 - nearest);
    (2.0 * (-n * half_width * half_width / (2.0 * spread)).exp()).min(1.0)
}

fn fewest(basis: Basis) -> u64 {
    if matches!(basis, Basis::Student { .. }) { 2 } else { 1 }
}

fn check_samples(basis: Basis, samples: u64) -> Result<(), Error> {
    let needed = fewest(basis);
    if samples < needed {
        Err(Error::TooFew { needed })
    } else if samples > SAMPLES_AT_MOST {
        Err(Error::TooMany)
    } else {
        Ok(())
    }
}

fn check_width(width: f64) -> Result<(), Error> {
    if width > 0.0 && width.is_finite() { Ok(()) } else { Err(Error::Width(width)) }
}

fn check(basis: Basis) -> Result<(), Error> {
    match basis {
        Basis::Normal { variance } | Basis::Student { variance } => {
            if variance > 0.0 && variance.is_finite() { Ok(()) } else { Err(Error::Variance(variance)) }
        }
        Basis::Hoeffding { range } => {
            if range.width() > 0.0 {
                Ok(())
            } else {
                Err(Error::Range { lo: range.lo(), hi: range.hi() })
            }
        }
        Basis::Massart { within } => {
            let sound = within.lo <= within.hi && within.lo <= 1.0 && within.hi >= 0.0;
            if sound { Ok(()) } else { Err(Error::Range { lo: within.lo, hi: within.hi }) }
        }
    }
}
