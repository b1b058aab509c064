//! The integration tests of this crate: one program, which is linked once. Each module is about a subject;
//! `cargo test -p volvelle-oracles --test it algebra::` runs one.

mod algebra;
mod automata;
mod campaigns;
mod clocks;
mod explicit;
mod generated;
mod lotos;
mod mpi;
mod mpi_lotos;
mod paths;
mod processes;
mod schedules;
mod seeds;
mod sweep;
mod symmetry;
mod terms;
mod terms_random;
mod tuning;
mod vector;
mod wccs;
