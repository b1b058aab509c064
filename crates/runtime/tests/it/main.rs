//! The integration tests of this crate: one program, which is linked once. Each module is about a subject;
//! `cargo test -p volvelle-runtime --test it configuration::` runs one.

mod configuration;
mod messages;
mod network;
mod node;
