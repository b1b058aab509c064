//! Any text as the declaration of a pipeline: no panic, a reason for each refusal, and steps in an order in which they can be made.
#![no_main]

#[path = "../../crates/pipelines/tests/it/any_text.rs"]
mod any_text;

libfuzzer_sys::fuzz_target!(|text: &str| any_text::check(text));
