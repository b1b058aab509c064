//! Any text as a stream, a machine, a predictor, or a study of multicores.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| volvelle_oracles::stream_text(text));
