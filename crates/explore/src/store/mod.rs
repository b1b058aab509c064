//! The visited set.
//!
//! Packed states are stored once, in the order of discovery ([`StateTable`]); an index finds the number of a
//! state. There are two indices: a [`direct`](Index::Direct) array over the packed domain if that is small,
//! and otherwise an open-addressing table of numbers and fingerprints ([`hashed`](Index::Hashed), 8 bytes per
//! slot). Look-ups are batched: first all hashes, then all slots are prefetched, then the states they point
//! to.
//!
//! One writer, many readers: only the holder of the commit lock inserts. Concurrent look-ups may miss states
//! that are being inserted, so the writer looks up again what was not found.

mod index;
mod numbered;
mod states;

pub use index::{Index, MAX_STATES, UNKNOWN};
pub use numbered::NumberedStates;
pub use states::StateTable;
