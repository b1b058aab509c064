//! Programs of modules as transition systems that are searched on the fly.
//!
//! In: a program whose steps are synchronisations of modules. Out: a [`System`](volvelle_search::System) for
//! the searches of `volvelle_search`: breadth first for errors and deadlocks with shortest trails, nested
//! depth first for claims. Outcomes of a step with positive weight are its successors; otherwise searches
//! ignore weights.
//!
//! The step kernel is that of exploration. First, groups of one module are split by their commands
//! ([`split()`]), which keeps the order of successors. So the number of a step names the command, and
//! partial-order reduction ([`stubborn`]) can distinguish commands.

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
