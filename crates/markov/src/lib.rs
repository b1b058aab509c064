//! Numerical analysis of Markov models: DTMC, CTMC and MDP given as explicit state spaces.
//!
//! In: a [`volvelle_space::Space`] and a [`volvelle_logic::Property`]. Out: a [`volvelle_logic::Answer`]
//! whose bounds contain the true value, rounding of the arithmetic and of the input included, or a [`CheckError`].
//!
//! | module | subject |
//! |---|---|
//! | `evaluate` | formulas and filters, and what each operator is computed by |
//! | `bisimulation` | merging of equivalent states |
//! | `policies` | decisions and memory for single goals, given as sets and rewards |
//! | `strategy` | schedulers with finite memory that attain a value, and the chains that they make |
//! | `witness` | most probable paths, critical subsystems |
//!
//! Numbers come from the crates below, whose types are part of this interface: `volvelle-solver` (equations without a bound on
//! time), `volvelle-transient` (bounds on time), `volvelle-objectives` (path formulas, bounds on rewards, several objectives)
//! and `volvelle-exact` (all of it in rational arithmetic).
//!
//! It knows no language and does no input or output.

mod bisimulation;
mod evaluate;
mod policies;
mod strategy;
#[cfg(test)]
mod tests;
mod witness;

pub use bisimulation::check_family;
pub use evaluate::{Checked, StateValues, check, check_many, check_states, families};
pub use strategy::{Found, Induced, Unfollowed, has_strategy, induced, strategy};
pub use volvelle_exact::{Values as ExactValues, check_exactly, check_states_exactly};
pub use volvelle_objectives::strategy::{Amounts, Conflict, Line, Memory, Move, Remaining, Strategy};
pub use volvelle_solver::graph::Predecessors;
pub use volvelle_solver::sweeps::{Clock, Sweeps};
pub use volvelle_solver::{
    Bisimulation, CheckError, Classical, Detection, Method, MethodUse, NoWitness, Numbers, Options,
    WitnessError,
};
pub use volvelle_transient::{
    Classes, Distribution, long_run_distribution, long_run_weights, steps_within, timed_reachability,
    transient_distributions,
};
pub use witness::{Path, Step, Subsystem, Witness, WitnessRequest, witness};
