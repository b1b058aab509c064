//! Any text as kernels.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| volvelle_oracles::kernel_text(text));
