//! How far doubles are from the rationals that they stand for.

use dashu_ratio::RBig;

/// Unit roundoff of binary64.
pub const U: f64 = f64::EPSILON / 2.0;

/// The relative error of a double that library functions computed.
pub const LIBRARY_ERROR: f64 = 8.0 * U;

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
