//! Options of questions about weighted systems.

use crate::{Comparison, DistanceKind, WeightedRelation};
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use volvelle_console::explored::ExportArgs;
use volvelle_console::options::{
    AnswerArgs, FixArgs, InterpreterArgs, LimitArgs, MacroArgs, ModelArgs, OtherArgs, ReducedArgs,
    RelationArg, RelationArgs, SeedArgs, WeightingArgs,
};
use volvelle_stepping::options::StepArgs;

/// Check formulas of weighted CTL.
#[derive(Args, Debug)]
pub struct CheckWeighted {
    /// The model.
    #[command(flatten)]
    pub model: ModelArgs,

    /// Whether the files are fixed first.
    #[command(flatten)]
    pub fix: FixArgs,

    /// The formulas.
    #[command(flatten)]
    pub weighted: WctlArgs,

    /// How a model becomes a weighted structure.
    #[command(flatten)]
    pub weighting: WeightingArgs,

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

/// Generate a weighted structure.
#[derive(Args, Debug)]
pub struct ExploreWeighted {
    /// The model.
    #[command(flatten)]
    pub model: ModelArgs,

    /// The files.
    #[command(flatten)]
    pub export: ExportArgs,

    /// Macros.
    #[command(flatten)]
    pub macros: MacroArgs,

    /// How a model becomes a weighted structure.
    #[command(flatten)]
    pub weighting: WeightingArgs,

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

/// Step through a weighted system.
#[derive(Args, Debug)]
pub struct StepWeighted {
    /// The model.
    #[command(flatten)]
    pub model: ModelArgs,

    /// Macros.
    #[command(flatten)]
    pub macros: MacroArgs,

    /// How a model becomes a weighted structure.
    #[command(flatten)]
    pub weighting: WeightingArgs,

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

/// Reduce a weighted system.
#[derive(Args, Debug)]
pub struct ReduceWeighted {
    /// The model.
    #[command(flatten)]
    pub model: ModelArgs,

    /// The relation.
    #[command(flatten)]
    pub relation: RelationArgs,

    /// The file to write.
    #[command(flatten)]
    pub reduced: ReducedArgs,

    /// Macros.
    #[command(flatten)]
    pub macros: MacroArgs,

    /// How a model becomes a weighted structure.
    #[command(flatten)]
    pub weighting: WeightingArgs,

    /// What the relation looks at.
    #[command(flatten)]
    pub divergence: DivergenceArgs,

    /// Limits of the run.
    #[command(flatten)]
    pub limits: LimitArgs,

    /// Where the answer goes.
    #[command(flatten)]
    pub answer: AnswerArgs,
}

/// Compare states of two weighted systems.
#[derive(Args, Debug)]
pub struct CompareWeighted {
    /// The model.
    #[command(flatten)]
    pub model: ModelArgs,

    /// The other model.
    #[command(flatten)]
    pub other: OtherArgs,

    /// The relation.
    #[command(flatten)]
    pub relation: RelationArgs,

    /// Macros.
    #[command(flatten)]
    pub macros: MacroArgs,

    /// How a model becomes a weighted structure.
    #[command(flatten)]
    pub weighting: WeightingArgs,

    /// What the relation looks at.
    #[command(flatten)]
    pub divergence: DivergenceArgs,

    /// Limits of the run.
    #[command(flatten)]
    pub limits: LimitArgs,

    /// Where the answer goes.
    #[command(flatten)]
    pub answer: AnswerArgs,
}

/// Formulas of weighted CTL.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Weights")]
pub struct WctlArgs {
    /// Check a formula of weighted CTL in the initial state of a weighted system, or in the state behind the file: system.wks:STATE; or the
    /// name of a file with the formula; may be repeated
    #[arg(long, value_name = "FORMULA", allow_hyphen_values = true)]
    pub wctl: Vec<String>,

    /// The step of a state without steps: a loop of weight 0, or a step of weight 0 to a sink without propositions
    #[arg(
        hide_short_help = true,
        long,
        value_name = "STEP",
        value_enum,
        default_value = "loop",
        requires = "wctl"
    )]
    pub blocking: BlockingArg,

    /// Generate and check all states of a weighted system, rather than those that matter to the formula
    #[arg(hide_short_help = true, long, requires = "wctl")]
    pub global: bool,
}

/// What relations of weighted systems look at besides the weights of steps.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Weights")]
pub struct DivergenceArgs {
    /// Relate states of weighted systems only if they agree in whether they can stay for ever by steps of weight 0: formulas about all
    /// paths are then preserved as well
    #[arg(long)]
    pub divergence: bool,

