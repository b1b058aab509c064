//! Any bytes as a file with an automaton.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| volvelle_oracles::hoa_text(bytes));
