//! Running kernels: the interface that interpreter and native code share.

use crate::entities::{Buffer, Site};
use crate::kernel::{Access, BufferDecl, Kernel};
use crate::types::{Const, Type};
use std::ops::Range;

/// How a run of a kernel ended. Buffers hold everything stored or emitted up to then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "what a kernel wrote counts only if it is done"]
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
    ReadU8(&'a [u8]),
    ReadU16(&'a [u16]),
    ReadU32(&'a [u32]),
    ReadU64(&'a [u64]),
    ReadI8(&'a [i8]),
    ReadI16(&'a [i16]),
    ReadI32(&'a [i32]),
    ReadI64(&'a [i64]),
    ReadF32(&'a [f32]),
    ReadF64(&'a [f64]),
    U8(&'a mut [u8]),
    U16(&'a mut [u16]),
    U32(&'a mut [u32]),
    U64(&'a mut [u64]),
    I8(&'a mut [i8]),
    I16(&'a mut [i16]),
    I32(&'a mut [i32]),
    I64(&'a mut [i64]),
    F32(&'a mut [f32]),
    F64(&'a mut [f64]),
    AppendU8(&'a mut Vec<u8>),
    AppendU16(&'a mut Vec<u16>),
    AppendU32(&'a mut Vec<u32>),
    AppendU64(&'a mut Vec<u64>),
    AppendI8(&'a mut Vec<i8>),
    AppendI16(&'a mut Vec<i16>),
    AppendI32(&'a mut Vec<i32>),
    AppendI64(&'a mut Vec<i64>),
    AppendF32(&'a mut Vec<f32>),
    AppendF64(&'a mut Vec<f64>),
}

impl BufferMut<'_> {
    /// Element type (`u8` buffers also serve as `bool`).
    #[inline]
    pub fn ty(&self) -> Type {
        use BufferMut::*;
        match self {
            ReadU8(_) | U8(_) | AppendU8(_) => Type::U8,
            ReadU16(_) | U16(_) | AppendU16(_) => Type::U16,
            ReadU32(_) | U32(_) | AppendU32(_) => Type::U32,
            ReadU64(_) | U64(_) | AppendU64(_) => Type::U64,
            ReadI8(_) | I8(_) | AppendI8(_) => Type::I8,
            ReadI16(_) | I16(_) | AppendI16(_) => Type::I16,
            ReadI32(_) | I32(_) | AppendI32(_) => Type::I32,
            ReadI64(_) | I64(_) | AppendI64(_) => Type::I64,
            ReadF32(_) | F32(_) | AppendF32(_) => Type::F32,
            ReadF64(_) | F64(_) | AppendF64(_) => Type::F64,
        }
    }

    /// The permission that it gives.
    #[inline]
    pub fn access(&self) -> Access {
        use BufferMut::*;
        match self {
            ReadU8(_) | ReadU16(_) | ReadU32(_) | ReadU64(_) | ReadI8(_) | ReadI16(_) | ReadI32(_)
            | ReadI64(_) | ReadF32(_) | ReadF64(_) => Access::Read,
            U8(_) | U16(_) | U32(_) | U64(_) | I8(_) | I16(_) | I32(_) | I64(_) | F32(_) | F64(_) => {
                Access::Write
            }
            AppendU8(_) | AppendU16(_) | AppendU32(_) | AppendU64(_) | AppendI8(_) | AppendI16(_)
            | AppendI32(_) | AppendI64(_) | AppendF32(_) | AppendF64(_) => Access::Append,
        }
    }

    /// Whether it may be lent for `decl`: the same access and the element type (`u8` for `bool`).
    #[inline]
    pub fn fits(&self, decl: &BufferDecl) -> bool {
        let ty = if decl.ty == Type::Bool { Type::U8 } else { decl.ty };
        self.ty() == ty && self.access() == decl.access
    }
}

/// Where the elements of a lent buffer lie.
#[derive(Clone, Copy, Debug)]
pub struct RawParts {
    /// The first element; dangling but aligned where there is no room for any.
    pub data: *mut u8,
    /// Elements that may be loaded or stored.
    pub len: usize,
    /// Elements that there is room for; `len` unless the buffer is for appending.
    pub capacity: usize,
}

impl BufferMut<'_> {
    /// Where the elements lie. Nothing may be written where the buffer is for reading.
    #[inline]
    pub fn raw_parts(&mut self) -> RawParts {
        fn read<T>(slice: &[T]) -> RawParts {
            RawParts { data: slice.as_ptr().cast_mut().cast(), len: slice.len(), capacity: slice.len() }
        }
        fn write<T>(slice: &mut [T]) -> RawParts {
            RawParts { data: slice.as_mut_ptr().cast(), len: slice.len(), capacity: slice.len() }
        }
        fn append<T>(vec: &mut Vec<T>) -> RawParts {
            RawParts { data: vec.as_mut_ptr().cast(), len: vec.len(), capacity: vec.capacity() }
        }
        use BufferMut::*;
        match self {
            ReadU8(s) => read(s),
            ReadU16(s) => read(s),
            ReadU32(s) => read(s),
            ReadU64(s) => read(s),
            ReadI8(s) => read(s),
            ReadI16(s) => read(s),
            ReadI32(s) => read(s),
            ReadI64(s) => read(s),
            ReadF32(s) => read(s),
            ReadF64(s) => read(s),
            U8(s) => write(s),
            U16(s) => write(s),
            U32(s) => write(s),
            U64(s) => write(s),
            I8(s) => write(s),
            I16(s) => write(s),
            I32(s) => write(s),
            I64(s) => write(s),
            F32(s) => write(s),
            F64(s) => write(s),
            AppendU8(v) => append(v),
            AppendU16(v) => append(v),
            AppendU32(v) => append(v),
            AppendU64(v) => append(v),
            AppendI8(v) => append(v),
            AppendI16(v) => append(v),
            AppendI32(v) => append(v),
            AppendI64(v) => append(v),
            AppendF32(v) => append(v),
            AppendF64(v) => append(v),
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

    /// Runs it on memory that other threads may use at the same time: parameters as for [`Code::run`], and for every
    /// buffer where its elements lie. Memory is touched element by element, and only where the kernel loads or stores.
    ///
    /// # Safety
    /// - There is an entry for every declared buffer, in their order, and no buffer is for appending.
    /// - `data` points to `len` elements of the declared type (bytes for `bool`), aligned for it, which stay there for the
    ///   length of the call; they may be stored to where the buffer is for writing. It may be anything, but aligned and
    ///   not null, where `len` is zero.
    /// - While the call lasts, no other thread stores an element that this run loads or stores, or loads one that it
    ///   stores. For kernels that run in lanes this is what lanes owe each other. Elements that runs only take numbers from
    ///   ([`crate::Stmt::Take`]) are for all.
    ///
    /// # Panics
    /// Where parameters, or the number of buffers, do not match the declarations: that is a bug in the caller.
    unsafe fn run_shared(&self, params: &[Const], buffers: &[RawParts]) -> Exit;

    /// [`Code::run_shared`] for many lanes, one after the other up to the first that does not end with [`Exit::Done`]: the
    /// first parameter, a `u64`, takes the numbers of these lanes. What it is in `params` does not matter.
    ///
    /// The number of lanes that the code runs at once; calls pass a multiple of it.
    ///
    /// # Safety
    /// As for [`Code::run_shared`], for each lane.
    ///
    /// # Panics
    /// As for [`Code::run_shared`].
    unsafe fn run_lanes(&self, lanes: Range<u64>, params: &[Const], buffers: &[RawParts]) -> Exit {
        let mut params = params.to_vec();
        for lane in lanes {
            params[0] = Const::u64(lane);
            // SAFETY: the contract is that of this function.
            let exit = unsafe { self.run_shared(&params, buffers) };
            if exit != Exit::Done {
                return exit;
            }
        }
        Exit::Done
    }
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

/// How much time a back end takes for better code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// As little as possible: for kernels that may not run for long.
    Quick,
    /// As the size of the kernel suggests.
    Usual,
    /// All that is worth it for a kernel that is about to run for long.
    Thorough,
}

/// A back end.
pub trait Compiler: Sync {
    /// Compiles a kernel that [`crate::verify::verify`] accepts. With less than all effort a back end may give up on a kernel that would
    /// take it seconds.
    fn compile_with(&self, kernel: &Kernel, effort: Effort) -> Result<Box<dyn Code>, CompileError>;

    /// Compiles a kernel with the usual effort, or with all where that gives up.
    fn compile(&self, kernel: &Kernel) -> Result<Box<dyn Code>, CompileError> {
        let made = self.compile_with(kernel, Effort::Usual);
        made.or_else(|_| self.compile_with(kernel, Effort::Thorough))
    }

    /// Compiles a kernel that is about to run for long.
    fn compile_well(&self, kernel: &Kernel) -> Result<Box<dyn Code>, CompileError> {
        self.compile_with(kernel, Effort::Thorough)
    }

    /// Name for reports, e.g. `interpreter`, `native (Cranelift)`.
    fn name(&self) -> &'static str;
}
