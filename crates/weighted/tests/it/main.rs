//! Integration tests of this crate, in one program.
//! `cargo test -p volvelle-weighted --test it simulation::` runs one subject.

mod simulation;
