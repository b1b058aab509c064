//! Tasks: where they end, and what is to be predicted of them.

mod cut;
mod joins;
mod selection;

pub use cut::{Cutter, Task};
pub use joins::Joins;
pub use selection::Selection;
