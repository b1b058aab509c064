//! Objectives of schedulers: path formulas, bounds on rewards, several objectives at once.
//!
//! In: operators of the logic whose state formulas have been evaluated. Out: probabilities and rewards with their bounds, or
//! a scheduler that attains them.
//!
//! | module | subject |
//! |---|---|
//! | [`operators`] | operators by their form: what they measure, which state formulas they read |
//! | [`path`], `bounded_graph` | path formulas taken apart, their probabilities, and where these are zero or one |
//! | `branching` | whether all paths, or some path, satisfy a path formula |
//! | `conditioned` | the formulas behind a conditional probability |
//! | [`ltl`] | linear temporal logic: products with automata, co-safe rewards |
//! | [`reward_bounded`] | bounds on rewards, several at once, and quantiles |
//! | [`multi`] | several objectives for one scheduler |
//! | [`scheduler`] | optimal memoryless schedulers |
//! | [`strategy`] | schedulers with finite memory |
//!
//! *Architecture Invariant:* it evaluates no state formula: callers pass the sets of states that satisfy them. So the same
//! products, quotients and epochs serve doubles and rational numbers.

mod bounded_graph;
mod branching;
mod conditioned;
pub mod ltl;
pub mod multi;
pub mod operators;
pub mod path;
pub mod reward_bounded;
pub mod scheduler;
pub mod strategy;

pub use branching::branching;
pub use conditioned::Conditioned;
