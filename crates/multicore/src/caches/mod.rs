//! First-level caches of cores, kept coherent by a table.
//!
//! Sets, ways, write-allocate, write-back; least recently used blocks go first. What a load or a store does to the states of a block is
//! what the protocol's table says ([`volvelle_coherence`] proves tables, this runs them). Counts have these meanings: *upgrade*: a store
//! to a block that is held but not for writing; *transfer*: a miss while another core has the block; *writeback*: a block that memory has
//! not is evicted, or given up by its owner to the core that misses it; *coherence miss*: a miss on a block that a store of another core took away.

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
