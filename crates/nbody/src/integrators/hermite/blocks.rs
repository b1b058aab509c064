//! Steps that are powers of two, so that bodies form blocks that move together (S. L. W. McMillan, *The
//! vectorization of small-N integrators*, 1986).
//!
//! Times and steps are whole multiples of the smallest step since the start of the simulation, so they are
//! exact.

/// Which steps there are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Blocks {
    /// The smallest step.
    unit: f64,
    /// The largest one, in units.
    largest: u64,
}

/// The largest power of two that is not above a number.
fn power_below(number: f64) -> f64 {
    // Keeps the exponent bits only: the largest power of two up to the number. The number is positive and
    // normal, or too small for any step.
    f64::from_bits(number.to_bits() & 0x7ff0_0000_0000_0000)
}

impl Blocks {
    /// `None` if the steps are too many to count.
    pub(super) fn new(smallest: f64, largest: f64) -> Option<Self> {
        let (unit, largest) = (power_below(smallest), power_below(largest));
        let ratio = largest / unit;
        (unit > 0.0 && ratio < 2_f64.powi(48)).then_some(Blocks { unit, largest: ratio as u64 })
    }

    /// A time in units.
    pub(super) fn length(&self, units: u64) -> f64 {
        units as f64 * self.unit
    }

    /// The number of units up to a time; `None` if they are too many to count.
    pub(super) fn units(&self, time: f64) -> Option<u64> {
        let units = (time / self.unit).floor();
        (units < 2_f64.powi(53)).then_some(units as u64)
    }

    /// The first step of a body, at most `wanted`.
    ///
    /// # Errors
    /// The smallest step is longer than `wanted`; contains a step that would do.
    pub(super) fn first(&self, wanted: f64) -> Result<u64, f64> {
        self.next(self.largest, 0, wanted)
    }

    /// The step after one of length `last` that ends at `now`; at most `wanted`.
    ///
    /// # Errors
    /// The smallest step is longer than `wanted`; contains a step that would do.
    pub(super) fn next(&self, last: u64, now: u64, wanted: f64) -> Result<u64, f64> {
        if wanted < self.unit {
            return Err(power_below(wanted));
        }
        let mut step = last;
        while self.length(step) > wanted {
            step /= 2;
        }
        // A step grows only at multiples of the longer step, and only to the next power.
        if step == last
            && step < self.largest
            && self.length(2 * step) <= wanted
            && now.is_multiple_of(2 * step)
        {
            step *= 2;
        }
        Ok(step)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_of_two() {
        for (number, power) in
            [(1.0, 1.0), (1.99, 1.0), (0.3, 0.25), (2.0_f64.powi(-40) * 1.5, 2.0_f64.powi(-40))]
        {
            assert_eq!(power_below(number), power);
        }
        assert!(Blocks::new(1e-300, 1.0).is_none());
    }

    #[test]
    fn steps_shrink_at_once_and_grow_where_they_may() {
        let blocks = Blocks::new(1.0 / 64.0, 0.3).unwrap();
        assert_eq!(blocks.length(16), 0.25);
        assert_eq!(blocks.units(0.3), Some(19));
        assert_eq!(blocks.first(0.1), Ok(4));
        assert_eq!(blocks.first(f64::INFINITY), Ok(16));
        assert_eq!(blocks.first(0.01), Err(1.0 / 128.0));
        // Too early, in time, by one power only, and not beyond the largest.
        assert_eq!(blocks.next(4, 4, 1.0), Ok(4));
        assert_eq!(blocks.next(4, 8, 1.0), Ok(8));
        assert_eq!(blocks.next(4, 16, 1.0), Ok(8));
        assert_eq!(blocks.next(16, 16, 1.0), Ok(16));
        assert_eq!(blocks.next(16, 16, 0.05), Ok(2));
    }
}
