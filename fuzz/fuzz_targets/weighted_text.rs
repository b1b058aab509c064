//! Any text as a weighted structure: no panic, a reason for each refusal, and what was read is written and read again.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| volvelle_oracles::weighted_text(text));
