//! Kinds of machines, and the code that is emitted for one.

use super::calls::Call;
use super::frame::Frame;
use crate::program::Program;
use volvelle_kernel::{BufferDecl, CompileError};

/// A kind of machine: how many lanes it runs at once, and its code generator, given the address of the function that
/// does calls.
pub(super) struct VectorMachine {
    pub(super) lanes: usize,
    pub(super) emit: fn(&Program, &[BufferDecl], u64) -> Result<Emitted, CompileError>,
}

/// Code and what it needs.
pub(super) struct Emitted {
    pub(super) bytes: Vec<u8>,
    pub(super) frame: Frame,
    pub(super) calls: Vec<Call>,
    /// Where the frame has the address of the calls' descriptions.
    pub(super) call_table: i32,
}

/// An error of the code generator.
pub(super) fn failed(error: impl std::fmt::Display) -> CompileError {
    CompileError(format!("vector code generation failed: {error}"))
}
