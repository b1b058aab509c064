//! Options of questions about numbers.

mod merge;
mod numeric;
mod sampling;

pub use merge::Merge;
pub use numeric::*;
pub use sampling::*;

use clap::Args;
use std::path::PathBuf;
use volvelle_console::explored::ExportArgs;
use volvelle_console::options::{
    AnswerArgs, AskedArgs, BuildingArgs, DeviceArgs, ExplainArgs, FixArgs, FullSpaceArgs, LimitArgs,
    ModelArgs, PartOfRunArgs, PlotArgs, SchedulerArgs, SymmetryArgs,
};

/// Compute properties of a model, or of a grid of models.
#[derive(Args, Debug)]
pub struct ComputeProperties {
    /// The model.
    #[command(flatten)]
    pub model: ModelArgs,

    /// Whether the files are fixed first.
    #[command(flatten)]
    pub fix: FixArgs,

    /// The properties.
    #[command(flatten)]
    pub asked: AskedArgs,

    /// Pictures.
    #[command(flatten)]
    pub plots: PlotArgs,

    /// Show the value in every state (all of them with --json and --csv)
    #[arg(long)]
    pub states: bool,

    /// How the answer was found.
    #[command(flatten)]
    pub explain: ExplainArgs,

    /// Show the most probable path to the target, or with a number that many paths; for a violated bound also
    /// show a critical subsystem
    #[arg(long, value_name = "PATHS", num_args = 0..=1, require_equals = true, default_missing_value = "1")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub witness: Option<u32>,

    /// Write an optimal scheduler of an mdp, with the text of the commands that it takes: as JSON, CSV or graph if the
    /// extension is .json, .csv or .dot, otherwise as a table
    #[arg(long, value_name = "FILE", aliases = ["export-strategy", "export-policy"])]
    pub export_scheduler: Option<PathBuf>,

    /// Write the Markov chain that the optimal scheduler makes of an mdp. Files are separated by commas; the extension
    /// of each selects its format, as for `explore --export`
    #[arg(hide_short_help = true, long, value_name = "FILES", value_delimiter = ',')]
    pub export_induced: Vec<PathBuf>,

    /// The scheduler that is followed.
    #[command(flatten)]
    pub scheduler: SchedulerArgs,

    /// How values are computed.
    #[command(flatten)]
    pub methods: MethodArgs,

    /// Where numbers are computed.
    #[command(flatten)]
    pub devices: DeviceArgs,

    /// How states are made.
    #[command(flatten)]
    pub building: BuildingArgs,

    /// The part of the run.
    #[command(flatten)]
    pub part: PartOfRunArgs,

    /// Limits of the run.
    #[command(flatten)]
    pub limits: LimitArgs,

    /// Where the answer goes.
    #[command(flatten)]
    pub answer: AnswerArgs,
}

/// Build the state space of modules, of a LOTOS specification, or of a model that is given by its states.
#[derive(Args, Debug)]
pub struct ExploreStates {
    /// The model.
    #[command(flatten)]
    pub model: ModelArgs,

    /// The files.
    #[command(flatten)]
    pub export: ExportArgs,

    /// States that stand for others.
    #[command(flatten)]
    pub symmetry: SymmetryArgs,

    /// How states are made.
    #[command(flatten)]
    pub building: BuildingArgs,

    /// Limits of the run.
    #[command(flatten)]
    pub limits: LimitArgs,

    /// Where the answer goes.
    #[command(flatten)]
    pub answer: AnswerArgs,
}

/// How values of properties are computed.
#[derive(Args, Debug)]
pub struct MethodArgs {
    /// Exact fractions.
    #[command(flatten)]
    pub exact: ExactArgs,

    /// How numbers are computed.
    #[command(flatten)]
    pub numeric: NumericArgs,

    /// Which states stand for others.
    #[command(flatten)]
    pub bisimulation: BisimulationArgs,

    /// How values are verified.
    #[command(flatten)]
    pub verify: VerifyArgs,

    /// Which states are explored.
    #[command(flatten)]
    pub space: SpaceArgs,
}

