//! Options of `steady` and `transient`.

use clap::Args;
use volvelle_console::options::{AnswerArgs, InterpreterArgs, LabelArgs, LimitArgs, ModelArgs, PlotArgs};

/// A system with rates, and what is measured of it.
#[derive(Args, Debug)]
pub struct SystemArgs {
    /// The model.
    #[command(flatten)]
    pub model: ModelArgs,

    /// What becomes of labels.
    #[command(flatten)]
    pub labels: LabelArgs,

    /// Define a macro for the preprocessor (Promela): NAME or NAME=TEXT
    #[arg(short = 'D', long = "define", value_name = "MACRO")]
    pub define: Vec<String>,

    /// Measure these actions only: labels without their rate or probability, separated by `;`; may be repeated. The order of
    /// steps that are not measured matters less often
    #[arg(long, value_name = "ACTIONS", value_delimiter = ';')]
    pub actions: Vec<String>,

    /// Compute the least and the greatest values over all ways to choose between immediate steps
    #[arg(long)]
    pub bounds: bool,

    /// Compute derivatives with respect to rates: of each label, and of each name
    #[arg(long, conflicts_with = "bounds")]
    pub sensitivity: bool,

    /// Also estimate the results from this many simulated paths [without a number: 1e5], with intervals at 99 % confidence
    #[arg(long, value_name = "PATHS", num_args = 0..=1, default_missing_value = "1e5", conflicts_with = "bounds")]
    pub simulate: Option<String>,

    /// Width that the interval must reach, relative to the value [default: 1e-6]
    #[arg(long, value_name = "WIDTH")]
    pub precision: Option<String>,

    /// How states are made.
    #[command(flatten)]
    pub code: InterpreterArgs,

    /// Limits of the run.
    #[command(flatten)]
    pub limits: LimitArgs,

    /// Pictures.
    #[command(flatten)]
    pub plots: PlotArgs,

    /// Where the answer goes.
    #[command(flatten)]
    pub answer: AnswerArgs,
}

/// Compute throughputs and probabilities in the long run, from rates in labels
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  volvelle steady queue.aut --throughput
  volvelle steady queue.lotos --rename '/ARRIVE/ARRIVE; rate LAMBDA/' --rename '/SERVE/SERVE; rate 3/' --const LAMBDA=2
  volvelle steady queue.aut --const LAMBDA=0.5:0.5:4 --actions 'LOSS;SERVE !1' --csv loss.csv
  volvelle steady queue.aut --sensitivity
  volvelle steady queue.aut --simulate 1e6
  volvelle steady bus.aut --bounds")]
pub struct SteadyState {
    /// What both questions need.
    #[command(flatten)]
    pub system: SystemArgs,

    /// Compute the throughput of each action; this is what is computed unless --states is given
    #[arg(long)]
    pub throughput: bool,

    /// Compute the probability of each state, however long it takes
    #[arg(long, conflicts_with = "bounds")]
    pub states: bool,
}

/// The same over time, or the time until an action happens
///
/// Throughputs and probabilities of a labelled transition system with rates.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  volvelle transient queue.aut --times 0:0.1:10
  volvelle transient queue.aut --times 0:0.1:10 --plot course.svg
  volvelle transient queue.aut --times 1,10,100 --counts
  volvelle transient queue.aut --first-passage LOSS --times 10,100
  volvelle transient bus.aut --first-passage GRANT --times 1,5 --bounds")]
pub struct TransientBehaviour {
    /// What both questions need.
    #[command(flatten)]
    pub system: SystemArgs,

    /// The times: 2.5, or 1,2,5, or 0:0.5:10
    #[arg(long, value_name = "TIMES", allow_hyphen_values = true)]
    pub times: Option<String>,

    /// Also compute how often each action is expected up to each time
    #[arg(long, conflicts_with_all = ["bounds", "first_passage"])]
    pub counts: bool,

    /// Compute the time until one of these actions happens for the first time: its mean, and the probability that it is
    /// within --times. Separated by `;`
    #[arg(long, value_name = "ACTIONS", value_delimiter = ';')]
    pub first_passage: Vec<String>,
}
