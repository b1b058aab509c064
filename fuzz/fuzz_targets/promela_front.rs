//! Any text as a Promela model, as a formula, and as choices of a tree.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| volvelle_oracles::promela_front(text));
