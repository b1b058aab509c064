//! Tasks: weights with parameters, and what is asked of them.

use crate::distance::Kind;
use volvelle_space::ParametricStructure;

/// The question, and the limit of work.
#[derive(Clone, Copy, Debug)]
pub struct Task<'a> {
    /// The structure with parameters.
    pub parametric: &'a ParametricStructure,
    /// The state that is simulated.
    pub s: u32,
    /// The state that simulates.
    pub t: u32,
    /// The kind of distance.
    pub kind: Kind,
    /// Limit of boxes.
    pub boxes: u64,
}
