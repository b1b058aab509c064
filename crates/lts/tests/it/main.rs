//! The integration tests of this crate: one program, which is linked once. Each module is about a subject;
//! `cargo test -p volvelle-lts --test it comparison::` runs one.

mod comparison;
mod naive;
mod network;
mod reduction;
