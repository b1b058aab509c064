//! Any text as a PRISM model.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| volvelle_oracles::prism_model(text));
