//! How numbers are computed, and verified.

use clap::{Args, ValueEnum};

/// Exact fractions.
#[derive(Args, Debug)]
#[command(next_help_heading = "Numbers")]
pub struct ExactArgs {
    /// Compute with exact fractions instead of floating-point numbers; for models of moderate size
    #[arg(long, conflicts_with_all = ["precision", "absolute", "method", "epsilon", "omega"])]
    pub exact: bool,
}

/// How numbers are computed.
#[derive(Args, Debug)]
#[command(next_help_heading = "Numbers")]
pub struct NumericArgs {
    /// Width that the interval must reach, relative to the value [default: 1e-6]
    #[arg(long, value_name = "WIDTH")]
    pub precision: Option<String>,

    /// Interpret --precision and --epsilon as absolute instead of relative
    #[arg(hide_short_help = true, long)]
    pub absolute: bool,

    /// Exit with code 3 if the bounds are wider than --precision
    #[arg(hide_short_help = true, long)]
    pub strict_precision: bool,

    /// How to solve systems of equations
    #[arg(long, value_name = "METHOD", value_enum, default_value_t = MethodName::Auto)]
    pub method: MethodName,

    /// Maximum number of sweeps of an iterative method [default: 1e6]
    #[arg(hide_short_help = true, long, value_name = "NUMBER")]
    pub max_iterations: Option<String>,

    /// Classical methods stop when two iterates differ by less than this [default: 1e-6]
    #[arg(hide_short_help = true, long, value_name = "DIFFERENCE")]
    pub epsilon: Option<String>,

    /// Relaxation factor of the methods jor and sor [default: 0.9]
    #[arg(hide_short_help = true, long, value_name = "FACTOR")]
    pub omega: Option<String>,

    /// How transient analysis of a ctmc detects a steady state
    #[arg(hide_short_help = true, long, value_name = "HOW", value_enum, default_value_t = SteadyStateName::Sound)]
    pub steady_state_detection: SteadyStateName,
}

/// States that a property cannot distinguish.
#[derive(Args, Debug)]
#[command(next_help_heading = "Numbers")]
pub struct BisimulationArgs {
    /// When to merge states that the property cannot distinguish
    #[arg(hide_short_help = true, long, value_name = "WHEN", value_enum, default_value_t = BisimulationName::Auto)]
    pub bisimulation: BisimulationName,
}

/// How numerical values are verified.
#[derive(Args, Debug)]
#[command(next_help_heading = "Verification by simulation")]
pub struct VerifyArgs {
    /// Which values to verify with simulated paths; without a value, `always`
    #[arg(long, value_name = "WHICH", value_enum, default_value_t = VerifyName::EarlyStop)]
    #[arg(num_args = 0..=1, default_missing_value = "always")]
    pub verify: VerifyName,

    /// Time for simulating paths, per value
    #[arg(hide_short_help = true, long, value_name = "TIME", default_value = "1.5")]
    pub verify_time: String,

    /// Maximum number of paths per value, within the time of --verify-time [default: no limit]
    #[arg(hide_short_help = true, long, value_name = "NUMBER")]
    pub verify_samples: Option<String>,

    /// Relative width that the 90 % interval of the paths should reach
    #[arg(hide_short_help = true, long, value_name = "WIDTH", default_value = "1e-2")]
    pub verify_width: String,

    /// Recompute values that are probably wrong, with a more careful method
    #[arg(hide_short_help = true, long)]
    pub verify_repair: bool,

    /// Seed of the paths
    #[arg(hide_short_help = true, long, value_name = "NUMBER", default_value_t = 1)]
    pub verify_seed: u64,
}

/// Which values are verified.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum VerifyName {
    /// Values of methods that stopped without a bound on the error
    EarlyStop,
    /// These, and all quantitative results (=?) of methods without bounds
    Auto,
    /// All quantitative results (=?)
    Quantitative,
    /// All results
    Always,
    /// No result
    Never,
}

/// Whether equivalent states are merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum BisimulationName {
    /// Before transient analyses with very many steps
    Auto,
    /// Always
    Strong,
    /// Never
    Off,
}

/// How systems of equations are solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum MethodName {
    /// Chosen for each component of the model; with bounds
    Auto,
    /// Iteration whose result is verified; with bounds
    Verified,
    /// State elimination, for an mdp within policy iteration; with bounds
    Elimination,
    /// Classical value iteration
    ValueIteration,
    /// The power method: value iteration on a chain
    Power,
    /// Jacobi's method
    Jacobi,
    /// Jacobi's method with over-relaxation
    Jor,
    /// The Gauss-Seidel method
    GaussSeidel,
    /// The Gauss-Seidel method with over-relaxation
    Sor,
    /// Policy iteration; policies are evaluated by Gauss-Seidel
    PolicyIteration,
}

/// How transient analysis notices a steady state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SteadyStateName {
    /// When bounds prove that further steps do not change the result
    Sound,
    /// When one step changes little, as in PRISM; no bounds
    Prism,
    /// Never
    Off,
}
