//! Tests of models as trees. `cargo test -p volvelle-metamodels --test it corpus` reads the corpus, where it is beside the repository.

mod common;
mod edits;
mod lotos;
mod prism;
mod promela;
mod units;
