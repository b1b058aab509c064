//! The integration tests of this crate: one program, which is linked once. Each module is about a subject;
//! `cargo test -p volvelle-simulate --test it paths::` runs one.

mod paths;
mod splitting;
mod support;
