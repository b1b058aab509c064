//! Any text as a formula of the mu-calculus.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| volvelle_oracles::mcl(text));
