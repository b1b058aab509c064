//! Buffers in memory that other threads use as well: elements are loaded and stored one by one, and no slice is made of them.

use super::buffers::{BufferAccess, Element, constant};
use crate::code::RawParts;
use crate::entities::Buffer;
use crate::kernel::BufferDecl;
use crate::types::{Const, Type};
use std::sync::atomic::{AtomicU32, Ordering};

/// Where the buffers of a run lie.
pub(super) struct Shared<'a> {
    /// Invariant: as the contract of [`Shared::new`] says.
    decls: &'a [BufferDecl],
    parts: &'a [RawParts],
}

impl<'a> Shared<'a> {
    /// Buffers of these declarations.
    ///
    /// # Safety
    /// As for [`crate::Code::run_shared`], for as long as this lives.
    pub(super) unsafe fn new(decls: &'a [BufferDecl], parts: &'a [RawParts]) -> Self {
        Shared { decls, parts }
    }

    /// Type and address of an element that is there.
    fn at(&self, buffer: Buffer, index: u64) -> Option<(Type, *mut u8)> {
        let (decl, parts) = (&self.decls[buffer.index()], &self.parts[buffer.index()]);
        let index = usize::try_from(index).ok().filter(|&index| index < parts.len)?;
        // SAFETY: the element is one of those that `data` points to (contract of `new`).
        Some((decl.ty, unsafe { parts.data.add(index * decl.ty.bytes()) }))
    }
}

/// Calls a function for the Rust type of an element.
macro_rules! with_element {
    ($ty:expr, $function:ident, $($argument:expr),*) => {
        match $ty {
            Type::Bool | Type::U8 => $function::<u8>($($argument),*),
            Type::U16 => $function::<u16>($($argument),*),
            Type::U32 => $function::<u32>($($argument),*),
            Type::U64 => $function::<u64>($($argument),*),
            Type::I8 => $function::<i8>($($argument),*),
            Type::I16 => $function::<i16>($($argument),*),
            Type::I32 => $function::<i32>($($argument),*),
            Type::I64 => $function::<i64>($($argument),*),
            Type::F32 => $function::<f32>($($argument),*),
            Type::F64 => $function::<f64>($($argument),*),
        }
    };
}

/// # Safety
/// An element of type `T` is there, aligned, and no thread stores it now.
unsafe fn load<T: Element>(from: *const u8) -> u64 {
    // SAFETY: by the contract above.
    unsafe { from.cast::<T>().read() }.to_const_bits()
}

/// # Safety
/// An element of type `T` is there, aligned, and no other thread loads or stores it now.
unsafe fn store<T: Element>(to: *mut u8, bits: u64) {
    // SAFETY: by the contract above.
    unsafe { to.cast::<T>().write(T::from_const_bits(bits)) }
}

impl BufferAccess for Shared<'_> {
    fn len(&self, buffer: Buffer) -> u64 {
        self.parts[buffer.index()].len as u64
    }

    fn load(&self, buffer: Buffer, _: &BufferDecl, index: u64) -> Option<Const> {
        let (ty, at) = self.at(buffer, index)?;
        // SAFETY: there is an element of this type, and no thread stores it while the kernel runs (contract of `new`).
        Some(constant(ty, unsafe { with_element!(ty, load, at) }))
    }

    fn store(&mut self, buffer: Buffer, index: u64, value: Const) -> bool {
        let Some((ty, at)) = self.at(buffer, index) else { return false };
        // SAFETY: there is an element of this type in a buffer for writing (the kernel is verified), and no other thread
        // touches it while the kernel runs (contract of `new`).
        unsafe { with_element!(ty, store, at, value.bits) };
        true
    }

    fn take(&mut self, buffer: Buffer, index: u64) -> Option<u32> {
        let (_, at) = self.at(buffer, index)?;
        // SAFETY: the element is there, aligned, a `u32` in a buffer for writing (the kernel is verified); lanes that touch
        // it meanwhile do so in this way (contract of `new`).
        Some(unsafe { AtomicU32::from_ptr(at.cast()) }.fetch_add(1, Ordering::Relaxed))
    }

    fn emit(&mut self, _: Buffer, _: Const) -> bool {
        panic!("an emit to a buffer that does not grow")
    }

    fn truncate(&mut self, _: Buffer, _: u64) {
        panic!("a truncation of a buffer that does not grow")
    }
}
