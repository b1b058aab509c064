//! Kinds of machines, and the code that is emitted for one.

use super::calls::Call;
use super::frame::Frame;
use crate::program::Program;
use volvelle_kernel::{BufferDecl, CompileError};

/// A kind of machine: its number of lanes and its code generator, which gets the address of the function that
/// executes calls.
pub(super) struct VectorMachine {
    pub(super) lanes: usize,
    pub(super) emit: fn(&Program, &[BufferDecl], u64) -> Result<Emitted, CompileError>,
}

/// Code and its frame.
pub(super) struct Emitted {
    pub(super) bytes: Vec<u8>,
    pub(super) frame: Frame,
    pub(super) calls: Vec<Call>,
    /// The place in the frame of the address of the calls' descriptions.
    pub(super) call_table: i32,
}

/// An error of the code generator.
pub(super) fn failed(error: impl std::fmt::Display) -> CompileError {
    CompileError(format!("vector code generation failed: {error}"))
}
