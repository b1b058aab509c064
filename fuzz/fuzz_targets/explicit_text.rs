//! Any bytes as a file of an explicit model, in every format that is a text.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| volvelle_oracles::explicit_text(bytes));
