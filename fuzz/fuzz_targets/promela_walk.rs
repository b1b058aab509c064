//! A program of processes that the bytes choose, and a walk through it, with native code and with the interpreter.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    volvelle_oracles::promela_walk(bytes);
});
