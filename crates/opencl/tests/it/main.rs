//! The integration tests of this crate: one program, which is linked once. Each module is about a subject;
//! `cargo test -p volvelle-opencl --test it composition::` runs one.

mod common;
mod composition;
mod guards;
mod library;
mod processor;
mod refusals;
mod variants;
