//! Programs in rational arithmetic: the values of weights, guards and rewards without rounding.
//!
//! The kernel IR computes with doubles. Here the same expressions are evaluated over rationals
//! ([`Evaluator`]), and the steps of single states are multiplied out ([`Stepper`]), by the most direct
//! method. A value that is not rational (logarithms, exponentials, most powers) is an error only if some
//! state needs it.

mod evaluate;
mod step;

pub use crate::constant_error::{ConstantError, LIBRARY_ERROR, U, error_of};
pub use crate::constants::Constants;
pub use evaluate::{Evaluator, Inexact, Value, power};
pub use step::{Choice, Stepper};
