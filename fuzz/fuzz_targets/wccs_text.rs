//! Any text as weighted CCS: no panic, a reason for each refusal, and states that behave as the literal meaning says.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| volvelle_oracles::wccs_text(text));
