//! Generated explicit models, written and read again in every format.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| volvelle_oracles::explicit_round_trip(bytes));
