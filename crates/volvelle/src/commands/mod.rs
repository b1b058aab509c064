//! The commands about the program itself, and about what a model has: arguments in, exit code out.

pub mod completions;
pub mod demo;
pub mod devices;
pub mod explain;
pub mod info;
pub mod man;
