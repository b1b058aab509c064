//! Building blocks of sets of states: bit sets, a hash of packed states, prefetching, and large zeroed arrays of
//! atomics on huge pages. It knows neither states nor models, and uses no other crate of the workspace.

mod bit_matrix;
mod bit_set;
mod growing;
mod hash;
mod memory;
mod prefetch;
mod shared_bit_set;

pub use bit_matrix::BitMatrix;
pub use bit_set::BitSet;
pub use growing::Growing;
pub use hash::hash;
pub use memory::{Zeroed, advise_huge, zeroed};
pub use prefetch::prefetch;
pub use shared_bit_set::SharedBitSet;
