//! Refusal of formulas whose automata are too large.

use volvelle_solver::CheckError;

/// The error for an automaton that is too large.
pub fn too_large(error: volvelle_automata::TooLarge) -> CheckError {
    CheckError::TooLarge { what: error.what.to_string() }
}
