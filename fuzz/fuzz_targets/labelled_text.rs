//! Any bytes as the file of a labelled transition system.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| volvelle_oracles::labelled_text(bytes));
