//! Programs in rational arithmetic: the values of weights, guards and rewards without rounding.
//!
//! The kernel IR computes with doubles. Here the same expressions are evaluated over rationals ([`Evaluator`]),
//! and the steps of single states are multiplied out ([`Stepper`]), slowly and obviously. What has no rational
//! value (logarithms, exponentials, most powers) is an error, unless no state needs it.

mod error;
mod evaluate;
mod step;

pub use error::{LIBRARY_ERROR, U, error_of};
pub use evaluate::{Evaluator, Inexact, Value};
pub use step::{Choice, Stepper};

use dashu_ratio::RBig;
use rustc_hash::FxHashMap;
use volvelle_kernel::ExprId;

/// The numbers that the double constants of a program's arena stand for.
///
/// A front end notes every constant that it makes: the decimal fraction that was written, or that there is none,
/// as for `log(3, 2)`. Constants that were not noted are the doubles themselves. As the arena shares equal
/// doubles, a double may stand for two different numbers (`0.1` and `0.1000000000000000055`); it has no exact
/// value then, which is refused and not guessed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Constants {
    known: FxHashMap<ExprId, Option<RBig>>,
    /// Relative errors of doubles that stand for several numbers, or for no rational one.
    errors: FxHashMap<ExprId, f64>,
    rounding_decided: bool,
}

impl Constants {
    /// Notes what a constant, whose double is given, stands for; `None`: nothing rational.
    pub fn note(&mut self, constant: ExprId, double: f64, value: Option<&RBig>) {
        let error = |value: Option<&RBig>| value.map_or(LIBRARY_ERROR, |value| error_of(double, value));
        match self.known.get_mut(&constant) {
            Some(known) if known.as_ref() != value => {
                let largest = self.errors.entry(constant).or_insert_with(|| error(known.as_ref()));
                *largest = largest.max(error(value));
                *known = None;
            }
            Some(_) => {}
            None => {
                self.known.insert(constant, value.cloned());
            }
        }
    }

    /// A bound of the relative error of the double of a constant: 0 where it is the number.
    pub fn error(&self, constant: ExprId, double: f64) -> f64 {
        match (self.errors.get(&constant), self.known.get(&constant)) {
            (Some(&error), _) => error,
            (None, Some(Some(value))) => error_of(double, value),
            (None, Some(None)) => LIBRARY_ERROR,
            (None, None) => 0.0,
        }
    }

    /// Notes that a front end has decided something by rounded numbers that exact ones decide otherwise, or may.
    pub fn note_rounding(&mut self) {
        self.rounding_decided = true;
    }

    /// Whether something was decided by rounding: the program is not the one that was written, exactly.
    pub fn rounding_decided(&self) -> bool {
        self.rounding_decided
    }

    /// The number that a constant stands for, if it was noted.
    pub fn get(&self, constant: ExprId) -> Option<Option<&RBig>> {
        self.known.get(&constant).map(Option::as_ref)
    }
}

#[cfg(test)]
mod tests;
