//! Commands on labelled transition systems.

use super::DivergenceArgs;
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use volvelle_console::options::{
    BuildingArgs, LabelArgs, LimitArgs, ModelArgs, OutputArgs, PageArgs, WeightingArgs,
};
use volvelle_lts::Relation;
use volvelle_weights::WeightedRelation;

/// The equivalences.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum RelationArg {
    /// Strong bisimulation: every transition counts
    Strong,
    /// Branching bisimulation: internal transitions that change nothing are left out
    Branching,
    /// Branching bisimulation that keeps endless internal runs
    Divbranching,
    /// Weak bisimulation, also called observational equivalence
    #[value(alias = "observational")]
    Weak,
    /// Strong bisimulation in which rates and probabilities add up (lumping)
    #[value(alias = "lumping")]
    StochasticStrong,
    /// Branching bisimulation in which rates and probabilities add up, with maximal progress
    StochasticBranching,
    /// Weighted branching bisimulation of weighted systems: steps are answered by paths of the same weight
    Wbb,
    /// Existential bounded simulation of weighted systems: steps are answered by paths that weigh no more
    Ebs,
    /// Universal bounded simulation of weighted systems: steps are answered by paths that weigh no less
    Ubs,
}

impl RelationArg {
    /// The equivalence of labelled transition systems; the relation of weighted structures, if it is one of those.
    pub fn relation(self) -> Result<Relation, WeightedRelation> {
        Ok(match self {
            RelationArg::Strong => Relation::Strong,
            RelationArg::Branching => Relation::Branching,
            RelationArg::Divbranching => Relation::DivergencePreservingBranching,
            RelationArg::Weak => Relation::Weak,
            RelationArg::StochasticStrong => Relation::StochasticStrong,
            RelationArg::StochasticBranching => Relation::StochasticBranching,
            RelationArg::Wbb => return Err(WeightedRelation::Bisimulation),
            RelationArg::Ebs => return Err(WeightedRelation::ExistentialBounded),
            RelationArg::Ubs => return Err(WeightedRelation::UniversalBounded),
        })
    }
}

/// Which states count as equal.
#[derive(Args, Debug)]
#[command(next_help_heading = "Equivalence")]
pub struct RelationArgs {
    /// The equivalence
    #[arg(short, long, value_name = "RELATION", value_enum, default_value = "branching")]
    pub relation: RelationArg,

    /// Round sums of rates and probabilities to multiples of this number; by default they are exact
    #[arg(long, value_name = "NUMBER")]
    pub rounding: Option<f64>,
}

/// Reduce a labelled transition system: the smallest one that is equivalent
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  volvelle reduce model.aut -o small.aut                          branching bisimulation
  volvelle reduce protocol.lotos --hide 'all but PUT.*, GET.*' -o small.aut
  volvelle reduce model.aut --rename '/LATENCY !(.*)/\\1; rate 2.5/' --relation stochastic-branching
  volvelle reduce queue.prism --const N=10 --relation lumping     sizes only
  volvelle reduce system.wks --relation wbb -o quotient.wks       a weighted system

The model is an ALDEBARAN file (.aut, perhaps with .gz, .xz or .zst), a network of such files (.exp) or a
model in any language. Written are .aut files, compressed by the same endings, and .dot.

Exit codes: 0 reduced, 2 bad usage or an error in the input, 3 a limit was reached.")]
pub struct Reduce {
    #[command(flatten)]
    pub model: ModelArgs,

    #[command(flatten)]
    pub relation: RelationArgs,

    #[command(flatten)]
    pub labels: LabelArgs,

    /// The file to write; its extension selects the format (- is standard output, as .aut)
    #[arg(short = 'o', long = "output", value_name = "FILE", help_heading = "Output")]
    pub file: Option<PathBuf>,

    /// Define a macro for the preprocessor (Promela): NAME or NAME=TEXT
    #[arg(short = 'D', long = "define", value_name = "MACRO")]
    pub define: Vec<String>,

    #[command(flatten)]
    pub weighting: WeightingArgs,

    #[command(flatten)]
    pub divergence: DivergenceArgs,

    #[command(flatten)]
    pub building: BuildingArgs,

    #[command(flatten)]
    pub limits: LimitArgs,

    #[command(flatten)]
    pub page: PageArgs,

    #[command(flatten)]
    pub output: OutputArgs,
}

/// Compare two labelled transition systems; a trace or a formula shows what tells them apart
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  volvelle compare protocol.lotos service.lotos                   branching bisimulation
  volvelle compare a.aut b.aut --relation strong
  volvelle compare a.aut b.aut --hide 'all but PUT.*, GET.*' --relation weak
  volvelle compare a.wks:s b.wks:t --relation ebs         states of weighted systems

Both models are ALDEBARAN files, networks of them (.exp) or models in any language.

Exit codes: 0 equivalent, 1 not equivalent, 2 bad usage or an error in the input, 3 a limit was reached.")]
pub struct Compare {
    #[command(flatten)]
    pub model: ModelArgs,

    /// The model to compare it with
    #[arg(value_name = "OTHER")]
    pub other: PathBuf,

    #[command(flatten)]
    pub relation: RelationArgs,

    #[command(flatten)]
    pub labels: LabelArgs,

    /// Define a macro for the preprocessor (Promela): NAME or NAME=TEXT
    #[arg(short = 'D', long = "define", value_name = "MACRO")]
    pub define: Vec<String>,

    #[command(flatten)]
    pub weighting: WeightingArgs,

    #[command(flatten)]
    pub divergence: DivergenceArgs,

    #[command(flatten)]
    pub building: BuildingArgs,

    #[command(flatten)]
    pub limits: LimitArgs,

    #[command(flatten)]
    pub page: PageArgs,

    #[command(flatten)]
    pub output: OutputArgs,
}
