//! Any bytes as instructions of RISC-V.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| volvelle_oracles::instruction_words(bytes));
