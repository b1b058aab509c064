//! The matrix that a file of transitions describes.

use crate::model::Model;

/// The model of transitions, and whether the file names initial states.
pub(crate) struct Transitions {
    pub model: Model,
    pub names_initial: bool,
}
