//! Options of questions about all runs, and about single runs of processes.

use clap::{Args, ValueEnum};
use std::path::PathBuf;
use volvelle_console::options::*;
use volvelle_stepping::options::StepArgs;

/// Find suspicious parts of a Promela model
///
/// Dead statements, values that do not fit their type.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  volvelle lint protocol.pml
  volvelle lint protocol.pml -D N=5

Exit codes: 0 no warnings, 1 warnings, 2 an error, 3 a limit was reached.")]
pub struct Lint {
    /// The model.
    #[command(flatten)]
    pub model: ModelArgs,

    /// Whether the files are fixed first.
    #[command(flatten)]
    pub fix: FixArgs,

    /// Macros.
    #[command(flatten)]
    pub macros: MacroArgs,

    /// The code that makes states.
    #[command(flatten)]
    pub code: InterpreterArgs,

    /// Limits of the run.
    #[command(flatten)]
    pub limits: LimitArgs,

    /// Where the answer goes.
    #[command(flatten)]
    pub answer: AnswerArgs,
}

/// Search all runs for violations.
#[derive(Args, Debug)]
pub struct SearchErrors {
    /// The model.
    #[command(flatten)]
    pub model: ModelArgs,

    /// Whether the files are fixed first.
    #[command(flatten)]
    pub fix: FixArgs,

    /// Claims of processes.
    #[command(flatten)]
    pub selected: SelectedArgs,

    /// How the search was done.
    #[command(flatten)]
    pub explain: ExplainArgs,

    /// What is sought, and how.
    #[command(flatten)]
    pub search: SearchArgs,

    /// Macros.
    #[command(flatten)]
    pub macros: MacroArgs,

    /// States that stand for others.
    #[command(flatten)]
    pub symmetry: SymmetryArgs,

    /// The code that makes states.
    #[command(flatten)]
    pub code: InterpreterArgs,

    /// Limits of the run.
    #[command(flatten)]
    pub limits: LimitArgs,

    /// Where the answer goes.
    #[command(flatten)]
    pub answer: AnswerArgs,
}

/// How states are searched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum SearchName {
    /// Breadth first, and beside it depth first for errors deep down: the first error of either
    #[default]
    Auto,
    /// Breadth first on all cores, with shortest counterexamples
    Bfs,
    /// Depth first, in the order of the model
    Dfs,
    /// Depth first, with a few bits per state; may miss states
    Bitstate,
    /// Depth first, with 64 bits per state; may miss states
    HashCompact,
    /// Many small searches in random orders on all cores, until --timeout if it is given; may miss states
    Swarm,
}

/// Searches: of Promela models, and of PRISM models for deadlocks and formulas.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Searches (Promela, and formulas on PRISM models)")]
pub struct SearchArgs {
    /// Check assertions and invalid end states only. For a PRISM model: deadlocks, and values out of range
    #[arg(long)]
    pub safety: bool,

    /// Check an LTL formula that all runs must satisfy, by a search that builds no more of the state space than it needs;
    /// may be repeated. A claim of a Promela model is selected by its name with --prop
    #[arg(long, value_name = "FORMULA", allow_hyphen_values = true)]
    pub ltl: Vec<String>,

    /// Search for runs that pass an accept-state label infinitely often
    #[arg(hide_short_help = true, long)]
    pub acceptance: bool,

    /// Search for infinite runs that pass progress-state labels only finitely often
    #[arg(hide_short_help = true, long)]
    pub progress: bool,

    /// Consider only runs in which a process that can always move does move (weak fairness)
    #[arg(long)]
    pub fair: bool,

    /// Continue after errors: report one counterexample for each failing statement
    #[arg(long)]
    pub all_errors: bool,

    /// After the first error, go on until its counterexample is shortest; Ctrl-C or a limit ends with the shortest so far
    #[arg(long, conflicts_with = "all_errors")]
    pub shorten: bool,

    /// Write the first counterexample to a file, for `volvelle simulate --trail`; with the extension `.trail`, for `spin -t -k`
    #[arg(long, value_name = "FILE")]
    pub trail: Option<PathBuf>,

    /// Disable partial-order reduction: explore all orders of steps, even of steps that commute
    #[arg(long)]
    pub no_reduction: bool,

    /// How to search for violated assertions and invalid end states
    #[arg(long, value_name = "METHOD", default_value = "auto")]
    pub search: SearchName,

    /// Maximum depth of a search, in steps: 10000 or 1e4
    #[arg(hide_short_help = true, long, value_name = "NUMBER")]
    pub max_depth: Option<String>,
}

/// Run processes step by step.
#[derive(Args, Debug)]
pub struct RunProcesses {
    /// The model.
    #[command(flatten)]
    pub model: ModelArgs,

    /// The seed.
    #[command(flatten)]
    pub seed: SeedArgs,

    /// How the run goes.
    #[command(flatten)]
    pub run: RunArgs,

    /// Macros.
    #[command(flatten)]
    pub macros: MacroArgs,

    /// Limits of the run.
    #[command(flatten)]
    pub limits: LimitArgs,

    /// Where the answer goes.
    #[command(flatten)]
    pub answer: AnswerArgs,
}

/// A single run of processes.
#[derive(Args, Debug)]
#[command(next_help_heading = "Promela models")]
pub struct RunArgs {
    /// Stop after this many steps: 500 or 1e6 [default: 1000]
    #[arg(long, value_name = "NUMBER")]
    pub steps: Option<String>,

    /// Replay a counterexample written by `check --trail`, or a SPIN `.trail` file
    #[arg(long, value_name = "FILE", conflicts_with = "seed")]
    pub trail: Option<PathBuf>,
}

/// Formulas that a walk follows.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Promela models")]
pub struct FollowedArgs {
    /// Follow an LTL formula: say where the walk decides it; may be repeated. Claims of the model are followed where neither --ltl nor
    /// --prop names some
    #[arg(long, value_name = "FORMULA", allow_hyphen_values = true)]
    pub ltl: Vec<String>,
}

/// Step through processes.
#[derive(Args, Debug)]
pub struct StepProcesses {
    /// The model.
    #[command(flatten)]
    pub model: ModelArgs,

    /// The claims that are followed.
    #[command(flatten)]
    pub selected: SelectedArgs,

    /// Formulas that are followed.
    #[command(flatten)]
    pub followed: FollowedArgs,

    /// Macros.
    #[command(flatten)]
    pub macros: MacroArgs,

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
