//! Whether results are those of the reference.
//!
//! Whole numbers have to be equal. Floating-point numbers may differ by rounding, since configurations add in different orders:
//! by a thousandth of their size for `float`, by 10⁻⁹ for `double`, or by as much of the largest number of the results.

use super::Compared;
use super::contents::{is_whole, numbers};

/// Compares results. Says in one sentence where they differ.
pub(super) fn difference(element: &str, how: Compared, found: &[u8], expected: &[u8]) -> Option<String> {
    let (found, expected) = (numbers(element, found), numbers(element, expected));
    let tolerance = match element {
        element if is_whole(element) => 0.0,
        "float" => 1e-3,
        _ => 1e-9,
    };
    let whole: fn(&[f64]) -> f64 = match how {
        Compared::Each => return first_difference(&found, &expected, tolerance),
        Compared::Least => |all| all.iter().copied().fold(f64::INFINITY, f64::min),
        Compared::Greatest => |all| all.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        Compared::Sum => |all| all.iter().sum(),
    };
    let (found, expected) = (whole(&found), whole(&expected));
    let name = match how {
        Compared::Least => "least element",
        Compared::Greatest => "greatest element",
        Compared::Sum | Compared::Each => "sum",
    };
    let differs = !is_close(found, expected, tolerance, 0.0);
    differs.then(|| format!("the {name} is {found} instead of {expected}"))
}

fn first_difference(found: &[f64], expected: &[f64], tolerance: f64) -> Option<String> {
    if found.len() != expected.len() {
        return Some(format!("there are {} elements instead of {}", found.len(), expected.len()));
    }
    let largest = expected.iter().filter(|x| x.is_finite()).map(|x| x.abs()).fold(0.0, f64::max);
    let mut pairs = found.iter().zip(expected).enumerate();
    let (place, (found, expected)) =
        pairs.find(|(_, (a, b))| !is_close(**a, **b, tolerance, 1e-3 * largest))?;
    Some(format!("element {place} is {found} instead of {expected}"))
}

fn is_close(a: f64, b: f64, tolerance: f64, size: f64) -> bool {
    a == b || (a.is_nan() && b.is_nan()) || (a - b).abs() <= tolerance * a.abs().max(b.abs()).max(size)
}
