//! Tests of the rule language.

mod golden;
mod pages;
mod support;
