//! The integration tests of this crate: one program, which is linked once. Each module is about a subject;
//! `cargo test -p volvelle-determinacy --test it affine::` runs one.

mod affine;
