//! The integration tests of this crate: one program, which is linked once. Each module is about a subject;
//! `cargo test -p volvelle-simulate --test it paths::` runs one.

mod aliases;
mod amounts;
mod claims;
mod monitors;
mod paths;
mod splitting;
mod summing;
mod support;
