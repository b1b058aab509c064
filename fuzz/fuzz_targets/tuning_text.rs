//! Any bytes as a condition on parameters, as a list of values, and as a file of another tuner.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| volvelle_oracles::tuning_text(bytes));
