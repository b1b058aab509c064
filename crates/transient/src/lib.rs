//! Markov models up to a time, and distributions over their states.
//!
//! In: a [`Context`](volvelle_solver::Context), sets of states, rewards, and a time or a number of steps. Out: bounds of
//! the value in every state, or of the share of every class of states.
//!
//! | module | subject |
//! |---|---|
//! | `transient` | time and step bounds on chains: power series, uniformisation, implicit steps, squaring |
//! | `step_bounded` | step bounds on MDPs |
//! | `timed_reachability` | time bounds over schedulers that look at the clock |
//! | [`discounted`] | rewards that count less with every step |
//! | `distribution` | distributions over states, at a time and in the long run |
//!
//! *Architecture Invariant:* vectors are multiplied by threads or by a device with the same bits, so that an answer does not
//! depend on who computed it.

pub mod discounted;
mod distribution;
mod step_bounded;
mod timed_reachability;
mod transient;

pub use distribution::{
    Classes, Distribution, long_run_distribution, long_run_weights, transient_distributions,
};
pub use step_bounded::{Pass, StepBounded};
pub use timed_reachability::{steps_within, timed_reachability};
pub use transient::{Transient, Window, window};
