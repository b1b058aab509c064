//! Tasks: where they end, and which of their properties are predicted.

mod cut;
mod joins;
mod selection;

pub use cut::{Cutter, Task};
pub use joins::Joins;
pub use selection::Selection;
