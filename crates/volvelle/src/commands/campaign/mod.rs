//! Runs in parts: `--shard`, `--checkpoint`, and `volvelle merge`.

pub mod merge;
mod target;

pub use target::Target;
