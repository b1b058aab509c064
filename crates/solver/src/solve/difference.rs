//! The difference of two iterates, by which classical iterations decide when to end.

/// The distance of two numbers; with `relative`, over the newer one.
#[inline]
pub fn difference(old: f64, new: f64, relative: bool) -> f64 {
    let difference = (new - old).abs();
    if relative && difference > 0.0 { difference / new.abs() } else { difference }
}
