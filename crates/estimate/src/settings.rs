//! What a user asks of a simulation.

use volvelle_simulate::path::Generator;

/// How many paths are needed, and what is said of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SamplingMethod {
    /// An interval for numbers; for bounds a sequential test if a region of indifference is given, else an interval.
    #[default]
    Auto,
    /// An interval: by Clopper and Pearson for probabilities, Student's for rewards.
    Interval,
    /// As many paths as Okamoto's bound asks for (APMC); probabilities only.
    Okamoto,
    /// As many as Massart's bound asks for, which knows where the probability lies; probabilities only.
    Massart,
    /// Wald's sequential probability ratio test; bounds on probabilities only.
    Sprt,
    /// The Bayes-factor test; bounds on probabilities only.
    Bayes,
    /// Sequential, until the interval is as narrow as asked for (Chow and Robbins).
    ChowRobbins,
    /// Sequential, until the relative error is as small as asked for, for certain (EBStop); probabilities only.
    EbStop,
}

/// What runs the paths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PathTier {
    /// The code that is soonest made, then whatever turns out to be faster while paths run.
    #[default]
    Auto,
    /// The reference interpreter.
    Interpreter,
    /// Native code, one path at a time.
    Scalar,
    /// Code for many paths at once.
    Vector,
}

/// How to sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sampling {
    /// Method.
    pub method: SamplingMethod,
    /// Number of paths; with a width, at most so many.
    pub samples: Option<u64>,
    /// Confidence of intervals.
    pub confidence: f64,
    /// Half of the width of the interval.
    pub width: Option<f64>,
    /// Whether the width is relative to the value.
    pub relative: bool,
    /// Tests: probability of rejecting what holds.
    pub alpha: f64,
    /// Tests: probability of accepting what does not hold.
    pub beta: f64,
    /// Tests: half of the width of the region around the bound in which either answer will do.
    pub indifference: Option<f64>,
    /// Seed of all paths.
    pub seed: u64,
    /// Generator of random numbers.
    pub generator: Generator,
    /// Steps at which a path is given up.
    pub max_steps: u32,
    /// What runs the paths.
    pub tier: PathTier,
    /// Whether rare events are sought by importance splitting.
    pub rare: bool,
}

/// Paths that are sampled where nobody says how many.
pub const USUAL_SAMPLES: u64 = 100_000;
/// Paths of importance splitting, about, where nobody says how many.
pub const USUAL_RARE_PATHS: u64 = 1_000_000;
/// Steps at which a path is given up where nobody says when.
pub const USUAL_STEPS: u32 = 10_000_000;

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
            max_steps: USUAL_STEPS,
            tier: PathTier::Auto,
            rare: false,
        }
    }
}
