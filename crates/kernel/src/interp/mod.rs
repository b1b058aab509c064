//! The reference interpreter.

mod scalar;

pub use scalar::{binary, checked, checked_convert, convert, in_range, math, unary};
