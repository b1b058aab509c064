//! Automata for formulas of linear temporal logic (LTL): deterministic ones for probabilities, and small nondeterministic
//! ones for searches ([`mod@buchi`]).
//!
//! In: a formula over numbered propositions, made with the constructors of [`Formulas`], which keep negation
//! normal form and simplify. Out: an [`Automaton`] whose acceptance is a disjunction of generalised Rabin
//! pairs on transitions. It is built state by state for the letters that it is asked about, so that a product
//! with a model builds only the states that runs of the model reach.
//!
//! The translation follows J. Esparza, J. Křetínský and S. Sickert, *A Unified Translation of Linear Temporal
//! Logic to ω-Automata*, J. ACM 67(6), 2020 (at LICS 2018: *One Theorem to Rule Them All*):
//!
//! | module | subject |
//! |---|---|
//! | `formula` | formulas, hash-consed; `simplify` has the constructors of temporal operators |
//! | `normal` | positive Boolean combinations up to propositional equivalence: the states |
//! | `derivative` | the derivative of a formula by a letter |
//! | `substitute` | formulas under a guess of the formulas that hold infinitely often |
//! | `master_theorem` | the guesses that have to be considered |
//! | `plan` | the components of the automaton and its acceptance condition |
//! | `automaton` | the product of the components, on demand |
//! | [`logic`] | path formulas of the logic as such formulas |
//! | `given` | automata that are given: their acceptance condition as pairs |
//! | [`hoa`] | files of automata |
//!
//! Deviations from the paper: `G F φ` and `F G φ` are operators of their own, whose derivatives are themselves; guesses are
//! made only about operators that can recur infinitely often; conjunctions and disjunctions at the root are
//! translated part by part, safety and co-safety parts without guesses; bounds on steps are counters.
//!
//! Recursion is over the structure of formulas, whose depth has a
//! limit ([`Formulas::too_deep`]).

mod automaton;
pub mod buchi;
mod derivative;
mod formula;
mod given;
pub mod hoa;
pub mod logic;
mod master_theorem;
mod normal;
mod plan;
mod simplify;
mod substitute;

pub use automaton::{Automaton, Pair, StateId, Step, Verdict};
pub use formula::{FormulaId, Formulas, Node, UNBOUNDED};
pub use given::{Deterministic, Given};
pub use normal::TooLarge;
