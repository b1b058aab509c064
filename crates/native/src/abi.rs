//! The calling convention of generated code: parameters, buffers and the result of a run.
//!
//! The generated function has the host's C calling convention and the signature [`Entry`]: a pointer to one
//! 64-bit word per parameter, each in the canonical form of `Const`, and a pointer to one [`RawBuffer`] per
//! buffer. It returns an exit packed in 64 bits: the kind in the high half, the index of the buffer or
//! site in the low half. Lengths of append buffers are current in their `RawBuffer`s when it returns.

use std::mem::offset_of;
use volvelle_kernel::types::canonical_int;
use volvelle_kernel::{Access, Buffer, BufferMut, Const, Exit, RawParts, Site, Type};

/// The generated function.
pub(crate) type Entry = unsafe extern "C" fn(params: *const u64, buffers: *mut RawBuffer) -> u64;

/// A buffer as generated code sees it.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct RawBuffer {
    /// First element; dangling but aligned where `capacity` is zero.
    data: *mut u8,
    /// Elements that may be loaded or stored.
    len: u64,
    /// Elements that there is room for; `len` unless the buffer is for appending.
    capacity: u64,
}

impl RawBuffer {
    /// Bytes from one buffer to the next.
    pub(crate) const STRIDE: usize = size_of::<RawBuffer>();
    pub(crate) const DATA: usize = offset_of!(RawBuffer, data);
    pub(crate) const LEN: usize = offset_of!(RawBuffer, len);
    pub(crate) const CAPACITY: usize = offset_of!(RawBuffer, capacity);

    /// Describes nothing.
    pub(crate) const NONE: RawBuffer = RawBuffer { data: std::ptr::null_mut(), len: 0, capacity: 0 };

    /// Describes a lent buffer; of an append buffer nothing is kept.
    pub(crate) fn of(buffer: &mut BufferMut<'_>) -> Self {
        let parts = buffer.raw_parts();
        let len = if buffer.access() == Access::Append { 0 } else { parts.len as u64 };
        RawBuffer { data: parts.data, len, capacity: parts.capacity as u64 }
    }

    /// Describes elements that other threads use as well.
    pub(crate) fn shared(parts: &RawParts) -> Self {
        RawBuffer { data: parts.data, len: parts.len as u64, capacity: parts.len as u64 }
    }

    /// Gives an append buffer the length that the run left in this description.
    ///
    /// # Safety
    /// `self` must come from [`RawBuffer::of`] on this very buffer, and generated code must have run on it:
    /// then `len <= capacity`, and the first `len` elements were written by `emit`.
    pub(crate) unsafe fn write_back(&self, buffer: &mut BufferMut<'_>) {
        let len = self.len as usize;
        use BufferMut::*;
        // SAFETY: by the contract above `len` is within the capacity, and the elements are initialised.
        unsafe {
            match buffer {
                AppendU8(v) => v.set_len(len),
                AppendU16(v) => v.set_len(len),
                AppendU32(v) => v.set_len(len),
                AppendU64(v) => v.set_len(len),
                AppendI8(v) => v.set_len(len),
                AppendI16(v) => v.set_len(len),
                AppendI32(v) => v.set_len(len),
                AppendI64(v) => v.set_len(len),
                AppendF32(v) => v.set_len(len),
                AppendF64(v) => v.set_len(len),
                _ => debug_assert_ne!(buffer.access(), Access::Append),
            }
        }
    }
}

/// Kinds of exit, the high half of the returned word.
const DONE: u64 = 0;
const FULL: u64 = 1;
const FAILED: u64 = 2;
const OUT_OF_BOUNDS: u64 = 3;

/// The word that generated code returns for an exit.
pub(crate) fn pack(exit: Exit) -> u64 {
    let (kind, index) = match exit {
        Exit::Done => (DONE, 0),
        Exit::Full(buffer) => (FULL, buffer.0),
        Exit::Failed(site) => (FAILED, site.0),
        Exit::OutOfBounds(buffer) => (OUT_OF_BOUNDS, buffer.0),
    };
    kind << 32 | index as u64
}

/// The exit that a returned word stands for.
pub(crate) fn unpack(word: u64) -> Exit {
    let index = word as u32;
    match word >> 32 {
        DONE => Exit::Done,
        FULL => Exit::Full(Buffer(index)),
        FAILED => Exit::Failed(Site(index)),
        OUT_OF_BOUNDS => Exit::OutOfBounds(Buffer(index)),
        kind => unreachable!("generated code returned an exit of kind {kind}"),
    }
}

/// A parameter as a word: its canonical form, enforced.
pub(crate) fn parameter_word(c: Const) -> u64 {
    match c.ty {
        Type::F32 => c.bits as u32 as u64,
        Type::F64 => c.bits,
        ty => canonical_int(ty, c.bits),
    }
}
