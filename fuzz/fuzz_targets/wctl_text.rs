//! Any text as a formula of weighted CTL: no panic, a reason for each refusal, and what is printed is the same formula.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| volvelle_oracles::wctl_text(text));
