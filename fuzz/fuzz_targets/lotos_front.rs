//! Any text as a LOTOS specification.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| volvelle_oracles::lotos_front(text));
