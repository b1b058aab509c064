//! The integration tests of this crate: one program, which is linked once. Each module is about a subject;
//! `cargo test -p volvelle-kernel --test it eval::` runs one.

mod eval;
mod generated;
mod magnitude;
mod run;
mod scalar;
mod text;
mod types;
mod verify;
