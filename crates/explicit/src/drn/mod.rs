//! DRN, the direct encoding of Storm (<https://www.stormchecker.org/documentation/background/languages.html>).
//!
//! A header with keys that begin with `@`, then states with their choices and transitions:
//!
//! ```text
//! @type: MDP
//! @value_type: double
//! @parameters
//!
//! @reward_models
//! cost steps
//! @nr_states
//! 2
//! @nr_choices
//! 3
//! @model
//! state 0 [1, 0] init
//!     action go [0, 1]
//!         1 : 1
//! ```
//!
//! Values on the branches of a CTMC are rates, those of a Markov automaton probabilities; both give the exit rate of a
//! state behind `!`. Comments begin with `//`.

mod body;
mod expression;
mod header;
mod read;
mod write;

pub(crate) use read::read;
pub(crate) use write::write;
