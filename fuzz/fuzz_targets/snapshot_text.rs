//! Any bytes as a snapshot of a particle system.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| volvelle_oracles::snapshot_text(bytes));
