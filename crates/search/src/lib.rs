//! On-the-fly search of transition systems.
//!
//! A [`System`] generates states; the search stores them compressed ([`StateSet`]), looks for errors breadth first on
//! all cores ([`bfs`]) with a shortest trail to each, or depth first in the order of the system ([`dfs`]), and finds runs
//! without end that must not be ([`liveness`]). It knows no model and no language: a state is some words, a step is a
//! number, an error has a site.

pub mod bfs;
mod bits;
mod claim;
pub mod dfs;
mod gate;
pub mod liveness;
mod product;
mod report;
mod stack;
mod store;
mod system;
mod transients;
mod unfold;
mod visited;
mod way;

pub use claim::{Claim, ClaimEdge, ClaimState};
pub use report::{Fault, Outcome, Report, Trail};
pub use store::{Full, Growth, Interning, KeySet, MAX_NUMBERS, Mark, Sources, StateSet};
pub use system::{ACCEPTING, Exit, Expander, PROGRESS, StepError, Successors, System, TRANSIENT};
