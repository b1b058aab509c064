//! The integration tests of this crate: one program, which is linked once. Each module is about a subject;
//! `cargo test -p volvelle-symbols --test it prism::` runs one.

mod broken;
mod completion;
mod declared;
mod kernel;
mod library;
mod lotos;
mod lotos_names;
mod mcl;
mod models;
mod mpi;
mod names;
mod network;
mod prism;
mod prism_names;
mod promela;
mod promela_names;
mod rules;
mod shown;
mod spoken;
mod wks;
