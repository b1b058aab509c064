//! The integration tests of this crate: one program, which is linked once. Each module is about a subject;
//! `cargo test -p volvelle-technologies --test it faults::` runs one.

mod connection;
mod contents;
mod devices;
mod faults;
mod support;
mod threads;
