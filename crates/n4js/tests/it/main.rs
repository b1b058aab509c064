//! Tests of N4JS. `cargo test -p volvelle-n4js --test it corpus::` reads the corpus, where it is beside the repository.

mod common;
mod conformance;
mod corpus;
mod deep;
mod forms;
mod mistakes;
mod modules;
mod pages;
mod types;
