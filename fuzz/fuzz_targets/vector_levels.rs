//! A kernel over many lanes that the bytes choose, with vector code of every level and with the interpreter.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = volvelle_oracles::vector_levels(bytes);
});
