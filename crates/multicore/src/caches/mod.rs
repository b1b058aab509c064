//! First-level caches of cores, kept coherent by a table.
//!
//! Sets, ways, write-allocate, write-back; the least recently used block is evicted. The protocol's table
//! says how a load or a store changes the states of a block ([`volvelle_coherence`] proves tables, this
//! module runs them). Terms of counts: an *upgrade* is a store to a block that is held but not for writing; a
//! *transfer* is a miss while another core has the block; a *writeback* is an eviction of a block that memory
//! does not have, or its owner handing it to the core that misses it; a *coherence miss* is a miss on a block
//! that a store of another core took away.

mod counts;
mod lines;
mod shape;
mod sharing;
mod table;

pub use counts::CacheCounts;
pub use lines::{Caches, Effect, Touch};
pub use shape::{CacheShape, Policy};
pub use sharing::SharedBlock;
pub use table::ProtocolTable;
