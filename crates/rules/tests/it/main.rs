//! Tests of the rule language.

mod golden;
mod mutations;
mod pages;
mod semantics;
mod static_errors;
mod support;
