//! The integration tests of this crate: one program, which is linked once. Each module is about a subject;
//! `cargo test -p volvelle-tune --test it spaces::` runs one.

mod correlation;
mod fit;
mod formats;
mod operations;
mod published_spaces;
mod spaces;
mod states;
mod strategies;
