//! The integration tests of this crate: one program, which is linked once. Each module is about a subject;
//! `cargo test -p volvelle-decimals --test it number::` runs one.

mod digits;
mod number;
mod rounding;
