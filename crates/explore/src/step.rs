//! Steps of paths.

use volvelle_model::{ActionId, GroupId};
use volvelle_space::StateId;

/// A step of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// State before.
    pub from: StateId,
    /// Group that moved.
    pub group: GroupId,
    /// Action it showed.
    pub action: ActionId,
    /// State after.
    pub to: StateId,
}
