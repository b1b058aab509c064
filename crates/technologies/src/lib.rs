//! Technologies of the runtime: threads, OpenCL and CUDA.
//!
//! Implements the traits of `volvelle-runtime`. Libraries of devices are opened at run time, here and nowhere else; a machine
//! without them has threads.

pub mod threads;

pub use threads::{Interpreter, Threads};
