//! Options that act only beside others, of questions that have many.

pub mod check;
pub mod simulate;
