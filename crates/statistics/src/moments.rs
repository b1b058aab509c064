//! Summaries of samples: count, mean, sum of squares; and counts of successes.

use crate::Error;
use serde::{Deserialize, Serialize};

/// Variances below this may have lost their digits.
const UNDERFLOW: f64 = 1e-280;

/// Count, mean, sum of squared deviations, least and greatest of a sequence of samples.
///
/// B. P. Welford, *Note on a method for calculating corrected sums of squares and products*, Technometrics 4 (1962);
/// merging as in T. F. Chan, G. H. Golub and R. J. LeVeque, *Updating formulae and a pairwise algorithm for computing
/// sample variances* (1979).
///
/// Rounding makes the result depend on the order of samples and on what is merged with what, in the last bits;
/// callers fix both. Samples that are infinite or NaN are accepted and make [`Moments::is_finite`] false.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Moments {
    count: u64,
    mean: f64,
    squares: f64,
    min: f64,
    max: f64,
}

impl Default for Moments {
    fn default() -> Self {
        Self { count: 0, mean: 0.0, squares: 0.0, min: f64::INFINITY, max: f64::NEG_INFINITY }
    }
}

impl Moments {
    /// No samples.
    pub fn new() -> Self {
        Self::default()
    }

    /// From count, mean and sum of squared deviations of the mean, as summed elsewhere.
    ///
    /// # Errors
    ///
    /// Where a negative sum of squares, or `min`, `mean` and `max` that are not in order, belong to no samples.
    pub fn from_parts(count: u64, mean: f64, squares: f64, min: f64, max: f64) -> Result<Self, Error> {
        if count == 0 {
            return Ok(Self::default());
        }
        if squares < 0.0 {
            return Err(Error::Parameter { name: "the sum of squares", value: squares });
        }
        if min > max || mean < min || mean > max {
            return Err(Error::Range { lo: min, hi: max });
        }
        Ok(Self { count, mean, squares, min, max })
    }

    /// As [`Moments::push`] has made them elsewhere, with the same operations; nothing is checked.
    pub fn as_pushed(count: u64, mean: f64, squares: f64, min: f64, max: f64) -> Self {
        Self { count, mean, squares, min, max }
    }

    /// Mean, sum of squared deviations, least and greatest: with the count, all that [`Moments::as_pushed`] needs.
    pub fn parts(&self) -> [f64; 4] {
        [self.mean, self.squares, self.min, self.max]
    }

    /// Adds a sample.
    pub fn push(&mut self, sample: f64) {
        self.count = self.count.saturating_add(1);
        let before = sample - self.mean;
        self.mean += before / self.count as f64;
        self.squares += before * (sample - self.mean);
        self.min = self.min.min(sample);
        self.max = self.max.max(sample);
    }

    /// Adds the samples of another sequence, which follow these.
    pub fn merge(&mut self, other: &Self) {
        if other.count == 0 {
            return;
        }
        if self.count == 0 {
            *self = *other;
            return;
        }
        let (here, there) = (self.count as f64, other.count as f64);
        let share = there / (here + there);
        let apart = other.mean - self.mean;
        self.count = self.count.saturating_add(other.count);
        self.mean += apart * share;
        self.squares += other.squares + apart * apart * here * share;
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
    }

    /// Number of samples.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The mean; `None` without samples.
    pub fn mean(&self) -> Option<f64> {
        (self.count > 0).then_some(self.mean)
    }

    /// The unbiased estimate of the variance, the sum of squared deviations over count minus one; `None` below two
    /// samples.
    pub fn variance(&self) -> Option<f64> {
        (self.count > 1).then(|| self.squares / (self.count - 1) as f64)
    }

    /// The variance of the samples themselves, the sum of squared deviations over their count; `None` without
    /// samples.
    pub fn population_variance(&self) -> Option<f64> {
        (self.count > 0).then(|| self.squares / self.count as f64)
    }

    /// The estimated standard deviation of the mean; `None` below two samples. Where squares of tiny deviations underflow, as much as
    /// it may be: samples deviate by no more than half the distance of the extremes.
    pub fn standard_error(&self) -> Option<f64> {
        let variance = self.variance()?;
        let estimate = (variance / self.count as f64).sqrt();
        Some(match variance < UNDERFLOW {
            true => estimate.max(0.5 * (self.max - self.min) / ((self.count - 1) as f64).sqrt()),
            false => estimate,
        })
    }

    /// The smallest sample; `None` without samples.
    pub fn min(&self) -> Option<f64> {
        (self.count > 0).then_some(self.min)
    }

    /// The largest sample; `None` without samples.
    pub fn max(&self) -> Option<f64> {
        (self.count > 0).then_some(self.max)
    }

    /// Whether all samples, the mean and the sum of squares are finite.
    pub fn is_finite(&self) -> bool {
        self.mean.is_finite() && self.squares.is_finite()
    }

    /// The value that all samples have, where they have the same one.
    pub fn all_equal(&self) -> Option<f64> {
        (self.count > 0 && self.min == self.max && self.is_finite()).then_some(self.min)
    }

    /// How far rounding may have moved the mean: errors in the last place of the running mean at every sample, which
    /// average out like a random walk, four times over.
    pub fn rounding(&self) -> f64 {
        if self.count == 0 || self.all_equal().is_some() {
            // Equal samples leave the mean where it is.
            return 0.0;
        }
        let count = self.count as f64;
        4.0 * f64::EPSILON * count.sqrt() * (self.mean.abs() + (self.squares / count).sqrt())
    }
}

/// Successes in a number of trials: exact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Tally {
    successes: u64,
    samples: u64,
}

impl Tally {
    /// Moments of the given numbers of successes and samples.
    ///
    /// # Errors
    ///
    /// Where there are more successes than samples.
    pub fn new(successes: u64, samples: u64) -> Result<Self, Error> {
        if successes > samples {
            Err(Error::Tally { successes, samples })
        } else {
            Ok(Self { successes, samples })
        }
    }

    /// One sample.
    pub fn of(success: bool) -> Self {
        Self { successes: u64::from(success), samples: 1 }
    }

    /// Adds a sample.
    pub fn push(&mut self, success: bool) {
        self.merge(Self::of(success));
    }

    /// Adds the samples of another tally.
    pub fn merge(&mut self, other: Self) {
        self.successes = self.successes.saturating_add(other.successes);
        self.samples = self.samples.saturating_add(other.samples);
    }

    /// Number of successes.
    pub fn successes(self) -> u64 {
        self.successes
    }

    /// Number of failures.
    pub fn failures(self) -> u64 {
        self.samples - self.successes
    }

    /// Number of samples.
    pub fn samples(self) -> u64 {
        self.samples
    }

    /// The share of successes; `None` without samples.
    pub fn proportion(self) -> Option<f64> {
        (self.samples > 0).then(|| self.successes as f64 / self.samples as f64)
    }

    /// The same trials, with failures counted instead of successes.
    pub fn complement(self) -> Self {
        Self { successes: self.failures(), samples: self.samples }
    }

    /// The tally as samples that are 0 or 1.
    pub fn moments(self) -> Moments {
        let Some(mean) = self.proportion() else { return Moments::new() };
        let min = if self.failures() > 0 { 0.0 } else { 1.0 };
        let max = if self.successes > 0 { 1.0 } else { 0.0 };
        let squares = self.successes as f64 * (self.failures() as f64 / self.samples as f64);
        Moments { count: self.samples, mean, squares, min, max }
    }
}
