//! The integration tests of this crate: one program, which is linked once. Each module is about a subject;
//! `cargo test -p volvelle-diagnostics --test it pages::` runs one.

mod fixes;
mod pages;
mod positions;
mod render;
mod suggest;
