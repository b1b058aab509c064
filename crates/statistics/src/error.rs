//! Errors in the parameters of a question.

use std::fmt;

/// Why there is no answer: an argument that makes no sense, or samples that do not carry one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Error {
    /// A confidence, or a probability of error, that is not strictly between 0 and 1.
    Confidence(f64),
    /// A probability outside [0, 1].
    Probability(f64),
    /// A width, half-width or relative error that is not positive and finite.
    Width(f64),
    /// A variance that is not positive and finite.
    Variance(f64),
    /// A range or interval whose ends are not finite, or not in order.
    Range {
        /// Lower end.
        lo: f64,
        /// Upper end.
        hi: f64,
    },
    /// A sample outside the range that the caller promised.
    OutsideRange {
        /// Smallest sample.
        min: f64,
        /// Largest sample.
        max: f64,
    },
    /// More successes than samples.
    Tally {
        /// Successes.
        successes: u64,
        /// Samples.
        samples: u64,
    },
    /// A sample, or the sum of squares, is infinite or not a number.
    NotFinite,
    /// No samples, or fewer than the method needs.
    TooFew {
        /// How many it needs.
        needed: u64,
    },
    /// More samples would be needed than can be counted exactly (2^53).
    TooMany,
    /// A parameter of a method outside the values it is defined for.
    Parameter {
        /// Which.
        name: &'static str,
        /// The given value.
        value: f64,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Confidence(value) => {
                write!(f, "a confidence must be strictly between 0 and 1, but is {value}")
            }
            Self::Probability(value) => write!(f, "{value} is not a probability"),
            Self::Width(value) => write!(f, "a width must be positive and finite, but is {value}"),
            Self::Variance(value) => {
                write!(f, "a variance must be positive and finite, but is {value}")
            }
            Self::Range { lo, hi } => write!(f, "[{lo}, {hi}] is not an interval with finite ends"),
            Self::OutsideRange { min, max } => {
                write!(f, "samples from {min} to {max} do not all lie in the given range")
            }
            Self::Tally { successes, samples } => write!(f, "{successes} successes in {samples} samples"),
            Self::NotFinite => write!(f, "a sample, or the sum of squares, is not finite"),
            Self::TooFew { needed } => write!(f, "at least {needed} samples are needed"),
            Self::TooMany => write!(f, "more than 2^53 samples would be needed"),
            Self::Parameter { name, value } => write!(f, "{name} cannot be {value}"),
        }
    }
}

impl std::error::Error for Error {}
