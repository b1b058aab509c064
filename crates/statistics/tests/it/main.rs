//! The integration tests of this crate: one program, which is linked once. Each module is about a subject;
//! `cargo test -p volvelle-statistics --test it bayes::` runs one.

mod bayes;
mod hostile;
mod interval;
mod moments;
mod sequential;
mod several;
mod size;
mod special;
mod sprt;
mod support;
mod verdict;
