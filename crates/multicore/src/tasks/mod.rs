//! Tasks: where they end, and what is to be predicted of them.

mod cut;
mod selection;

pub use cut::{Cutter, Task};
pub use selection::Selection;
