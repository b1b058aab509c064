//! Values of formulas in all states, over rationals.

use volvelle_logic::Ratio;
use volvelle_solver::CheckError;
use volvelle_space::BitSet;

/// Truth or a number per state.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// The states where the formula holds.
    Bool(BitSet),
    /// The number in each state.
    Number(Vec<Ratio>),
}

impl Values {
    /// The states where it holds.
    ///
    /// # Errors
    /// These are numbers.
    pub(super) fn set(&self) -> Result<&BitSet, CheckError> {
        match self {
            Values::Bool(set) => Ok(set),
            Values::Number(_) => {
                Err(CheckError::TypeMismatch { what: "expected a truth value, found a number".to_string() })
            }
        }
    }

    /// The numbers.
    ///
    /// # Errors
    /// These are truth values.
    pub(super) fn numbers(&self) -> Result<&[Ratio], CheckError> {
        match self {
            Values::Number(numbers) => Ok(numbers),
            Values::Bool(_) => {
                Err(CheckError::TypeMismatch { what: "expected a number, found a truth value".to_string() })
            }
        }
    }
}
