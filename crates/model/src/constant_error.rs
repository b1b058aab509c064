//! Distances of doubles from the rationals that they stand for.

use dashu_ratio::RBig;

/// Unit roundoff of binary64.
pub const U: f64 = f64::EPSILON / 2.0;

/// The relative error of a double that library functions computed.
pub const LIBRARY_ERROR: f64 = 8.0 * U;

/// Bounds of the error of a double.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ConstantError {
    /// The largest absolute error.
    pub absolute: f64,
    /// The largest relative error; infinite if the number may be zero.
    pub relative: f64,
}

impl ConstantError {
    /// The error of a double that stands for a rational, or for the result of a library function.
    pub fn of(double: f64, exact: Option<&RBig>) -> Self {
        let Some(exact) = exact else {
            // A library function may return zero for a number too small for doubles.
            let relative = if double == 0.0 { f64::INFINITY } else { LIBRARY_ERROR };
            let absolute = double.abs() * LIBRARY_ERROR * 2.0 + f64::MIN_POSITIVE;
            return ConstantError { absolute, relative };
        };
        let absolute = match RBig::try_from(double) {
            Ok(number) if number == *exact => 0.0,
            Ok(number) => (number - exact).to_f64().value().abs().next_up(),
            Err(_) => f64::INFINITY,
        };
        ConstantError { absolute, relative: error_of(double, exact) }
    }

    /// The larger bounds.
    pub fn max(self, other: ConstantError) -> Self {
        ConstantError {
            absolute: self.absolute.max(other.absolute),
            relative: self.relative.max(other.relative),
        }
    }
}

/// The error of a double, relative to the number that it stands for; 0 if it is that number.
pub fn error_of(double: f64, exact: &RBig) -> f64 {
    match RBig::try_from(double) {
        Ok(number) if number == *exact => 0.0,
        Ok(_) if exact.is_zero() => f64::INFINITY,
        Ok(number) => {
            let error = (number - exact) / exact;
            error.to_f64().value().abs().next_up()
        }
        Err(_) => f64::INFINITY,
    }
}
