//! The integration tests of this crate: one program, which is linked once. Each module is about a subject;
//! `cargo test -p volvelle-model --test it tables::` runs one.

mod closure;
mod dispatch;
mod exact;
mod network_layout;
mod relation;
mod rounding;
mod row_sums;
mod tables;
mod underflow;
