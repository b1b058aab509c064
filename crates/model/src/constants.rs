//! The numbers that constants of a program stand for: what rounding to doubles has hidden.

use crate::constant_error::{ConstantError, LIBRARY_ERROR};
use dashu_ratio::RBig;
use rustc_hash::FxHashMap;
use volvelle_kernel::ExprId;

/// The numbers that the double constants of a program's arena stand for.
///
/// A front end records every constant that it makes: the decimal fraction in the text, or that there is none,
/// as for `log(3, 2)`. Constants that were not recorded are the doubles themselves. The arena shares equal
/// doubles, so one double may stand for two different numbers (`0.1` and `0.1000000000000000055`). Then it
/// has no exact value, which is reported and not guessed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Constants {
    known: FxHashMap<ExprId, Option<RBig>>,
    /// Errors of doubles that stand for several numbers, or for no rational one.
    errors: FxHashMap<ExprId, ConstantError>,
    /// Largest relative error of a weight that stands for no rational number.
    weights: f64,
    rounding_decided: bool,
}

impl Constants {
    /// Records the number that a constant with this double stands for; `None` if it is not rational.
    pub fn note(&mut self, constant: ExprId, double: f64, value: Option<&RBig>) {
        let error = |value: Option<&RBig>| ConstantError::of(double, value);
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

    /// Records a constant that stands for no rational number; its double is off by at most `error`.
    pub fn note_rounded(&mut self, constant: ExprId, double: f64, error: f64) {
        let left = double.abs() - error;
        let relative = if left > 0.0 { error / left * (1.0 + 1e-9) } else { f64::INFINITY };
        let found = ConstantError { absolute: error, relative };
        // Other meanings of the same double count as well.
        let other = match self.known.insert(constant, None) {
            Some(Some(number)) => ConstantError::of(double, Some(&number)),
            _ => ConstantError::default(),
        };
        let errors = self.errors.entry(constant).or_insert(other);
        *errors = errors.max(found);
    }

    /// Records the relative error of a weight that has no rational value.
    pub fn note_weight(&mut self, error: f64) {
        self.weights = self.weights.max(error);
    }

    /// A bound of the relative errors of all constant weights that have no rational value.
    pub fn weight_error(&self) -> f64 {
        self.weights.max(LIBRARY_ERROR)
    }

    /// Bounds of the error of a constant's double; zero if it is exact.
    pub fn error(&self, constant: ExprId, double: f64) -> ConstantError {
        match (self.errors.get(&constant), self.known.get(&constant)) {
            (Some(&error), _) => error,
            (None, Some(value)) => ConstantError::of(double, value.as_ref()),
            (None, None) => ConstantError::default(),
        }
    }

    /// Records that a front end decided something by rounded numbers, and exact ones decide otherwise, or
    /// may.
    pub fn note_rounding(&mut self) {
        self.rounding_decided = true;
    }

    /// Whether something was decided by rounding, so that the program may differ from the text.
    pub fn rounding_decided(&self) -> bool {
        self.rounding_decided
    }

    /// The number that a constant stands for, if it was noted.
    pub fn get(&self, constant: ExprId) -> Option<Option<&RBig>> {
        self.known.get(&constant).map(Option::as_ref)
    }
}
