//! On-the-fly search of transition systems.
//!
//! A [`System`] generates states; the search stores them compressed ([`StateSet`]), looks for errors breadth first on
//! all cores ([`bfs`]) with a shortest trail to each, or depth first in the order of the system ([`dfs`]), and finds infinite
//! runs that violate a claim ([`liveness`]). It knows no model and no language: a state is some words, a step is a number, an
//! error has a site.
//!
//! ```
//! use volvelle_control::Control;
//! use volvelle_search::{Exit, Expander, Outcome, StepError, Successors, System, bfs};
//!
//! /// A number that is doubled or increased, and must not be 21.
//! struct Number;
//!
//! impl System for Number {
//!     fn words(&self) -> usize {
//!         1
//!     }
//!     fn initial(&self) -> Vec<u64> {
//!         vec![1]
//!     }
//!     fn expander(&self) -> Box<dyn Expander + '_> {
//!         Box::new(Number)
//!     }
//! }
//!
//! impl Expander for Number {
//!     fn expand(&mut self, states: &[u64], out: &mut Successors) -> Exit {
//!         out.clear();
//!         for (source, &state) in states.iter().enumerate() {
//!             for (step, next) in [2 * state, state + 1].into_iter().enumerate() {
//!                 if next < 50 {
//!                     out.states.push(next);
//!                     out.steps.push(step as u32);
//!                 }
//!             }
//!             if state == 21 {
//!                 let error = StepError { source: source as u32, successor: None, site: 0, step: 0 };
//!                 out.errors.push(error);
//!             }
//!             out.ends.push(out.steps.len() as u32);
//!             out.observations.push(0);
//!         }
//!         Exit::Done
//!     }
//! }
//!
//! let report = bfs::search(&Number, &bfs::Options::default(), &Control::unlimited());
//! assert_eq!(report.outcome, Outcome::Failed);
//! let trail = report.faults[0].trail.as_ref().unwrap();
//! assert_eq!(trail.states.concat(), [1, 2, 4, 5, 10, 20, 21]);
//! assert_eq!(trail.steps, [0, 0, 1, 0, 0, 1]);
//! ```

pub mod approximate;
mod atomic;
mod atomic_queue;
pub mod bfs;
mod claim;
pub mod dfs;
pub mod liveness;
mod ordered;
mod path;
pub mod prefix;
pub mod probe;
mod product;
mod report;
mod stack;
mod store;
mod successors;
mod system;
mod trail_builder;
mod turns;
mod visited;

pub use atomic::{AtomicExpander, Call};
pub use claim::{Claim, ClaimEdge, ClaimState};
pub use ordered::{Order, OrderedExpander, Part, Position, WholeExpander, reverse};
pub use report::{Fault, Gap, Outcome, Report, Trail};
pub use store::{Full, Growth, Interning, KeySet, MAX_NUMBERS, Mark, Sources, StateSet};
pub use successors::{ACCEPTING, Exit, Expander, PROGRESS, StepError, Successors, TRANSIENT};
pub use system::System;
pub use trail_builder::Listing;
pub use turns::Turns;
