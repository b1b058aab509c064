//! Exact answers: everything in rational arithmetic.
//!
//! In: a space with its exact numbers ([`ExactSpace`]) and a property. Out: an answer whose numbers are fractions, or
//! a reason why there is none: a question about time on a CTMC, an irrational operation, numbers too large.
//!
//! | module | subject |
//! |---|---|
//! | `evaluate`, `filter`, `arithmetic`, `path` | formulas, filters, numbers, path formulas taken apart |
//! | `model` | a space with its numbers: jump probabilities, rewards per visit |
//! | `reach`, `longrun`, `steps` | unbounded reachability and rewards, averages, step bounds |
//! | `policy` | policy iteration |
//! | `automata` | LTL and co-safe rewards: products with automata, with exact numbers |
//! | `multi` | several objectives for one scheduler |
//! | `average_reward` | optimal long-run averages: policy iteration in end components |
//! | `reward_bounded` | bounds on rewards, and quantiles: epoch by epoch |
//! | `linear` | systems of equations by components |
//! | `lifting`, `residual`, `factors`, `modular` | one component: p-adic lifting with sparse factors modulo a prime |
//!
//! Graph algorithms, products, quotients and epochs are those of the crates below, and so are the policies from which policy
//! iteration starts; numbers are computed here.
//!
//! *Architecture Invariant:* nothing is rounded. A double of the floating-point engine decides where to start, never what is
//! answered.

mod arithmetic;
mod automata;
mod average_reward;
mod conditional_reward;
mod discounted;
mod evaluate;
mod factors;
mod filter;
mod lifting;
mod linear;
mod longrun;
mod model;
mod modular;
mod multi;
mod path;
mod policy;
mod reach;
mod residual;
mod reward_bounded;
mod signed;
mod steps;
mod values;

use volvelle_control::Control;
use volvelle_logic::{Answer, Property};
use volvelle_solver::{CheckError, Context, Options};
use volvelle_space::{ExactSpace, Space};

pub use multi::{Program, Solution};
pub use values::Values;

/// Evaluates a property in rational arithmetic, at the initial states or as its filter says. `exact` has the numbers of
/// `space`; `options` are for the floating-point engine, which finds policies to start from.
pub fn check_exactly(
    space: &Space,
    exact: &ExactSpace,
    property: &Property,
    options: &Options,
    control: &Control<'_>,
) -> Result<Answer, CheckError> {
    Context::require_engine(space)?;
    let context = Context::new(space, *options, control);
    evaluate::answer(&model::Model::new(&context, exact), property)
}

/// The value of a property's formula in every state, without the filter at its root, in rational arithmetic.
pub fn check_states_exactly(
    space: &Space,
    exact: &ExactSpace,
    property: &Property,
    options: &Options,
    control: &Control<'_>,
) -> Result<Values, CheckError> {
    Context::require_engine(space)?;
    let context = Context::new(space, *options, control);
    evaluate::states(&model::Model::new(&context, exact), property)
}

#[cfg(test)]
pub(crate) mod tests;
