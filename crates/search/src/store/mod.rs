//! The visited set: packed states to dense numbers and back.
//!
//! [`KeySet`] numbers 64-bit keys; [`StateSet`] is a tree of key sets over the words of a state, which
//! takes the shape that the values ask for. Both are shared by
//! all workers without locks; growing is exclusive (`&mut self`), so that nothing moves under a reader.

mod key_set;
mod state_set;
mod tree;

pub use key_set::{Full, KeySet, MAX_NUMBERS};
pub use state_set::{Growth, Interning, Mark, Sources, StateSet};
