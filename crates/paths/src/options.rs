//! Options of single paths.

use clap::Args;
use volvelle_console::options::*;
use volvelle_stepping::options::StepArgs;

/// Show one random path: times, actions, changes, rewards, decided properties
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  volvelle trace queue.prism --seed 7 --path 123456       path 123456 of seed 7
  volvelle trace queue.prism queue.props --path 12        path 12 of `simulate` with these files
  volvelle trace queue.prism --until 'jobs=3 & open'      until a condition holds
  volvelle trace queue.prism --csv path.csv               a table with all variables

Exit codes: 0 the path was shown, 2 bad usage, an error in the input or on the path, 3 a limit was reached or the run was
interrupted.")]
pub struct Trace {
    /// The model.
    #[command(flatten)]
    pub model: ModelArgs,

    /// The properties.
    #[command(flatten)]
    pub asked: AskedArgs,

    /// Seed of the random choices, as for `volvelle simulate`
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    pub seed: u64,

    /// Number of the path, from 0
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    pub path: u64,

    /// How choices are made.
    #[command(flatten)]
    pub scheduler: SchedulerArgs,

    /// Continue until a condition holds ('x=3 & y>2'), or, with `deadlock`, until no transition leaves the state
    /// [default: until all properties are decided]
    #[arg(long, value_name = "CONDITION", allow_hyphen_values = true)]
    pub until: Option<String>,

    /// Stop after this many steps: 500 or 1e6 [default: 1000]
    #[arg(long, value_name = "NUMBER")]
    pub steps: Option<String>,

    /// Random number generator: xoshiro128++ or philox
    #[arg(long, value_name = "NAME", default_value = "xoshiro128++")]
    pub rng: String,

    /// Limits of the run.
    #[command(flatten)]
    pub limits: BriefLimitArgs,

    /// Where the path goes; the table has all variables, one line per state.
    #[command(flatten)]
    pub answer: AnswerArgs,
}

/// Step through a stochastic model.
#[derive(Args, Debug)]
pub struct StepPaths {
    /// The model.
    #[command(flatten)]
    pub model: ModelArgs,

    /// The properties that are decided on the way.
    #[command(flatten)]
    pub asked: AskedArgs,

    /// The scheduler that makes choices at random steps.
    #[command(flatten)]
    pub scheduler: SchedulerArgs,

    /// The seed.
    #[command(flatten)]
    pub seed: SeedArgs,

    /// The walk.
    #[command(flatten)]
    pub step: StepArgs,

    /// Limits of the run.
    #[command(flatten)]
    pub limits: LimitArgs,

    /// Where the walk goes.
    #[command(flatten)]
    pub answer: AnswerArgs,
}
