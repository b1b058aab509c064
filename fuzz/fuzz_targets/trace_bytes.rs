//! Any bytes as a trace of executed instructions.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| volvelle_oracles::trace_bytes(bytes));
