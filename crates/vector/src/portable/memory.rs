//! Loads and stores of the vectorised interpreter.

use super::machine::{LANES, Machine};
use crate::program::{Class, Reg};
use volvelle_kernel::{Buffer, Exit, RawParts, Type};

/// Loads the elements for the lanes of a mask, as canonical bits; returns `false` if an index is outside the
/// buffer.
///
/// # Safety
/// The elements are of type `T`, and no other thread stores those of active lanes now.
unsafe fn gather<T: Copy, R>(
    from: &RawParts,
    index: &[u64; LANES],
    active: impl Fn(usize) -> bool,
    to: &mut [R; LANES],
    bits: impl Fn(T) -> R,
) -> bool {
    let mut within = true;
    let data = from.data.cast_const().cast::<T>();
    for (i, to) in to.iter_mut().enumerate() {
        if active(i) {
            match usize::try_from(index[i]).ok().filter(|&at| at < from.len) {
                // SAFETY: the element is there, and may be loaded by the contract above.
                Some(at) => *to = bits(unsafe { data.add(at).read() }),
                None => within = false,
            }
        }
    }
    within
}

/// Stores the values of the lanes of a mask; returns `false` if an index is outside the buffer.
///
/// # Safety
/// The elements are of type `T` and may be stored; no other thread accesses those of active lanes now.
unsafe fn scatter<T: Copy, R: Copy>(
    to: &RawParts,
    index: &[u64; LANES],
    active: impl Fn(usize) -> bool,
    from: &[R; LANES],
    element: impl Fn(R) -> T,
) -> bool {
    let mut within = true;
    let data = to.data.cast::<T>();
    for (i, &value) in from.iter().enumerate() {
        if active(i) {
            match usize::try_from(index[i]).ok().filter(|&at| at < to.len) {
                // SAFETY: the element is there, and may be stored by the contract above.
                Some(at) => unsafe { data.add(at).write(element(value)) },
                None => within = false,
            }
        }
    }
    within
}

impl Machine<'_> {
    pub(super) fn load(
        &mut self,
        class: Class,
        dst: Reg,
        buffer: Buffer,
        index: Reg,
        mask: Option<Reg>,
    ) -> Result<(), Exit> {
        let index = *self.doubles[index.index()];
        self.load_at(class, dst, buffer, &index, mask)
    }

    /// The same element for all lanes.
    pub(super) fn load_uniform(
        &mut self,
        class: Class,
        dst: Reg,
        buffer: Buffer,
        base: Reg,
        offset: i32,
    ) -> Result<(), Exit> {
        let index = self.doubles[base.index()][0].wrapping_add_signed(offset.into());
        self.load_at(class, dst, buffer, &[index; LANES], None)
    }

    fn load_at(
        &mut self,
        class: Class,
        dst: Reg,
        buffer: Buffer,
        index: &[u64; LANES],
        mask: Option<Reg>,
    ) -> Result<(), Exit> {
        let mask = mask.map(|mask| &self.words[mask.index()]);
        let active = |i: usize| mask.is_none_or(|mask| mask[i] != 0);
        let (words, doubles) = (&mut *self.spare_words, &mut *self.spare_doubles);
        let (ty, b) = self.buffers.get(buffer);
        // SAFETY: the type of the elements is the declared one, and no other thread stores what the kernel loads (invariant of
        // `Buffers`).
        let within = unsafe {
            match ty {
                Type::Bool | Type::U8 => gather(b, index, active, words, |e: u8| u32::from(e)),
                Type::U16 => gather(b, index, active, words, |e: u16| u32::from(e)),
                Type::U32 => gather(b, index, active, words, |e: u32| e),
                Type::U64 => gather(b, index, active, doubles, |e: u64| e),
                Type::I8 => gather(b, index, active, words, |e: i8| e as u32),
                Type::I16 => gather(b, index, active, words, |e: i16| e as u32),
                Type::I32 => gather(b, index, active, words, |e: i32| e as u32),
                Type::I64 => gather(b, index, active, doubles, |e: i64| e as u64),
                Type::F32 => gather(b, index, active, words, f32::to_bits),
                Type::F64 => gather(b, index, active, doubles, f64::to_bits),
            }
        };
        if !within {
            return Err(Exit::OutOfBounds(buffer));
        }
        self.keep(class, dst);
        Ok(())
    }

    pub(super) fn store(
        &mut self,
        class: Class,
        buffer: Buffer,
        index: Reg,
        value: Reg,
        mask: Option<Reg>,
    ) -> Result<(), Exit> {
        let index = &self.doubles[index.index()];
        let mask = mask.map(|mask| &self.words[mask.index()]);
        let active = |i: usize| mask.is_none_or(|mask| mask[i] != 0);
        let (ty, b) = self.buffers.get(buffer);
        let (words, doubles) = (&self.words, &self.doubles);
        // SAFETY: the type of the elements is the declared one, the buffer is for writing (the kernel is verified), and
        // no other thread touches what it stores (invariant of `Buffers`).
        let within = unsafe {
            if class == Class::Double {
                let from = &doubles[value.index()];
                match ty {
                    Type::I64 => scatter(b, index, active, from, |v| v as i64),
                    Type::F64 => scatter(b, index, active, from, f64::from_bits),
                    Type::U64 => scatter(b, index, active, from, |v| v),
                    _ => unreachable!("a store of 64 bits to another buffer"),
                }
            } else {
                let from = &words[value.index()];
                match ty {
                    Type::Bool | Type::U8 => scatter(b, index, active, from, |v| v as u8),
                    Type::U16 => scatter(b, index, active, from, |v| v as u16),
                    Type::I8 => scatter(b, index, active, from, |v| v as i8),
                    Type::I16 => scatter(b, index, active, from, |v| v as i16),
                    Type::I32 => scatter(b, index, active, from, |v| v as i32),
                    Type::F32 => scatter(b, index, active, from, f32::from_bits),
                    Type::U32 => scatter(b, index, active, from, |v| v),
                    _ => unreachable!("a store of 32 bits to another buffer"),
                }
            }
        };
        if within { Ok(()) } else { Err(Exit::OutOfBounds(buffer)) }
    }
}
