//! Questions about state spaces and labelled transition systems.

mod compare;
mod formulas;
mod processes;
mod reduce;
mod step;
mod system;

use crate::options::SumArgs;
use crate::written::refused;
use volvelle_console::given::GivenOptions;
use volvelle_console::opening::Opening;
use volvelle_console::options::{ModelArgs, RelationArg};
use volvelle_control::Control;
use volvelle_diagnostics::{Diagnostic, codes};
use volvelle_lts::{ReduceOptions, Relation};
use volvelle_session::report::Report;
use volvelle_session::{Session, Settings};
use volvelle_space::Lts;

/// Why a weighted system has no labels.
const WHY: &str = "its steps have weights, and no labels";

/// How questions about equivalences of transition systems are asked.
const OF_EQUIVALENCES: &str = "choose an equivalence of transition systems: --relation branching";

/// Whether an equivalence of transition systems was asked for.
fn is_equivalence(given: &GivenOptions) -> bool {
    !given.value("relation").is_some_and(RelationArg::is_weighted_name)
}

/// The equivalence that an option names.
fn relation(arg: RelationArg) -> Relation {
    match arg {
        RelationArg::Strong => Relation::Strong,
        RelationArg::Divbranching => Relation::DivergencePreservingBranching,
        RelationArg::Weak => Relation::Weak,
        RelationArg::StochasticStrong => Relation::StochasticStrong,
        RelationArg::StochasticBranching => Relation::StochasticBranching,
        // The others relate weighted systems, and choose another question.
        RelationArg::Branching | RelationArg::Wbb | RelationArg::Ebs | RelationArg::Ubs => {
            Relation::Branching
        }
    }
}

/// The options of an equivalence of transition systems.
fn options(relation: Relation, args: &SumArgs) -> Result<ReduceOptions, Vec<Diagnostic>> {
    let bad = |message: &str, help: &str| vec![Diagnostic::error(codes::BAD_USAGE, message).help(help)];
    match args.rounding {
        Some(_) if !relation.is_stochastic() => {
            let message =
                format!("--rounding does not apply to {}, which adds up no numbers", relation.name());
            Err(bad(&message, "choose --relation stochastic-branching or stochastic-strong"))
        }
        Some(epsilon) if !(epsilon > 0.0 && epsilon.is_finite()) => {
            Err(bad("--rounding is not a positive number", "for example: --rounding 1e-9"))
        }
        epsilon => Ok(ReduceOptions { relation, epsilon }),
    }
}

/// Opens a model as a labelled transition system. A large file is read as it is parsed.
fn open(model: &ModelArgs, opening: Opening<'_>) -> Result<Session, Vec<Diagnostic>> {
    volvelle_console::opening::open(model, Opening { as_system: true, ..opening })
}

/// The system of an opened model, with a report.
fn system(session: &mut Session, settings: &Settings, control: &Control<'_>) -> (Report, Option<Lts>) {
    crate::transition_system(session, settings, control)
}
