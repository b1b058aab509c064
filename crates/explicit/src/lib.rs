//! Explicit models as input and output: UMB, DRN, PRISM's explicit files, ALDEBARAN.
//!
//! Takes the bytes of files, perhaps compressed; gives a [`Model`] and what is odd about the file, or one [`Finding`] that
//! says what is wrong where, why, and what to do. Every format passes the same checks ([`validate`]), stricter than those
//! of the tools that write them: numbers that are none, negative probabilities and wrong sums are refused. Counts in
//! headers are compared with the bytes that are there before memory is taken. [`Model::to_space`] gives what engines work
//! on, where there is an engine for the kind of model.
//!
//! Opens no files. Stands on `control`, `diagnostics` and `space`.

mod allowance;
mod archive;
pub mod aut;
mod chunks;
mod decompress;
mod drn;
mod finding;
mod format;
mod input;
mod model;
mod options;
mod output;
pub mod prism;
mod read;
mod space;
mod text;
mod umb;
mod validate;
mod write;

pub use allowance::Allowance;
pub use finding::{Finding, Place};
pub use format::{Compression, Format};
pub use input::{Companions, Input};
pub use model::*;
pub use options::{Dialect, Precision, ReadOptions, WriteOptions};
pub use output::WriteError;
pub use read::{Loaded, read};
pub use space::Converted;
pub use text::Shortest;
pub use validate::{TOLERANCE, validate};
pub use write::write;
