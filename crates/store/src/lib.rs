//! What visited sets are built from: a hash of packed states, prefetching, and large zeroed arrays of atomics on huge
//! pages. Exploration and search stand on it; it knows neither states nor models.

mod growing;
mod hash;
mod memory;
mod prefetch;

pub use growing::Growing;
pub use hash::hash;
pub use memory::{Zeroed, advise_huge, zeroed};
pub use prefetch::prefetch;
