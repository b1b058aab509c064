//! The integration tests of this crate: one program, which is linked once. Each module is about a subject;
//! `cargo test -p volvelle-streams --test it kernels::` runs one.

mod kernels;
mod math;
mod statistics;
mod support;
