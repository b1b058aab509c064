//! Confidence levels, and the sides of intervals.

use crate::Error;

/// The smallest probability of a miss: below, quantiles run into the end of floats.
const MISS_AT_LEAST: f64 = 1e-300;

/// A level of confidence strictly between 0 and 1. What is kept is the probability of a miss, so that levels
/// close to 1 keep their digits.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Confidence {
    miss: f64,
}

impl Confidence {
    /// The level `value`, such as 0.95.
    ///
    /// # Errors
    ///
    /// Where `value`, or what it leaves to 1, is not strictly between 0 and 1.
    pub fn new(value: f64) -> Result<Self, Error> {
        Self::with_miss(1.0 - value).map_err(|_| Error::Confidence(value))
    }

    /// The level that misses with probability `miss`, such as 0.05.
    ///
    /// # Errors
    ///
    /// Where `miss` is not strictly between 0 and 1, or below 1e-300.
    pub fn with_miss(miss: f64) -> Result<Self, Error> {
        if (MISS_AT_LEAST..1.0).contains(&miss) { Ok(Self { miss }) } else { Err(Error::Confidence(miss)) }
    }

    /// The level.
    pub fn value(self) -> f64 {
        1.0 - self.miss
    }

    /// The probability of a miss.
    pub fn miss(self) -> f64 {
        self.miss
    }

    /// The mass that is left out at each end that an interval has.
    pub(crate) fn tail(self, side: Side) -> f64 {
        match side {
            Side::Both => 0.5 * self.miss,
            Side::Lower | Side::Upper => self.miss,
        }
    }

    /// The level at which each of `shares` statements has to be made for all of them to hold at this one
    /// (Bonferroni); no miss gets below 1e-300.
    pub fn shared(self, shares: u64) -> Self {
        Self { miss: (self.miss / shares.max(1) as f64).max(MISS_AT_LEAST) }
    }
}

/// Which ends of an interval carry information.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Both; each end misses with half the probability.
    Both,
    /// A lower bound: the other end is the end of the domain.
    Lower,
    /// An upper bound.
    Upper,
}
