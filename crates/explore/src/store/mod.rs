//! The visited set.
//!
//! Packed states are stored once, in the order of discovery ([`StateTable`]); an index finds the number of
//! a state. Two indices: a [`direct`](Index::Direct) array over the packed domain where that is small, and
//! an open-addressing table of number and fingerprint ([`hashed`](Index::Hashed), 8 bytes a slot) otherwise.
//! Look-ups come in batches: all hashes first, then all slots prefetched, then the states they point at.
//!
//! One writer, many readers: only the holder of the commit lock inserts. Look-ups run at the same time and may miss
//! states that are being inserted, so the writer looks up again what was not found.

mod index;
mod numbered;
mod states;

pub use index::{Index, MAX_STATES, UNKNOWN};
pub use numbered::NumberedStates;
pub use states::StateTable;
