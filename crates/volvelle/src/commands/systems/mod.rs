//! Commands on labelled transition systems.

pub mod compare;
pub mod explore;
pub mod formulas;
pub mod reduce;

use crate::args::RelationArgs;
use volvelle_console::opening::Opening;
use volvelle_console::options::ModelArgs;
use volvelle_control::Control;
use volvelle_diagnostics::{Diagnostic, codes};
use volvelle_lts::{ReduceOptions, Relation};
use volvelle_session::report::Report;
use volvelle_session::{Session, Settings};
use volvelle_space::Lts;
use volvelle_systems::written::refused;

/// The options of an equivalence of transition systems.
fn options(relation: Relation, args: &RelationArgs) -> Result<ReduceOptions, Vec<Diagnostic>> {
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
    volvelle_systems::transition_system(session, settings, control)
}
