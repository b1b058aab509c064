//! Hypotheses about a probability: whether it lies above or below a threshold.

use crate::Error;

/// How a probability is compared with a threshold. No test from samples tells a probability that equals the threshold
/// from its neighbours: strict comparisons differ from the others only at thresholds 0 and 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// P >= threshold.
    AtLeast,
    /// P > threshold.
    Above,
    /// P <= threshold.
    AtMost,
    /// P < threshold.
    Below,
}

impl Comparison {
    /// Whether large probabilities satisfy it.
    pub fn wants_large(self) -> bool {
        matches!(self, Self::AtLeast | Self::Above)
    }

    /// Whether a probability satisfies it.
    pub fn holds(self, probability: f64, threshold: f64) -> bool {
        match self {
            Self::AtLeast => probability >= threshold,
            Self::Above => probability > threshold,
            Self::AtMost => probability <= threshold,
            Self::Below => probability < threshold,
        }
    }

    /// The answer where every probability gives the same one.
    ///
    /// # Errors
    ///
    /// [`Error::Probability`] for a threshold outside [0, 1].
    pub(crate) fn without_samples(self, threshold: f64) -> Result<Decision, Error> {
        if !(0.0..=1.0).contains(&threshold) {
            return Err(Error::Probability(threshold));
        }
        Ok(match (self.holds(0.0, threshold), self.holds(1.0, threshold)) {
            (true, true) => Decision::Holds,
            (false, false) => Decision::Fails,
            _ => Decision::Undecided,
        })
    }
}

/// The decision of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// More samples are needed.
    Undecided,
    /// The comparison is accepted.
    Holds,
    /// The comparison is rejected.
    Fails,
}
