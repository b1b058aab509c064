//! Numbers as decimal texts: the nearest double or the exact rational of a text, and the shortest text of a double.
//!
//! Takes bytes, and an offset where a number begins among others; gives the number and where it ends. Doubles are rounded once. Stands on
//! no other crate of this workspace, and knows no file format.

pub mod digits;
mod number;
pub mod rounding;
mod shortest;

pub use number::{NotANumber, diagnose, double, exact, extent};
pub use shortest::Shortest;
