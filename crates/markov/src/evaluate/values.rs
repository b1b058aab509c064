//! The value of a formula in every state.

use volvelle_logic::StopReason;
use volvelle_solver::{CheckError, Numbers};
use volvelle_space::BitSet;

/// Truth or a number per state.
#[derive(Clone, Debug, PartialEq)]
pub enum StateValues {
    /// The states where the formula holds.
    Bool(BitSet),
    /// Bounds of the number in each state.
    Number(Numbers),
}

impl StateValues {
    /// One number everywhere, known exactly or up to bounds.
    pub(crate) fn constant(states: usize, bounds: [f64; 2]) -> Self {
        StateValues::Number(Numbers {
            bounds: vec![bounds; states],
            method: String::new(),
            stop: StopReason::Computed,
        })
    }

    /// The set of states, or a type error.
    pub(crate) fn set(&self) -> Result<&BitSet, CheckError> {
        match self {
            StateValues::Bool(set) => Ok(set),
            StateValues::Number(_) => {
                Err(CheckError::TypeMismatch { what: "expected a truth value, found a number".to_string() })
            }
        }
    }

    /// The numbers, or a type error.
    pub(crate) fn numbers(&self) -> Result<&Numbers, CheckError> {
        match self {
            StateValues::Number(numbers) => Ok(numbers),
            StateValues::Bool(_) => {
                Err(CheckError::TypeMismatch { what: "expected a number, found a truth value".to_string() })
            }
        }
    }
}
