//! Values of objectives as coordinates, which are to be large, and back.

use dashu_ratio::RBig;
use volvelle_objectives::multi::Target;

/// The value of an objective at a coordinate, which is to be large.
pub(super) fn value_of(target: &Target, coordinate: RBig) -> RBig {
    match (target.goal.is_small(), target.probability) {
        (false, true) => coordinate,
        (true, true) => RBig::ONE - coordinate,
        (false, false) => coordinate + offset(target),
        (true, false) => -(coordinate + offset(target)),
    }
}

/// The coordinate where an objective has a value.
pub(super) fn coordinate_of(target: &Target, value: RBig) -> RBig {
    match (target.goal.is_small(), target.probability) {
        (false, true) => value,
        (true, true) => RBig::ONE - value,
        (false, false) => value - offset(target),
        (true, false) => -value - offset(target),
    }
}

/// It is a double in floating point, too.
pub(super) fn offset(target: &Target) -> RBig {
    RBig::try_from(target.offset[0]).unwrap_or(RBig::ZERO)
}
