//! On-the-fly search of transition systems.
//!
//! A [`System`] generates states; the search stores them compressed ([`StateSet`]), looks for errors breadth first on
//! all cores ([`bfs`]), and gives a shortest trail to each. It knows no model and no language: a state is some words, a
//! step is a number, an error has a site.

pub mod bfs;
mod gate;
mod report;
mod store;
mod system;
mod transients;
mod unfold;
mod way;

pub use report::{Fault, Outcome, Report, Trail};
pub use store::{Full, Growth, Interning, KeySet, MAX_NUMBERS, Mark, Sources, StateSet};
pub use system::{ACCEPTING, Exit, Expander, PROGRESS, StepError, Successors, System, TRANSIENT};
