//! Markov models without bounds on time: equations over a state space, and how they are solved.
//!
//! In: a [`Context`], which is a space with options and limits. Out: [`Numbers`], bounds of a value in every state that
//! contain the true one, rounding of the arithmetic and of the input included (the module [`rounding`] says under which
//! model), or a [`CheckError`].
//!
//! | module | subject |
//! |---|---|
//! | `context`, `options`, `error`, `numbers` | what goes into every analysis, and what comes out |
//! | [`horizon_cache`], [`cost_cache`] | results for several times or amounts, which one run serves |
//! | [`graph`] | end components, where probabilities are zero or one |
//! | [`reach`], [`reward`] | unbounded until, expected reward until a set is reached |
//! | [`conditional_reward`], [`signed_reward`] | expected rewards under a condition, and of both signs |
//! | [`collapsed`] | MDPs whose end components are single states |
//! | [`longrun`] | long-run averages |
//! | [`solve`] | systems of fixpoint equations: elimination, verified iteration, policy iteration |
//! | [`krylov`], [`multigrid`] | iterations on linear systems, whose results are verified elsewhere |
//! | [`sweeps`], [`scheduling`] | devices that multiply vectors by matrices in place of threads, and when they do |
//! | [`interval`], [`rounding`], [`wide`] | arithmetic with bounds; numbers beyond the range of doubles |
//!
//! *Architecture Invariant:* it knows sets of states and rewards, but no formulas: those are taken apart above.

pub mod collapsed;
pub mod conditional_reward;
mod context;
pub mod cost_cache;
mod error;
pub mod graph;
pub mod horizon_cache;
pub mod interval;
pub mod krylov;
pub mod longrun;
pub mod multigrid;
mod numbers;
mod options;
pub mod reach;
pub mod reward;
pub mod rounding;
pub mod scheduling;
pub mod signed_reward;
pub mod solve;
pub mod sweeps;
pub mod wide;

pub use context::Context;
pub use error::{CheckError, NoWitness, WitnessError};
pub use numbers::Numbers;
pub use options::{Bisimulation, Classical, Detection, Method, MethodUse, Options};
