//! Tables of explicit models.

use super::alias::Aliases;
use volvelle_model::FieldId;
use volvelle_space::Space;

/// The values of the fields of a program in states.
pub trait States: Send + Sync {
    /// The value of a field in a state; Booleans are 0 or 1.
    fn value(&self, state: usize, field: FieldId) -> i64;
}

/// A chain, ready to be walked along.
pub struct Table {
    pub(super) space: Space,
    pub(super) states: Box<dyn States>,
    /// Action of every transition; empty if there are none.
    pub(super) actions: Vec<u32>,
    /// States whose choice is not resolved.
    pub(super) undecided: Option<volvelle_space::BitSet>,
    pub(super) aliases: Aliases,
    /// Exit rates; empty in discrete time.
    pub(super) rates: Vec<f64>,
    pub(super) rewards: Vec<RowRewards>,
}

/// The values of a reward structure over the states; `None` if it is zero everywhere.
pub(super) struct RowRewards {
    /// The reward of the state.
    pub(super) state: Option<Vec<f64>>,
    /// The rewards of the state and of the steps out of it: per step, or per unit of time.
    pub(super) earned: Option<Vec<f64>>,
}
