//! The integration tests of this crate: one program, which is linked once. Each module is about a subject;
//! `cargo test -p volvelle-debug-adapter --test it sessions::` runs one.

mod bad_clients;
mod client;
mod dialogue;
mod lines;
mod messages;
mod protocol;
mod sessions;
