//! Models as labelled transition systems: reduced, compared.

mod build;
mod compare;
mod labels;
mod reduce;

pub use compare::{CompareReport, compare_systems};
pub use labels::Relabelling;
pub use reduce::{ReduceReport, SystemSize, reduce_system};
