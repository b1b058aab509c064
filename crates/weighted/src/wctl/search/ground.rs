//! What a search asks about states, and what it finds in a formula's until.

use crate::Failure;
use std::ops::Range;
use volvelle_logic::WctlId;
use volvelle_space::WeightedStep;

/// States with their steps, every state having one at least, and answers for operands. Steps have places that do not change.
pub(in crate::wctl) trait Ground {
    /// Whether a node of the formula holds in a state.
    fn decide(&mut self, node: WctlId, state: u32) -> Result<bool, Failure>;

    /// The places of a state's steps, which are generated if they are not known.
    fn outgoing(&mut self, state: u32) -> Result<Range<usize>, Failure>;

    /// The places of a state's steps, if they are known.
    fn generated(&self, state: u32) -> Option<Range<usize>>;

    /// A step.
    fn step(&self, place: usize) -> WeightedStep;

    /// Counts a unit of work: limits are looked at now and then.
    fn work(&mut self) -> Result<(), Failure>;

    /// Counts bytes that are held from now on.
    fn hold(&mut self, bytes: u64);
}
