//! The relation by which models are reduced and compared.

use clap::{Args, ValueEnum};

/// Relations between states.
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
    /// Whether it relates the states of weighted systems.
    pub fn is_weighted(self) -> bool {
        matches!(self, RelationArg::Wbb | RelationArg::Ebs | RelationArg::Ubs)
    }

    /// Whether a value of `--relation` is one of those.
    pub fn is_weighted_name(name: &str) -> bool {
        RelationArg::from_str(name, false).is_ok_and(RelationArg::is_weighted)
    }
}

/// Which states count as equal.
#[derive(Args, Debug)]
#[command(next_help_heading = "Equivalence")]
pub struct RelationArgs {
    /// The equivalence
    #[arg(short, long, value_name = "RELATION", value_enum, default_value = "branching")]
    pub relation: RelationArg,
}
