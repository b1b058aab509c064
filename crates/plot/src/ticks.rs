//! The ticks of an axis, by its scale.

use crate::Scale;
use crate::axis::{Axis, Wanted};
use crate::{linear, logarithmic};

/// An axis that shows what is wanted, whatever the numbers.
pub fn axis(wanted: Wanted) -> Axis {
    match wanted.scale {
        Scale::Linear => linear::axis(wanted),
        Scale::Logarithmic => logarithmic::axis(wanted),
    }
}
