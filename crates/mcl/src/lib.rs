//! The modal mu-calculus: formulas, Boolean equation systems, parity games, diagnostics.

mod absent;
mod automaton;
mod evidence;
mod library;
mod parity;
mod parse;
mod print;
mod solve;
mod system;
mod token;
pub mod tree;

pub use absent::absent_labels;
pub use evidence::{Evidence, Shape, Transition};
pub use library::LIBRARY;
pub use parity::{ParityGame, Solution};
pub use parse::parse;
pub use system::{OnTheFly, System};
pub use tree::Formula;

use automaton::Automaton;
use solve::Solver;
use volvelle_control::{Control, Stop};

/// A verdict, and what it rests on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Whether the formula holds in the initial state.
    pub holds: bool,
    /// A part of the system that is enough for the verdict; `None` where it is larger than was asked for.
    pub evidence: Option<Evidence>,
}

/// How many pairs of formula and state [`check`] lets evidence have.
pub const EVIDENCE_LIMIT: usize = 10_000;

/// Checks a formula in the initial state of a system, and gives evidence of up to [`EVIDENCE_LIMIT`] pairs of formula and state.
///
/// # Errors
/// The control says stop, or the system cannot be explored further.
pub fn check<S: System>(formula: &Formula, system: S, control: &Control) -> Result<Answer, Stop> {
    check_with_evidence(formula, system, EVIDENCE_LIMIT, control)
}

/// Checks a formula in the initial state of a system, and gives evidence of up to `most` pairs of formula and state.
///
/// # Errors
/// The control says stop, or the system cannot be explored further.
pub fn check_with_evidence<S: System>(
    formula: &Formula,
    system: S,
    most: usize,
    control: &Control,
) -> Result<Answer, Stop> {
    let automaton = Automaton::new(formula);
    let mut solver = Solver::new(system, &automaton, formula, control);
    let holds = solver.root()?;
    let evidence = if most == 0 { None } else { solver.proof(holds, most)? };
    Ok(Answer { holds, evidence })
}
