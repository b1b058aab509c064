//! The integration tests of this crate: one program, which is linked once. Each module is about a subject;
//! `cargo test -p volvelle-mcl --test it corpus::` runs one.

mod blocks;
mod corpus;
mod evidence;
mod pages;
mod parity;
mod parsing;
mod random;
mod support;
mod tokens;
