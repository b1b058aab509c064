//! The modal mu-calculus: formulas, Boolean equation systems, parity games, diagnostics.

mod automaton;
mod library;
mod parity;
mod parse;
mod print;
mod solve;
mod system;
mod token;
pub mod tree;

pub use library::LIBRARY;
pub use parity::{ParityGame, Solution};
pub use parse::parse;
pub use system::{OnTheFly, System};
pub use tree::Formula;

use automaton::Automaton;
use solve::Solver;
use volvelle_control::{Control, Stop};

/// Whether a formula holds in the initial state of a system.
///
/// # Errors
/// The control says stop, or the system cannot be explored further.
pub fn check<S: System>(formula: &Formula, system: S, control: &Control) -> Result<bool, Stop> {
    let automaton = Automaton::new(formula);
    Solver::new(system, &automaton, formula, control).root()
}
