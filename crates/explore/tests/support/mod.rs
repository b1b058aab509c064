//! Random programs, and a slow and obvious explorer to compare with.

pub mod generate;
pub mod reference;
