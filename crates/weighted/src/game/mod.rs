//! The game of the one-directional relations for one pair of states, played over the pairs that it can reach.
//!
//! The attacker moves `s -w-> s'`, the defender answers with a path from `t` whose weight a [rule](rule::Rule) allows. Relations
//! (existential and universal bounded simulation) and distances (the relations at a bound) are played in the same way, see [`play::Game`]. Two
//! things keep the number of pairs near that of states: [`classes`] of states that no relation tells apart, and [`invariants`], which rule out
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
