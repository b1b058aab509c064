//! The integration tests of this crate: one program, which is linked once. Each module is about a subject;
//! `cargo test -p volvelle-verify --test it accuracy::` runs one.

mod accuracy;
mod beyond_doubles;
mod cancellation;
mod certain;
mod contests;
mod distributions;
mod interim;
mod modules;
mod mpi;
mod needed;
mod probes;
mod quick_answers;
mod reduction;
mod search_methods;
mod shortening;
mod sweeps;
mod symmetry;
mod tables;
mod tuning;
mod weighted_import;
