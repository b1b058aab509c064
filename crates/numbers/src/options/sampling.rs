//! How paths are sampled.

use clap::{Args, ValueEnum};
use std::path::PathBuf;
use volvelle_console::options::{
    AnswerArgs, AskedArgs, DeviceArgs, LimitArgs, ModelArgs, PartOfRunArgs, PlotArgs, SchedulerArgs, SeedArgs,
};

/// Estimate properties from sampled paths.
#[derive(Args, Debug)]
pub struct SamplePaths {
    /// The model.
    #[command(flatten)]
    pub model: ModelArgs,

    /// The properties.
    #[command(flatten)]
    pub asked: AskedArgs,

    /// The seed.
    #[command(flatten)]
    pub seed: SeedArgs,

    /// The scheduler.
    #[command(flatten)]
    pub scheduler: SchedulerArgs,

    /// How many paths, and which.
    #[command(flatten)]
    pub sampling: SamplingArgs,

    /// Where paths are run.
    #[command(flatten)]
    pub devices: DeviceArgs,

    /// Pictures.
    #[command(flatten)]
    pub plots: PlotArgs,

    /// Report which code runs the paths, and why
    #[arg(hide_short_help = true, long, help_heading = "Output")]
    pub explain: bool,

    /// Print the code that would run the paths, without running it
    #[arg(long, value_name = "FORM", value_enum, help_heading = "Output")]
    pub print_code: Option<EmitName>,

    /// The part of the run.
    #[command(flatten)]
    pub part: PartOfRunArgs,

    /// For a stopping rule that looks at all samples: the paths of this round, as `volvelle merge` has written them
    #[arg(long, value_name = "FILE", requires = "shard", help_heading = "Parts of a run")]
    pub round: Option<PathBuf>,

    /// Limits of the run.
    #[command(flatten)]
    pub limits: LimitArgs,

    /// Where the answer goes.
    #[command(flatten)]
    pub answer: AnswerArgs,
}

/// How paths are sampled.
#[derive(Args, Debug)]
#[command(next_help_heading = "Sampling")]
pub struct SamplingArgs {
    /// The stopping rule, which also determines what the result guarantees
    #[arg(long, value_name = "METHOD", value_enum, default_value_t = SamplingName::Auto)]
    pub method: SamplingName,

    /// Number of paths; with --width, the maximum [default: 1e5]
    #[arg(long, value_name = "NUMBER")]
    pub samples: Option<String>,

    /// Confidence level of intervals
    #[arg(long, value_name = "PROBABILITY", default_value = "0.99")]
    pub confidence: String,

    /// Half-width that the interval must reach
    #[arg(long, value_name = "WIDTH")]
    pub width: Option<String>,

    /// Interpret --width as relative to the value
    #[arg(long, requires = "width")]
    pub relative: bool,

    /// Tests: probability of rejecting a property that holds
    #[arg(long, value_name = "PROBABILITY", default_value = "1e-3")]
    pub alpha: String,

    /// Tests: probability of accepting a property that does not hold
    #[arg(long, value_name = "PROBABILITY", default_value = "1e-3")]
    pub beta: String,

    /// Tests: distance from the bound within which either answer is acceptable
    #[arg(long, value_name = "WIDTH")]
    pub indifference: Option<String>,

    /// Estimate the probability of a rare event by importance splitting, with about --samples paths [default: 1e6]
    #[arg(long)]
    pub rare: bool,

    /// Maximum number of steps of a path; a path that is still undecided then is an error
    #[arg(long, value_name = "NUMBER", default_value = "1e7")]
    pub max_path_length: String,

    /// Random number generator: xoshiro128++ or philox
    #[arg(long, value_name = "NAME", default_value = "xoshiro128++")]
    pub rng: String,

    /// The code that runs the paths
    #[arg(long, value_name = "TIER", value_enum, default_value_t = TierName::Auto)]
    pub tier: TierName,
}

/// A form of code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum EmitName {
    /// OpenCL C
    #[value(name = "kernel.cl")]
    OpenCl,
    /// CUDA C
    #[value(name = "kernel.cu")]
    Cuda,
    /// The kernel IR, from which all code is generated
    #[value(name = "kernel.vk")]
    Kernel,
    /// Machine code for this machine
    Asm,
}

/// The rule that ends sampling.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SamplingName {
    /// ci, or sprt for bounds with --indifference
    Auto,
    /// Confidence interval: Clopper-Pearson for probabilities, Student's t for rewards
    Ci,
    /// Fixed number of paths from Okamoto's bound, for --width
    Apmc,
    /// Fixed number of paths from Massart's bound, for --width
    Massart,
    /// Wald's sequential probability ratio test, for properties with a bound
    Sprt,
    /// The Bayes-factor test, for properties with a bound
    Bayes,
    /// Sequential: until the interval is as narrow as --width (Chow and Robbins)
    ChowRobbins,
    /// Sequential: until the relative error is guaranteed to be below --width (EBStop)
    Ebstop,
}

/// The code that runs paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TierName {
    /// The fastest, as measured during the run
    Auto,
    /// The reference interpreter
    Interpreter,
    /// Machine code, one path at a time
    Scalar,
    /// Machine code for many paths at once (AVX2, AVX-512)
    Vector,
}
