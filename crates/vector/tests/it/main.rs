//! The integration tests of this crate: one program, which is linked once. Each module is about a subject;
//! `cargo test -p volvelle-vector --test it differential::` runs one.

mod differential;
mod extremes;
mod kernels;
mod uniform;
