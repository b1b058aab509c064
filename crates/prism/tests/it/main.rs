//! The integration tests of this crate: one program, which is linked once. Each module is about a subject;
//! `cargo test -p volvelle-prism --test it code_pages::` runs one.

mod code_pages;
mod common;
mod explain_failures;
mod lex;
mod lex_temporal;
mod lower_bounds;
mod lower_corpus;
mod lower_exact;
mod lower_facts;
mod lower_foreign;
mod lower_random;
mod lower_robust;
mod lower_rules;
mod misspelt_words;
mod parse_corpus;
mod parse_errors;
mod parse_expressions;
mod parse_formulas;
mod parse_models;
mod parse_pages;
mod parse_properties;
mod parse_robust;
mod print_round_trip;
mod property_rules;
mod support;
