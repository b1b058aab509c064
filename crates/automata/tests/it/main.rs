//! The integration tests of this crate: one program, which is linked once. Each module is about a subject;
//! `cargo test -p volvelle-automata --test it buchi::` runs one.

mod buchi;
mod cubes;
mod hoa;
mod lassos;
mod monitors;
mod sizes;
mod words;
