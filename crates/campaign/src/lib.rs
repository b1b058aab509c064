//! Campaigns: a run that is computed in parts, on many machines or one after the other, and put together from files.
//!
//! A [`Part`] says which run it is a part of (the command, the files that the command reads, the version of the program) and has
//! what was computed: records of blocks of paths ([`Section`]), or answers at points of a grid. [`join`] puts parts together, or says
//! which are missing, or of another run. In: bytes. Out: bytes, and diagnostics. This crate opens no file and runs nothing; it stands
//! on `simulate` for what a record is.
//!
//! | module | subject |
//! |---|---|
//! | `part` | what a part is |
//! | `shard` | which share of the work a part is |
//! | `section` | records of the paths of one estimation |
//! | `round` | what the next round of a campaign has to run |
//! | `file` | parts as bytes, and back |
//! | `bytes` | numbers as bytes, and back |
//! | `join` | parts put together |

mod bytes;
mod file;
mod join;
mod part;
mod round;
mod section;
mod shard;

pub use bytes::Damaged;
pub use file::{read, sealed, write};
pub use join::{Joined, join};
pub use part::{Body, Identity, PackedFile, Part, PointRecord};
pub use round::Round;
pub use section::Section;
pub use shard::Shard;
