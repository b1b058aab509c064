//! Programs of modules as transition systems that are searched on the fly.
//!
//! In: a program whose steps are synchronisations of modules. Out: a [`System`](volvelle_search::System) for the searches of `volvelle_search`:
//! breadth first for errors and deadlocks with shortest trails, nested depth first for claims. Outcomes of a step with a
//! positive weight are its successors; the weights themselves do not matter to a search.
//!
//! The step kernel is that of exploration. Groups of one module are split by their commands first ([`split()`]), which
//! keeps the order of the successors: the number of a step then names the command, and partial-order reduction
//! ([`stubborn`]) distinguishes commands.

mod expanders;
mod flags;
mod machine;
mod run;
mod split;
mod stubborn;
mod system;

pub use split::CommandOf;
pub(crate) use split::split;
pub(crate) use stubborn::{Chooser, Stubborn};
pub use system::{MAX_LABELS, Modules, ModulesOptions};
