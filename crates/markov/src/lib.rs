//! Numerical analysis of Markov models: DTMC, CTMC and MDP given as explicit state spaces.
//!
//! In: a [`volvelle_space::Space`] and a [`volvelle_logic::Property`]. Out: a [`volvelle_logic::Answer`]
//! whose bounds contain the true value, rounding of the arithmetic and of the input included (the module
//! `rounding` says under which model), or a [`CheckError`].
//!
//! | module | subject |
//! |---|---|
//! | `bisimulation` | merging of equivalent states |
//! | `evaluate` | formulas, filters, path formulas taken apart |
//! | `graph` | components, end components, where probabilities are zero or one |
//! | `reach`, `reward` | unbounded until, expected reward until a set is reached |
//! | `collapsed` | MDPs whose end components are single states |
//! | `discounted` | rewards that count less with every step |
//! | `conditional_reward`, `signed_reward` | expected rewards under a condition, and of both signs |
//! | `solve` | systems of fixpoint equations: elimination, verified iteration, policy iteration |
//! | `transient` | time and step bounds on chains: power series, uniformisation |
//! | `timed_reachability` | time bounds over schedulers that look at the clock |
//! | `step_bounded` | step bounds on MDPs |
//! | `reward_bounded` | bounds on rewards, several at once, and quantiles |
//! | `sweeps` | devices that multiply vectors by matrices in place of threads |
//! | `krylov`, `multigrid` | iterations on linear systems, whose results are verified elsewhere |
//! | `longrun` | long-run averages |
//! | `distribution` | distributions over states, at a time and in the long run |
//! | `ltl` | linear temporal logic: products with automata, co-safe rewards |
//! | `multi` | several objectives for one scheduler |
//! | `strategy` | schedulers with finite memory that attain a value, and the chains that they make |
//! | `witness` | optimal memoryless schedulers, most probable paths, critical subsystems |
//! | `interval`, `rounding`, `wide` | arithmetic with bounds; numbers beyond the range of doubles |
//! | `exact` | all of it in rational arithmetic |
//!
//! Uses `volvelle-space`, `volvelle-logic`, `volvelle-automata`, `volvelle-control`, and `volvelle-runtime` with
//! `volvelle-kernel` for devices. It knows no language and does no input or output.

mod bisimulation;
mod collapsed;
mod conditional_reward;
mod context;
mod cost_cache;
mod discounted;
mod distribution;
mod error;
mod evaluate;
mod exact;
mod graph;
mod horizon_cache;
mod interval;
mod krylov;
mod longrun;
mod ltl;
mod multi;
mod multigrid;
mod numbers;
mod options;
mod reach;
mod reward;
mod reward_bounded;
mod rounding;
mod signed_reward;
mod solve;
mod step_bounded;
mod strategy;
mod sweeps;
mod timed_reachability;
mod transient;
mod wide;
mod witness;

pub use bisimulation::check_family;
pub use distribution::{
    Classes, Distribution, long_run_distribution, long_run_weights, transient_distributions,
};
pub use error::{CheckError, NoWitness, WitnessError};
pub use evaluate::{Checked, StateValues, check, check_many, check_states, families};
pub use exact::{Values as ExactValues, check_exactly, check_states_exactly};
pub use graph::Predecessors;
pub use numbers::Numbers;
pub use options::{Bisimulation, Classical, Detection, Method, MethodUse, Options};
pub use strategy::{
    Amounts, Conflict, Found, Induced, Line, Memory, Move, Remaining, Strategy, Unfollowed, has_strategy,
    induced, strategy,
};
pub use sweeps::{Clock, Sweeps};
pub use timed_reachability::{steps_within, timed_reachability};
pub use witness::{Path, Step, Subsystem, Witness, WitnessRequest, witness};

#[cfg(test)]
mod testing;
