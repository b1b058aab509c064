//! Paths of any text as a PRISM model, or of a model that the bytes choose, in all ways.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    if let Some(text) = volvelle_oracles::model_text(bytes) {
        volvelle_oracles::path_tiers(&text);
    }
});
