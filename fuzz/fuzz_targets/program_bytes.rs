//! Any bytes as a program for RISC-V.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| volvelle_oracles::program_bytes(bytes));
