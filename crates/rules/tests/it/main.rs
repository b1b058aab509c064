//! Tests of the rule language.

mod golden;
mod mutations;
mod pages;
mod second;
mod second_opinion;
mod semantics;
mod static_errors;
mod support;
mod validators;
