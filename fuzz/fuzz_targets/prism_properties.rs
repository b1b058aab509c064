//! Any text as PRISM properties.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| volvelle_oracles::prism_properties(text));
