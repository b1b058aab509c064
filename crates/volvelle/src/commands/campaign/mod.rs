//! Runs in parts: `volvelle merge`.

pub mod merge;
