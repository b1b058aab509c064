//! N4JS: JavaScript with types.

mod classes;

pub use classes::{Kind, classes};
