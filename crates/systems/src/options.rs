//! Options of questions about state spaces and labelled transition systems.

use clap::Args;
use volvelle_console::explored::ExportArgs;
use volvelle_console::options::{
    AnswerArgs, FixArgs, FullSpaceArgs, InterpreterArgs, LabelArgs, LimitArgs, MacroArgs, ModelArgs,
    OtherArgs, ReducedArgs, RelationArgs, SeedArgs,
};
use volvelle_stepping::options::StepArgs;

/// Check formulas of the mu-calculus.
#[derive(Args, Debug)]
pub struct CheckFormulas {
    /// The model.
    #[command(flatten)]
    pub model: ModelArgs,

    /// Whether the files are fixed first.
    #[command(flatten)]
    pub fix: FixArgs,

    /// Check a formula of the mu-calculus on the labelled transition system of the model, in the syntax of MCL or
    /// mCRL2 (without data); or the name of a file with the formula; may be repeated
    #[arg(long, value_name = "FORMULA", help_heading = "Labels", allow_hyphen_values = true)]
    pub mcl: Vec<String>,

    /// Which labels transitions have.
    #[command(flatten)]
    pub labels: LabelArgs,

    /// Macros.
    #[command(flatten)]
    pub macros: MacroArgs,

    /// All states, or those that matter.
    #[command(flatten)]
    pub space: FullSpaceArgs,

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

/// Build the state space of processes.
#[derive(Args, Debug)]
pub struct ExploreProcesses {
    /// The model.
    #[command(flatten)]
    pub model: ModelArgs,

    /// The files.
    #[command(flatten)]
    pub export: ExportArgs,

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

/// Generate a labelled transition system: that of a file, or the product of a network.
#[derive(Args, Debug)]
pub struct ExploreSystem {
    /// The model.
    #[command(flatten)]
    pub model: ModelArgs,

    /// The files.
    #[command(flatten)]
    pub export: ExportArgs,

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

/// Numbers that count as equal.
#[derive(Args, Debug)]
#[command(next_help_heading = "Equivalence")]
pub struct SumArgs {
    /// Round sums of rates and probabilities to multiples of this number; by default they are exact
    #[arg(long, value_name = "NUMBER")]
    pub rounding: Option<f64>,
}

/// Reduce a labelled transition system.
#[derive(Args, Debug)]
pub struct ReduceSystem {
    /// The model.
    #[command(flatten)]
    pub model: ModelArgs,

    /// The equivalence.
    #[command(flatten)]
    pub relation: RelationArgs,

    /// Which numbers are equal.
    #[command(flatten)]
    pub sums: SumArgs,

    /// Which labels transitions have.
    #[command(flatten)]
    pub labels: LabelArgs,

    /// The file to write.
    #[command(flatten)]
    pub reduced: ReducedArgs,

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

/// Compare two labelled transition systems.
#[derive(Args, Debug)]
pub struct CompareSystems {
    /// The model.
    #[command(flatten)]
    pub model: ModelArgs,

    /// The other model.
    #[command(flatten)]
    pub other: OtherArgs,

    /// The equivalence.
    #[command(flatten)]
    pub relation: RelationArgs,

    /// Which numbers are equal.
    #[command(flatten)]
    pub sums: SumArgs,

    /// Which labels transitions have.
    #[command(flatten)]
    pub labels: LabelArgs,

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

/// Step through a labelled transition system.
#[derive(Args, Debug)]
pub struct StepSystem {
    /// The model.
    #[command(flatten)]
    pub model: ModelArgs,

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
