//! Strategies that attain the values of an MDP.
//!
//! What the memory of a strategy ([`volvelle_objectives::strategy`]) is for depends on the property:
//!
//! | property | memory |
//! |---|---|
//! | unbounded reachability and rewards, total reward, long-run average | none |
//! | discounted rewards | none |
//! | bounds on steps, `I=k`, `C<=k`, `X`, discounted rewards up to a step | the steps that are left |
//! | bounds on rewards, also of what is accumulated within budgets | what is left of each |
//! | combinations of temporal operators, co-safe rewards, conditional probabilities | the state of the automata |
//! | several objectives | that, and which of the mixed schedulers was drawn at the beginning |
//!
//! | module | subject |
//! |---|---|
//! | `find` | from a property to a strategy |
//! | `induced` | the Markov chain that a strategy makes |

mod find;
mod induced;
#[cfg(test)]
pub(crate) mod tests;

pub use find::{Found, has_strategy, strategy};
pub use induced::{Induced, Unfollowed, induced};
