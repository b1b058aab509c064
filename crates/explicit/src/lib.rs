//! Explicit models as input and output: UMB, DRN, PRISM's explicit files, ALDEBARAN; labelled transition systems of mCRL2 as input.
//!
//! Takes the bytes of files, perhaps compressed; gives a [`Model`] with warnings about oddities of the file, or one
//! [`Finding`] that says what is wrong where, why, and what to do. Every format passes the same checks ([`validate`]),
//! stricter than those of the tools that write them: NaN, negative probabilities and wrong sums are refused. Counts in
//! headers are compared with the number of bytes in the file before memory is allocated. [`Model::to_space`] converts to
//! the form that engines work on, where there is an engine for the kind of model.
//!
//! Opens no files. Stands on `control`, `decimals`, `diagnostics`, `labels` and `space`.

mod allowance;
mod archive;
mod aut;
mod chunks;
mod decompress;
mod drn;
mod finding;
mod format;
mod glance;
mod input;
mod mcrl2;
mod model;
mod options;
mod output;
pub mod prism;
mod read;
mod shares;
mod space;
mod text;
mod umb;
mod validate;
mod write;

pub use allowance::Allowance;
pub use aut::read_lts;
pub use decompress::stream as decompressed;
pub use finding::{Finding, Misspelt, Place};
pub use format::{Compression, Format};
pub use glance::{Glance, glance};
pub use input::{Companions, Input};
pub use mcrl2::{begins_as_mcrl2_lts, read_mcrl2_lts};
pub use model::*;
pub use options::{Dialect, Precision, ReadOptions, WriteOptions};
pub use output::WriteError;
pub use read::{Loaded, read};
pub use space::Converted;
pub use validate::{TOLERANCE, validate};
pub use write::{write, write_lts};
