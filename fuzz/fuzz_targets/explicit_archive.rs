//! Any bytes as an archive, and an archive of a generated model with a few other bytes in it.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| volvelle_oracles::explicit_archive(bytes));
