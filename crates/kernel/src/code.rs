//! Running kernels: the interface that interpreter and native code share.

use crate::kernel::Kernel;
use crate::kernel::{Buffer, Site};
use crate::types::{Const, Type};

/// How a run of a kernel ended. Buffers hold everything stored or emitted up to then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// The body came to its end.
    Done,
    /// `emit` found an append buffer full.
    Full(Buffer),
    /// A site failed.
    Failed(Site),
    /// A load or store beyond a buffer's length: a bug in the kernel or its caller.
    OutOfBounds(Buffer),
}

/// A buffer lent to a kernel. The element type must be the declared one (Booleans as `U8`, each 0 or 1).
///
/// For an append buffer the vector's *capacity* (not its length) is the room that `emit` has; the vector
/// is cleared before the run, and holds what was emitted afterwards. Nothing is ever reallocated.
#[derive(Debug)]
#[allow(missing_docs)] // names say it
pub enum BufferMut<'a> {
    ReadU64(&'a [u64]),
    ReadF64(&'a [f64]),
    ReadU32(&'a [u32]),
    ReadU8(&'a [u8]),
    U64(&'a mut [u64]),
    F64(&'a mut [f64]),
    U32(&'a mut [u32]),
    I64(&'a mut [i64]),
    U8(&'a mut [u8]),
    AppendU64(&'a mut Vec<u64>),
    AppendF64(&'a mut Vec<f64>),
    AppendU32(&'a mut Vec<u32>),
    AppendU8(&'a mut Vec<u8>),
}

impl BufferMut<'_> {
    /// Element type (`u8` buffers also serve as `bool`).
    pub fn ty(&self) -> Type {
        use BufferMut::*;
        match self {
            ReadU64(_) | U64(_) | AppendU64(_) => Type::U64,
            ReadF64(_) | F64(_) | AppendF64(_) => Type::F64,
            ReadU32(_) | U32(_) | AppendU32(_) => Type::U32,
            I64(_) => Type::I64,
            ReadU8(_) | U8(_) | AppendU8(_) => Type::U8,
        }
    }
}

/// A kernel ready to run. Cheap to share between threads.
pub trait Code: Send + Sync {
    /// Runs it. `params` and `buffers` must match the declarations in number, type and access.
    ///
    /// # Panics
    /// Where they do not match: that is a bug in the caller.
    fn run(&self, params: &[Const], buffers: &mut [BufferMut<'_>]) -> Exit;
}

/// A kernel could not be compiled (too large for the back end, machine not supported).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompileError(pub String);

impl std::fmt::Display for CompileError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for CompileError {}

/// A back end.
pub trait Compiler: Sync {
    /// Compiles a kernel that [`crate::verify::verify`] accepts.
    fn compile(&self, kernel: &Kernel) -> Result<Box<dyn Code>, CompileError>;

    /// Name for people, e.g. `interpreter`, `native (Cranelift)`.
    fn name(&self) -> &'static str;
}
