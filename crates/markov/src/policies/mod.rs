//! Policies of single goals: sets of states and rewards in, memory and decisions out. No formula is known here.
//!
//! | module | subject |
//! |---|---|
//! | `bounded` | bounds on rewards: policies on the unfolded model |
//! | `collapse` | policies where end components are single states, for total rewards and averages |
//! | `counter` | backward passes that record their decisions |
//! | `shaped` | rewards with a discount, and of both signs |
//! | `total` | rewards for ever |

mod bounded;
mod collapse;
mod counter;
mod shaped;
mod total;

pub use bounded::{Bounded, Budgeted};
pub use collapse::go_on_or_remain;
pub use counter::{Backward, Phase};
pub use shaped::{discounted_strategy, signed_strategy};
pub use total::total_policy;
