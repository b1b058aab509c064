//! The interface from searches to states and to operands of an until.

use crate::Failure;
use std::ops::Range;
use volvelle_logic::WctlId;
use volvelle_space::WeightedStep;

/// States and their steps (at least one each), and answers for operands. Positions of steps never change.
pub(in crate::wctl) trait Ground {
    /// Whether a node of the formula holds in a state.
    fn decide(&mut self, node: WctlId, state: u32) -> Result<bool, Failure>;

    /// The positions of a state's steps, which are generated if necessary.
    fn outgoing(&mut self, state: u32) -> Result<Range<usize>, Failure>;

    /// The positions of a state's steps, if they were generated.
    fn generated(&self, state: u32) -> Option<Range<usize>>;

    /// A step.
    fn step(&self, place: usize) -> WeightedStep;

    /// Counts a unit of work, and checks limits now and then.
    fn work(&mut self) -> Result<(), Failure>;

    /// Counts bytes held from now on.
    fn hold(&mut self, bytes: u64);
}
