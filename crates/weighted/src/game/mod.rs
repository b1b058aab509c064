//! The game of the one-directional relations for one pair of states, played on the pairs that it reaches.
//!
//! The attacker moves `s -w-> s'`. The defender answers with a path from `t` whose weight a
//! [rule](rule::Rule) allows. Relations (existential and universal bounded simulation) and distances
//! (relations at a bound) are played alike, see [`play::Game`]. Two techniques keep the number of pairs close
//! to that of states: [`classes`] of states that no relation distinguishes, and [`invariants`], which exclude
//! most pairs before they are met.

pub(crate) mod answer;
pub(crate) mod bound;
pub(crate) mod classes;
pub(crate) mod invariants;
mod longest;
pub(crate) mod play;
pub(crate) mod ready;
mod regions;
pub(crate) mod rule;
pub(crate) mod stages;
pub(crate) mod stay;
pub(crate) mod trails;
