//! Tests of the rule language.

mod golden;
mod support;