    /// With --divergence, the step of a state without steps: a loop of weight 0, or a step of weight 0 to a sink without propositions
    #[arg(
        hide_short_help = true,
        long,
        value_name = "STEP",
        value_enum,
        default_value = "loop",
        requires = "divergence"
    )]
    pub blocking: BlockingArg,
}

impl DivergenceArgs {
    /// The same for a comparison.
    pub fn comparison(&self, relation: WeightedRelation) -> Comparison {
        Comparison { relation, divergence: self.divergence, sink: self.blocking == BlockingArg::Sink }
    }
}

/// The relation that an option names; the usual one if it relates no weighted systems.
pub fn relation(arg: RelationArg) -> WeightedRelation {
    match arg {
        RelationArg::Ebs => WeightedRelation::ExistentialBounded,
        RelationArg::Ubs => WeightedRelation::UniversalBounded,
        _ => WeightedRelation::Bisimulation,
    }
}

/// The step that blocking states are given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum BlockingArg {
    /// A loop of weight 0
    #[default]
    Loop,
    /// A step of weight 0 to a sink without propositions
    Sink,
}

/// The distances.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DistanceArg {
    /// Weighted branching distance: answers weigh between (1 - d) and (1 + d) times as much
    Wbd,
    /// Existential bounded distance: answers weigh at most (1 + d) times as much
    Ebd,
}

impl DistanceArg {
    /// The same for the engine.
    pub fn kind(self) -> DistanceKind {
        match self {
            DistanceArg::Wbd => DistanceKind::WeightedBranching,
            DistanceArg::Ebd => DistanceKind::ExistentialBounded,
        }
    }
}

/// Compute how far one weighted system is from another, exactly
///
/// With the paths that realise the distance.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  volvelle distance spec.wks impl.wks                     of the initial states
  volvelle distance system.wks:s system.wks:t --kind ebd
  volvelle distance a.wks:s b.wks:t --log                 log(1 + d), which obeys the triangle inequality
  volvelle distance system.wks                            between all states
  volvelle distance system.wks --within 5%                groups of states that are close to one another
  volvelle distance spec.wks design.wks --minimize        the best values of parameters

The distance from s to t is the least d with which each step of s, of weight w, is answered by a path of t with a
weight between w(1 - d) and w(1 + d). It is a rational number, or infinite.

Exit codes: 0 computed, 1 no values of parameters are close enough (--at-most), 2 bad usage or an error in the input,
3 a limit was reached.")]
pub struct Distance {
    /// The model.
    #[command(flatten)]
    pub model: ModelArgs,

    /// The model, or state of a model, that answers; without it, the distances between all states of the model
    #[arg(value_name = "OTHER")]
    pub other: Option<PathBuf>,

    /// The distance
    #[arg(short, long, value_name = "KIND", value_enum, default_value = "wbd")]
    pub kind: DistanceArg,

    /// Also show log(1 + d)
    #[arg(long, conflicts_with_all = ["within", "minimize", "at_most"])]
    pub log: bool,

    /// Of all states of a model: group those that are within this distance of one another, in both directions: 5%, 1/20 or 0.05
    #[arg(long, value_name = "DISTANCE", conflicts_with = "other", allow_hyphen_values = true)]
    pub within: Option<String>,

    /// Write the groups, with intervals of weights as steps between them, as a graph for Graphviz (.dot)
    #[arg(short = 'o', long = "output", value_name = "FILE", help_heading = "Output")]
    pub file: Option<PathBuf>,

    /// Find values of the parameters in weights for which the distance is least
    #[arg(long, group = "goal", requires = "other", help_heading = "Parameters")]
    pub minimize: bool,

    /// Find values of the parameters in weights for which the distance is at most this
    #[arg(
        long,
        value_name = "DISTANCE",
        group = "goal",
        allow_hyphen_values = true,
        requires = "other",
        conflicts_with = "minimize",
        help_heading = "Parameters"
    )]
    pub at_most: Option<String>,

    /// With --minimize: how far from the least distance the answer may be
    #[arg(
        long,
        value_name = "DISTANCE",
        allow_hyphen_values = true,
        default_value = "0",
        help_heading = "Parameters"
    )]
    pub tolerance: String,

    /// How many parts of the ranges of parameters are examined at most [default: 10000]
    #[arg(long, value_name = "N", requires = "goal", help_heading = "Parameters")]
    pub boxes: Option<u64>,

    /// Macros.
    #[command(flatten)]
    pub macros: MacroArgs,

    /// How a model becomes a weighted structure.
    #[command(flatten)]
    pub weighting: WeightingArgs,

    /// Limits of the run.
    #[command(flatten)]
    pub limits: LimitArgs,

    /// Where the answer goes.
    #[command(flatten)]
    pub answer: AnswerArgs,
}
