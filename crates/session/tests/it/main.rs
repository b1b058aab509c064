//! The integration tests of this crate: one program, which is linked once. Each module is about a subject;
//! `cargo test -p volvelle-session --test it range::` runs one.

mod choices;
mod constants;
mod failure;
mod fractions;
mod language;
mod range;
mod remarks;
mod select;
mod text;
