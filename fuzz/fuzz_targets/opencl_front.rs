//! Any text as an OpenCL kernel.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| volvelle_oracles::opencl_front(text));
