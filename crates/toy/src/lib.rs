//! Tally, a language of one page: the example of how to add a language.
//!
//! A model has counters, rules and goals, one a line; `#` begins a comment.
//!
//! ```text
//! counter coins 0..10 = 3
//! rule win:  coins > 0, coins < 10 -> coins += 1
//! rule lose: coins > 0, coins < 10 -> coins -= 1
//! goal rich: coins = 10
//! ```
//!
//! A counter has a range and an initial value. A rule may be applied where all its conditions (`=`, `<`, `>`) hold, and
//! makes all its changes (`=`, `+=`, `-=`) together; of the rules that may be applied, each is equally likely. A change
//! that leaves the range of its counter is an error in the state where it happens. Properties are `chance of GOAL` and
//! `chance of GOAL within STEPS`.
//!
//! The modules are the steps from text to answers: [`syntax`], [`parse`], [`lower`], and [`front_end`], which is all that a
//! session needs; [`names`] is for editors. `ARCHITECTURE.md` walks through them. [`question`] is the example of how to add a question; `docs/face.md` does that.

pub mod front_end;
pub mod lower;
pub mod names;
pub mod parse;
pub mod question;
pub mod syntax;

pub use front_end::Tally;
