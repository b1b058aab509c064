//! The visited set: a map from packed states to dense numbers, and back.
//!
//! [`KeySet`] numbers 64-bit keys. [`StateSet`] is a tree of key sets over the words of a state, whose shape
//! adapts to the values that occur. All workers share both without locks. Growing is exclusive (`&mut self`),
//! so nothing moves under a reader.

mod key_set;
mod state_set;
mod tree;

pub use key_set::{Full, KeySet, MAX_NUMBERS};
pub use state_set::{Growth, Interning, Mark, Sources, StateSet};
