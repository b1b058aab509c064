//! Tests of the rule language.

mod derivations;
mod golden;
mod mutations;
mod pages;
mod random_programs;
mod second;
mod second_opinion;
mod semantics;
mod static_errors;
mod support;
mod validators;
