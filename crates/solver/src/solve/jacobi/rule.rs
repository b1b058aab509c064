//! Kinds of steps of Jacobi's iteration.

use crate::solve::difference::difference;

/// The kind of a step, and the measure of its change.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rule {
    /// Two sweeps, and the largest change over both, relative to the newer value. After a single sweep the values of a
    /// component with a period oscillate, and their changes do not measure the distance from the solution.
    Pair,
    /// One sweep, of which every unknown goes `weight` times the way; the largest change, relative to the newer value or not.
    Relaxed {
        /// One: Jacobi's method; other weights: over-relaxation.
        weight: f64,
        /// Whether changes are relative.
        relative: bool,
    },
}

impl Rule {
    /// Sweeps of a step.
    pub fn sweeps(self) -> u64 {
        match self {
            Rule::Pair => 2,
            Rule::Relaxed { .. } => 1,
        }
    }

    /// The new value of an unknown: from `old`, its value before this sweep, towards `image`, the best right side of its
    /// equation.
    pub fn move_to(self, old: f64, image: f64) -> f64 {
        match self {
            Rule::Pair => image,
            Rule::Relaxed { weight, .. } => old + weight * (image - old),
        }
    }

    /// The change from the value before the step to the new one.
    pub fn change(self, before: f64, new: f64) -> f64 {
        match self {
            Rule::Pair if new == before => 0.0,
            Rule::Pair => (new - before).abs() / new.max(f64::MIN_POSITIVE),
            Rule::Relaxed { relative, .. } => difference(before, new, relative),
        }
    }
}
