//! The settings of an estimation.

use volvelle_simulate::path::Generator;

/// How the number of paths is determined, and which interval they give.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SamplingMethod {
    /// An interval for numbers; for bounds a sequential test if a region of indifference is given, else an interval.
    #[default]
    Auto,
    /// An interval: by Clopper and Pearson for probabilities, by Student for rewards.
    Interval,
    /// The number of paths of Okamoto's bound (APMC); probabilities only.
    Okamoto,
    /// The number of paths by Massart's bound, which depends on the probability; for probabilities only.
    Massart,
    /// Wald's sequential probability ratio test; bounds on probabilities only.
    Sprt,
    /// The Bayes-factor test; bounds on probabilities only.
    Bayes,
    /// Sequential, until the interval has the requested width (Chow and Robbins).
    ChowRobbins,
    /// Sequential, until the relative error is guaranteed to be below the requested width (EBStop); for
    /// probabilities only.
    EbStop,
}

/// The code that runs the paths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PathTier {
    /// The variant that compiles soonest; then the one that proves fastest while paths run.
    #[default]
    Auto,
    /// The reference interpreter.
    Interpreter,
    /// Native code, one path at a time.
    Scalar,
    /// Code for many paths at once.
    Vector,
}

/// The settings of an estimation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sampling {
    /// Method.
    pub method: SamplingMethod,
    /// Number of paths; if a width is given, the limit.
    pub samples: Option<u64>,
    /// Confidence of intervals.
    pub confidence: f64,
    /// Half-width of the interval.
    pub width: Option<f64>,
    /// Whether the width is relative to the value.
    pub relative: bool,
    /// Tests: probability of rejecting a property that holds.
    pub alpha: f64,
    /// Tests: probability of accepting a property that does not hold.
    pub beta: f64,
    /// Tests: half-width of the indifference region around the bound, in which either answer is accepted.
    pub indifference: Option<f64>,
    /// Seed of all paths.
    pub seed: u64,
    /// Generator of random numbers.
    pub generator: Generator,
    /// Step limit of a path.
    pub max_steps: u32,
    /// The code that runs the paths.
    pub tier: PathTier,
    /// Whether rare events are sought by importance splitting.
    pub rare: bool,
}

/// Paths that are sampled by default.
pub const DEFAULT_SAMPLES: u64 = 100_000;
/// Approximate number of paths of importance splitting by default.
pub const DEFAULT_RARE_PATHS: u64 = 1_000_000;
/// Step limit of a path by default.
pub const DEFAULT_STEPS: u32 = 10_000_000;

impl Default for Sampling {
    fn default() -> Self {
        Sampling {
            method: SamplingMethod::Auto,
            samples: None,
            confidence: 0.99,
            width: None,
            relative: false,
            alpha: 1e-3,
            beta: 1e-3,
            indifference: None,
            seed: 1,
            generator: Generator::default(),
            max_steps: DEFAULT_STEPS,
            tier: PathTier::Auto,
            rare: false,
        }
    }
}
