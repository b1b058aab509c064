//! One path, state by state, in the words of the model.
//!
//! The path is the one that a simulation with the same properties, seed and generator has under the same number: it is
//! walked by the reference, [`ReferenceSimulator`](volvelle_simulate::reference::ReferenceSimulator), and decided by
//! [`ReferenceMonitor`](volvelle_simulate::reference::ReferenceMonitor). Simulations of chains in continuous time draw times only where a property
//! needs them; without properties a trace draws them, as if one did.
//!
//! [`plan_path`] reads what is asked, [`start_path`] begins a path, and [`Path`] goes along it.

pub mod csv;
mod options;
mod path;
mod plan;
mod step;
#[cfg(test)]
mod tests;

pub(crate) use path::Place;
pub use path::{Path, PathEnd};
pub use plan::{Followed, PathPlan, Tracing, plan_path};
pub(crate) use plan::{condition_of, expression_of};
pub use step::{Choice, Command, Decided, Moved, PathOption, PathStep, PathValue, Total, VariableChange};

use volvelle_session::Model;

/// Begins a path: its initial state is entered. `None` without a model.
pub fn start_path<'p, 'm>(model: &'m Model, plan: &'p PathPlan) -> Option<Path<'p, 'm>> {
    Some(Path::new(plan, model.document.as_deref()?, &model.sources))
}
