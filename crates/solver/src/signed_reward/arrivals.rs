//! What is known of the steps in which states are left.

use crate::graph::EndComponents;
use volvelle_space::BitSet;

/// Where an optimal scheduler arrives in a target.
pub struct Arrivals {
    /// The states with a finite value.
    pub finite: BitSet,
    /// Those outside of the target.
    pub unknown: BitSet,
    /// The choices that do not leave the finite states: others are never optimal.
    pub allowed: BitSet,
    /// The end components of these choices outside of the target.
    pub(super) found: EndComponents,
}
