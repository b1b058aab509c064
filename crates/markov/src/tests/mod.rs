//! Answers to properties, against second opinions and against each other.

mod conditional_reward;
mod exactly;
mod given_automata;
mod ltl;
mod multi;
mod multi_exactly;
mod progression;
mod reward_bounded;
mod signed_reward;
