//! Any text as a network of labelled transition systems.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| volvelle_oracles::network_text(text));
