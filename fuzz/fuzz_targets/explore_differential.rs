//! Any text as a PRISM model, or a model that the bytes choose, explored in every way.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    if let Some(text) = volvelle_oracles::model_text(bytes) {
        volvelle_oracles::explore_differential(&text);
    }
});
