//! The integration tests of this crate: one program, which is linked once. Each module is about a subject;
//! `cargo test -p volvelle-search --test it approximate::` runs one.

mod approximate;
mod bfs;
mod dfs;
mod liveness;
mod philosophers;
mod probe;
mod reduction;
mod store;
mod toys;
