//! Tasks of this repository.
//!
//! [`ci`] is what CI runs and what a laptop runs, [`checked`] how it compiles; [`tidy`] are the rules that the files of the repository obey, which are tests as well;
//! [`budget`] measures what a release build costs, [`claims`] what the README claims; [`package`] makes the files of a release; [`fuzz`]
//! builds and runs the fuzzers; [`attack`] runs random tests for longer; [`programs`] runs real programs beside QEMU; [`bless`] rewrites
//! expectations. Takes the files of a checkout and what `cargo metadata` says; gives findings and exit codes. No crate of the product
//! depends on it.

pub mod attack;
pub mod bless;
pub mod budget;
pub mod checked;
pub mod ci;
pub mod claims;
pub mod fuzz;
pub mod metadata;
pub mod package;
mod processor_time;
pub mod programs;
mod this_program;
pub mod tidy;
pub mod tree;
