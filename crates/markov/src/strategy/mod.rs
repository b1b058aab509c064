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
//! | `shaped` | rewards with a discount, and of both signs |
//! | `bounded` | bounds on rewards: policies on the unfolded model |
//! | `total` | rewards for ever |
//! | `counter` | backward passes that record their decisions |
//! | `collapse` | policies where end components are single states, for total rewards and averages |
//! | `induced` | the Markov chain that a strategy makes |

mod bounded;
mod collapse;
mod counter;
mod find;
mod induced;
mod shaped;
#[cfg(test)]
pub(crate) mod tests;
mod total;

pub use bounded::{Bounded, Budgeted};
pub use counter::{Backward, Phase};
pub use find::{Found, has_strategy, strategy};
pub use induced::{Induced, Unfollowed, induced};
