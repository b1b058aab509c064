//! The integration tests of this crate: one program, which is linked once. Each module is about a subject;
//! `cargo test -p volvelle-explore --test it canonical::` runs one.

mod canonical;
mod intervals;
mod random_programs;
mod rows;
mod slots;
