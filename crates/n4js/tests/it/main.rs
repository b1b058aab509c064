//! Tests of N4JS. `cargo test -p volvelle-n4js --test it corpus::` reads the corpus, where it is beside the repository.

mod assignments;
mod calls;
mod checked;
mod classifiers;
mod common;
mod conformance;
mod corpus;
mod deep;
mod expressions;
mod forms;
mod functions;
mod mistakes;
mod modules;
mod names;
mod pages;
mod patterns;
mod statements;
mod types;
