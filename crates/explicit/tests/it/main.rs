//! The integration tests of this crate: one program, which is linked once. Each module is about a subject;
//! `cargo test -p volvelle-explicit --test it space::` runs one.

mod allowance;
mod corpus;
mod formats;
mod hostile;
mod kinds;
mod mcrl2;
mod space;
mod texts;
mod validate;
