//! The integration tests of this crate: one program, which is linked once. Each module is about a subject;
//! `cargo test -p volvelle-mpi --test it graphs::` runs one.

mod common;
mod constants;
mod graphs;
mod interpreted;
mod messages;
mod mutations;
mod pages;
mod phase;
mod programs;
mod simulation;
mod terms;
mod topology;
