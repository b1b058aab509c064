//! The integration tests of this crate: one program, which is linked once. Each module is about a subject;
//! `cargo test -p volvelle-promela --test it code_pages::` runs one.

mod code_pages;
mod common;
mod diagnostics;
mod misspelt;
mod preprocess;
mod robust;
mod round_trip;
mod spin_trail;
mod tokens;
mod trees;
