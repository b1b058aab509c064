//! Model checking of weighted CTL: all states of a structure, or one state of a system that is generated on the fly.
//!
//! [`check_global`] computes the set of states for every node of a formula: backward searches for least
//! weights, topological sweeps for heaviest ones, components for lower bounds, layers for intervals with two
//! ends. [`check_explored`] generates a system first.
//!
//! [`check_local`] decides one state. It follows J. F. Jensen, K. G. Larsen, J. Srba, L. K. Oestergaard,
//! *Efficient model-checking of weighted CTL with upper-bound constraints* (STTT 18(4), 2016,
//! doi:10.1007/s10009-014-0359-5). A node of their symbolic dependency graph is a formula in a state without
//! its bound; here it has one entry, with the bounds known to suffice and those known to be too small.
//! Negation passes between levels, as in their min-max graphs. There are three deviations:
//!
//! - Assignments are not computed by one fixpoint iteration over hyperedges, but by searches for each kind of
//!   until: a
//!   depth-first probe beside best-first search, or depth-first search with exact longest weights.
//! - Values of a lower level are decided on demand, together with their whole level, before they are used.
//! - Intervals may have lower ends, which need pairs of a state and a weight.
//!
//! [`least_bound`] and [`least_bounds`] compute the least bound with which an until holds.
//!
//! Every answer has an [`Explanation`]. Blocking states are given a step first ([`Blocking`]).

mod all;
mod blocking;
mod bound;
mod exists;
mod explain;
mod global;
mod graph;
mod interval;
mod layers;
mod local;
mod plan;
mod search;

pub use blocking::{Blocking, SINK};
pub use bound::{LeastBound, LeastBounds, least_bound, least_bounds};
pub use explain::{Decisive, Explanation, PathEnd, Reason};
pub use global::{Checked, check_explored, check_global};
pub use interval::closed;
pub use local::{LocalAnswer, check_local};