/// Which states are explored.
#[derive(Args, Debug)]
#[command(next_help_heading = "State space")]
pub struct SpaceArgs {
    /// All states, or those that matter.
    #[command(flatten)]
    pub all: FullSpaceArgs,

    /// Omit choices of an mdp that others represent (partial-order reduction). All properties must be
    /// probabilities of path formulas without X and without bounds
    #[arg(hide_short_help = true, long, conflicts_with = "full_space")]
    pub reduce: bool,

    /// States that stand for others.
    #[command(flatten)]
    pub symmetry: SymmetryArgs,
}

/// Find the value of a constant from which a property holds.
#[derive(Args, Debug)]
pub struct FindThreshold {
    /// The model.
    #[command(flatten)]
    pub model: ModelArgs,

    /// Whether the files are fixed first.
    #[command(flatten)]
    pub fix: FixArgs,

    /// Property files
    #[arg(value_name = "PROPERTIES")]
    pub properties: Vec<PathBuf>,

    /// How the answer was found.
    #[command(flatten)]
    pub explain: ExplainArgs,

    /// The constant.
    #[command(flatten)]
    pub find: FindArgs,

    /// How values are computed.
    #[command(flatten)]
    pub methods: MethodArgs,

    /// Where numbers are computed.
    #[command(flatten)]
    pub devices: DeviceArgs,

    /// How states are made.
    #[command(flatten)]
    pub building: BuildingArgs,

    /// Limits of the run.
    #[command(flatten)]
    pub limits: LimitArgs,

    /// Where the answer goes.
    #[command(flatten)]
    pub answer: AnswerArgs,
}

/// Compute distributions over states.
#[derive(Args, Debug)]
pub struct ComputeDistributions {
    /// The model.
    #[command(flatten)]
    pub model: ModelArgs,

    /// Whether the files are fixed first.
    #[command(flatten)]
    pub fix: FixArgs,

    /// Property files
    #[arg(value_name = "PROPERTIES")]
    pub properties: Vec<PathBuf>,

    /// How the answer was found.
    #[command(flatten)]
    pub explain: ExplainArgs,

    /// When, and of what.
    #[command(flatten)]
    pub distribution: DistributionArgs,

    /// How numbers are computed.
    #[command(flatten)]
    pub numeric: NumericArgs,

    /// Where numbers are computed.
    #[command(flatten)]
    pub devices: DeviceArgs,

    /// How states are made.
    #[command(flatten)]
    pub building: BuildingArgs,

    /// Limits of the run.
    #[command(flatten)]
    pub limits: LimitArgs,

    /// Where the answer goes.
    #[command(flatten)]
    pub answer: AnswerArgs,
}

/// A threshold to find.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Thresholds")]
pub struct FindArgs {
    /// Find the least value of a constant for which the property of --such-that holds. Write values as for
    /// --const: N=1:1000, p=0.05:0.05:0.95, N=1,2,4,8. Uses bisection; the answer states its assumptions
    #[arg(long, value_name = "NAME=VALUES", requires = "such_that", allow_hyphen_values = true)]
    pub find: Option<String>,

    /// The property for --find, by name, by number, or as text: 'P<0.01 [ F "full" ]'
    #[arg(long, value_name = "PROPERTY", allow_hyphen_values = true)]
    pub such_that: Option<String>,

    /// Find the greatest value instead of the least
    #[arg(hide_short_help = true, long)]
    pub greatest: bool,

    /// Evaluate every value instead of assuming that the property is monotone in the constant
    #[arg(hide_short_help = true, long)]
    pub every_value: bool,
}

/// Distributions over states.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Distributions")]
pub struct DistributionArgs {
    /// Compute the distribution over states at these times (steps for a dtmc): 2.5, or 1,2,5, or 0:0.5:10
    #[arg(long, value_name = "TIMES", allow_hyphen_values = true)]
    pub transient: Option<String>,

    /// Compute the long-run (steady-state) distribution over states
    #[arg(long)]
    pub steady_state: bool,

    /// Add up the probabilities of states in which these expressions have equal values: 'min(q, 3), open'
    #[arg(hide_short_help = true, long, value_name = "EXPRESSIONS", allow_hyphen_values = true)]
    pub by: Vec<String>,
}
