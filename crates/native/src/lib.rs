//! Native code for kernels, generated with Cranelift.
//!
//! Takes a [`Kernel`](volvelle_kernel::Kernel) that the verifier accepts; gives machine code for the
//! processor it runs on, behind [`Code`](volvelle_kernel::Code). Stands on the kernel crate and is the
//! only crate that knows Cranelift. It never reads a clock or the environment and does no I/O.
//!
//! The way through: [`Native`] builds the target once; `compile` lowers the kernel to one Cranelift
//! function (`lower`), lets Cranelift compile it, places the code in executable memory (`memory`), and wraps it in
//! the handle that runs it (`code`). The calling convention is defined in `abi`; the few Rust functions
//! that generated code calls are in `runtime`.
//!
//! Results are those of [`volvelle_kernel::interp`], bit for bit, with one freedom: which NaN an operation
//! gives is not defined (no operation of the IR can tell one NaN from another, so only a buffer shows it).

mod abi;
mod code;
mod compiler;
mod lower;
mod memory;
mod options;
mod runtime;

pub use compiler::Native;
pub use options::{Allocator, OptLevel, Options};
