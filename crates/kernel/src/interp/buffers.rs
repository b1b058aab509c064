//! Borrowed buffers as sequences of constants, whatever their element type.

use crate::code::BufferMut;
use crate::entities::Buffer;
use crate::kernel::BufferDecl;
use crate::types::{Const, Type};

/// An element of a buffer, to and from the canonical bits of [`Const`].
pub(crate) trait Element: Copy {
    /// Canonical bits.
    fn to_const_bits(self) -> u64;
    /// Inverse of [`Element::to_const_bits`].
    fn from_const_bits(bits: u64) -> Self;
}

macro_rules! integer_elements {
    ($($int:ty, $through:ty);*) => { $(
        impl Element for $int {
            fn to_const_bits(self) -> u64 {
                self as $through as u64
            }
            fn from_const_bits(bits: u64) -> Self {
                bits as $int
            }
        }
    )* };
}

integer_elements!(u8, u64; u16, u64; u32, u64; u64, u64; i8, i64; i16, i64; i32, i64; i64, i64);

impl Element for f32 {
    fn to_const_bits(self) -> u64 {
        self.to_bits() as u64
    }
    fn from_const_bits(bits: u64) -> Self {
        f32::from_bits(bits as u32)
    }
}

impl Element for f64 {
    fn to_const_bits(self) -> u64 {
        self.to_bits()
    }
    fn from_const_bits(bits: u64) -> Self {
        f64::from_bits(bits)
    }
}

/// A buffer whose element type is forgotten. What its access does not permit is a bug that the verifier
/// excludes, hence a panic.
trait Elements {
    fn len(&self) -> usize;
    fn get(&self, index: usize) -> Option<u64>;
    fn set(&mut self, _index: usize, _bits: u64) -> bool {
        panic!("a store to a buffer that is only read")
    }
    fn push(&mut self, _bits: u64) -> bool {
        panic!("an emit to a buffer that does not grow")
    }
    fn truncate(&mut self, _len: usize) {
        panic!("a truncation of a buffer that does not grow")
    }
}

impl<T: Element> Elements for &[T] {
    fn len(&self) -> usize {
        (**self).len()
    }
    fn get(&self, index: usize) -> Option<u64> {
        (**self).get(index).map(|e| e.to_const_bits())
    }
}

impl<T: Element> Elements for &mut [T] {
    fn len(&self) -> usize {
        (**self).len()
    }
    fn get(&self, index: usize) -> Option<u64> {
        (**self).get(index).map(|e| e.to_const_bits())
    }
    fn set(&mut self, index: usize, bits: u64) -> bool {
        (**self).get_mut(index).map(|e| *e = T::from_const_bits(bits)).is_some()
    }
}

impl<T: Element> Elements for &mut Vec<T> {
    fn len(&self) -> usize {
        (**self).len()
    }
    fn get(&self, index: usize) -> Option<u64> {
        self.as_slice().get(index).map(|e| e.to_const_bits())
    }
    fn set(&mut self, index: usize, bits: u64) -> bool {
        self.as_mut_slice().get_mut(index).map(|e| *e = T::from_const_bits(bits)).is_some()
    }
    fn push(&mut self, bits: u64) -> bool {
        let room = (**self).len() < self.capacity();
        if room {
            (**self).push(T::from_const_bits(bits));
        }
        room
    }
    fn truncate(&mut self, len: usize) {
        (**self).truncate(len);
    }
}

macro_rules! erase {
    ($buffer:expr, $($read:ident $write:ident $append:ident),*) => {
        match $buffer {
            $(BufferMut::$read(b) => b, BufferMut::$write(b) => b, BufferMut::$append(b) => b,)*
        }
    };
}

macro_rules! erased {
    ($buffer:expr) => {
        erase!(
            $buffer,
            ReadU8 U8 AppendU8, ReadU16 U16 AppendU16, ReadU32 U32 AppendU32, ReadU64 U64 AppendU64,
            ReadI8 I8 AppendI8, ReadI16 I16 AppendI16, ReadI32 I32 AppendI32, ReadI64 I64 AppendI64,
            ReadF32 F32 AppendF32, ReadF64 F64 AppendF64
        )
    };
}

fn elements<'b>(buffer: &'b BufferMut<'_>) -> &'b dyn Elements {
    erased!(buffer)
}

fn elements_mut<'a, 'b>(buffer: &'b mut BufferMut<'a>) -> &'b mut (dyn Elements + 'a) {
    erased!(buffer)
}

/// Buffers of a run, by number.
pub(super) trait BufferAccess {
    /// Number of elements.
    fn len(&self, buffer: Buffer) -> u64;
    /// Element `index` as the declared type; nothing beyond the end.
    fn load(&self, buffer: Buffer, decl: &BufferDecl, index: u64) -> Option<Const>;
    /// Overwrites element `index`; false beyond the end.
    fn store(&mut self, buffer: Buffer, index: u64, value: Const) -> bool;
    /// Element `index`, a `u32`, to which one is added, in one go; nothing beyond the end.
    fn take(&mut self, buffer: Buffer, index: u64) -> Option<u32>;
    /// Appends; false where there is no room.
    fn emit(&mut self, buffer: Buffer, value: Const) -> bool;
    /// Drops the elements from index `len` on.
    fn truncate(&mut self, buffer: Buffer, len: u64);
}

/// Buffers without other users.
pub(super) struct Exclusive<'b, 'd>(pub(super) &'b mut [BufferMut<'d>]);

impl BufferAccess for Exclusive<'_, '_> {
    fn len(&self, buffer: Buffer) -> u64 {
        elements(&self.0[buffer.index()]).len() as u64
    }

    fn load(&self, buffer: Buffer, decl: &BufferDecl, index: u64) -> Option<Const> {
        let bits = elements(&self.0[buffer.index()]).get(usize::try_from(index).ok()?)?;
        Some(constant(decl.ty, bits))
    }

    fn store(&mut self, buffer: Buffer, index: u64, value: Const) -> bool {
        let elements = elements_mut(&mut self.0[buffer.index()]);
        usize::try_from(index).is_ok_and(|index| elements.set(index, value.bits))
    }

    fn take(&mut self, buffer: Buffer, index: u64) -> Option<u32> {
        let (elements, index) = (elements_mut(&mut self.0[buffer.index()]), usize::try_from(index).ok()?);
        let taken = elements.get(index)? as u32;
        elements.set(index, taken.wrapping_add(1).into());
        Some(taken)
    }

    fn emit(&mut self, buffer: Buffer, value: Const) -> bool {
        elements_mut(&mut self.0[buffer.index()]).push(value.bits)
    }

    fn truncate(&mut self, buffer: Buffer, len: u64) {
        elements_mut(&mut self.0[buffer.index()]).truncate(usize::try_from(len).unwrap_or(usize::MAX));
    }
}

/// A loaded element as its declared type.
pub(super) fn constant(ty: Type, bits: u64) -> Const {
    Const { ty, bits: if ty == Type::Bool { (bits != 0) as u64 } else { bits } }
}
