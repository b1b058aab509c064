//! Which numerical values are verified by paths, and what paths say about a value.

use serde::{Deserialize, Serialize};
use std::time::Duration;
use volvelle_diagnostics::Diagnostic;
use volvelle_estimate::Sampling;
use volvelle_estimate::validation::Unvalidated;
use volvelle_statistics::verdict::{NoVerdict, Place, Verdict};

/// Which numerical values are verified.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Verify {
    /// Those of methods that stopped without a bound on the error.
    EarlyStop,
    /// Those, and values that are asked for (`=?`) of methods without bounds.
    Auto,
    /// All values that are asked for (`=?`).
    Quantitative,
    /// All.
    Always,
    /// None.
    #[default]
    Never,
}

/// How numerical values are verified.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Verifying {
    /// Which.
    pub which: Verify,
    /// For how long paths are drawn, for each value.
    pub time: Duration,
    /// Most paths for each value.
    pub samples: Option<u64>,
    /// Relative width of the 90 % interval from which on the samples are too few to say much.
    pub width: f64,
    /// Whether values that are probably wrong are computed again.
    pub repair: bool,
    /// How paths are drawn.
    pub sampling: Sampling,
}

impl Default for Verifying {
    fn default() -> Self {
        Verifying {
            which: Verify::default(),
            time: Duration::from_millis(1500),
            samples: None,
            width: 1e-2,
            repair: false,
            sampling: Sampling::default(),
        }
    }
}

/// The verification of a numerical value by paths.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Verification {
    /// The value that was verified.
    pub value: f64,
    /// Estimate, intervals, and where the value lies; or why there is none.
    pub verdict: Result<Verdict, String>,
    /// Whether the relative width is below the one asked for.
    pub is_precise: bool,
    /// Whether a first half found the value outside of the 99 % interval, so that a second one with another seed had to judge.
    pub redrawn: bool,
    /// Paths that the verdict is from.
    pub samples: u64,
    /// Steps on them.
    pub steps: u64,
    /// Their seed.
    pub seed: u64,
    /// The code that ran them.
    pub tier: String,
    /// Devices that failed.
    pub troubles: Vec<Diagnostic>,
    /// Time of the whole verification.
    pub time: Duration,
    /// How the value was computed in the end, where the first one was probably wrong.
    pub repaired: Option<String>,
    /// The value that was probably wrong, if it was computed again.
    pub replaced: Option<f64>,
}

impl Verification {
    /// Whether the value is probably right, as far as the paths tell.
    pub fn agrees(&self) -> Option<bool> {
        self.verdict.as_ref().ok().map(|verdict| verdict.place != Place::Outside99)
    }

    /// In plain words.
    pub fn message(&self) -> String {
        match &self.verdict {
            Err(why) => format!("not verified: {why}"),
            Ok(verdict) => match verdict.place {
                Place::Inside90 => "the numerical value lies inside the 90 % interval".to_owned(),
                Place::Outside90 => {
                    "the numerical value lies outside the 90 % interval, inside the 95 % one: so do 5 % of correct values".to_owned()
                }
                Place::Outside95 => {
                    "the numerical value lies outside the 95 % interval, inside the 99 % one: so do 4 % of correct values"
                        .to_owned()
                }
                Place::Outside99 => {
                    "the numerical value lies outside the 99 % interval: it is probably wrong".to_owned()
                }
            },
        }
    }
}

/// Why there is no verdict on a numerical value.
pub fn reason(why: &Unvalidated) -> String {
    match why {
        Unvalidated::Unsupported(why) => why.to_string(),
        Unvalidated::PathFails => "a path fails".to_owned(),
        Unvalidated::PathTooLong => "a path is too long: raise --max-path-length".to_owned(),
        Unvalidated::NoPath => "no path finished in time: raise --verify-time".to_owned(),
        Unvalidated::InfiniteMean { as_expected: true } => {
            "paths accumulate rewards forever, as the value indicates".to_owned()
        }
        Unvalidated::InfiniteMean { as_expected: false } => {
            "some paths accumulate rewards forever, so the mean is infinite".to_owned()
        }
        Unvalidated::NoVerdict(NoVerdict::AllEqual { value, samples }) => {
            format!("all {samples} paths gave {value}")
        }
        Unvalidated::NoVerdict(NoVerdict::TooFew { .. }) => "there were too few paths".to_owned(),
        Unvalidated::NoVerdict(NoVerdict::Unsound(error)) => error.to_string(),
    }
}
