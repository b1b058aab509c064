//! Loads and stores of the vectorised interpreter.

use super::{LANES, Machine};
use crate::program::{Class, Reg};
use volvelle_kernel::{Buffer, BufferMut, Exit};

/// Number of elements.
pub(super) fn len(buffer: &BufferMut<'_>) -> u64 {
    use BufferMut::*;
    let len = match buffer {
        ReadU8(b) => b.len(),
        ReadU16(b) => b.len(),
        ReadU32(b) => b.len(),
        ReadU64(b) => b.len(),
        ReadI8(b) => b.len(),
        ReadI16(b) => b.len(),
        ReadI32(b) => b.len(),
        ReadI64(b) => b.len(),
        ReadF32(b) => b.len(),
        ReadF64(b) => b.len(),
        U8(b) => b.len(),
        U16(b) => b.len(),
        U32(b) => b.len(),
        U64(b) => b.len(),
        I8(b) => b.len(),
        I16(b) => b.len(),
        I32(b) => b.len(),
        I64(b) => b.len(),
        F32(b) => b.len(),
        F64(b) => b.len(),
        _ => unreachable!("vector code has no buffers that grow"),
    };
    len as u64
}

/// Elements of the lanes of a mask, as canonical bits; false where one is beyond the end.
fn gather<T: Copy, R>(
    from: &[T],
    index: &[u64; LANES],
    active: impl Fn(usize) -> bool,
    to: &mut [R; LANES],
    bits: impl Fn(T) -> R,
) -> bool {
    let mut within = true;
    for (i, to) in to.iter_mut().enumerate() {
        if active(i) {
            match usize::try_from(index[i]).ok().and_then(|at| from.get(at)) {
                Some(&element) => *to = bits(element),
                None => within = false,
            }
        }
    }
    within
}

fn scatter<T: Copy, R: Copy>(
    to: &mut [T],
    index: &[u64; LANES],
    active: impl Fn(usize) -> bool,
    from: &[R; LANES],
    element: impl Fn(R) -> T,
) -> bool {
    let mut within = true;
    for (i, &value) in from.iter().enumerate() {
        if active(i) {
            match usize::try_from(index[i]).ok().and_then(|at| to.get_mut(at)) {
                Some(place) => *place = element(value),
                None => within = false,
            }
        }
    }
    within
}

impl Machine<'_, '_> {
    pub(super) fn load(
        &mut self,
        class: Class,
        dst: Reg,
        buffer: Buffer,
        index: Reg,
        mask: Option<Reg>,
    ) -> Result<(), Exit> {
        let index = &self.doubles[index.index()];
        let mask = mask.map(|mask| &self.words[mask.index()]);
        let active = |i: usize| mask.is_none_or(|mask| mask[i] != 0);
        let (words, doubles) = (&mut *self.spare_words, &mut *self.spare_doubles);
        use BufferMut::*;
        let within = match &self.buffers[buffer.index()] {
            ReadU8(b) => gather(b, index, active, words, u32::from),
            ReadU16(b) => gather(b, index, active, words, u32::from),
            ReadU32(b) => gather(b, index, active, words, |e| e),
            ReadU64(b) => gather(b, index, active, doubles, |e| e),
            ReadI8(b) => gather(b, index, active, words, |e| e as u32),
            ReadI16(b) => gather(b, index, active, words, |e| e as u32),
            ReadI32(b) => gather(b, index, active, words, |e| e as u32),
            ReadI64(b) => gather(b, index, active, doubles, |e| e as u64),
            ReadF32(b) => gather(b, index, active, words, f32::to_bits),
            ReadF64(b) => gather(b, index, active, doubles, f64::to_bits),
            U8(b) => gather(b, index, active, words, u32::from),
            U16(b) => gather(b, index, active, words, u32::from),
            U32(b) => gather(b, index, active, words, |e| e),
            U64(b) => gather(b, index, active, doubles, |e| e),
            I8(b) => gather(b, index, active, words, |e| e as u32),
            I16(b) => gather(b, index, active, words, |e| e as u32),
            I32(b) => gather(b, index, active, words, |e| e as u32),
            I64(b) => gather(b, index, active, doubles, |e| e as u64),
            F32(b) => gather(b, index, active, words, f32::to_bits),
            F64(b) => gather(b, index, active, doubles, f64::to_bits),
            _ => unreachable!("vector code has no buffers that grow"),
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
        use BufferMut::*;
        let within = if class == Class::Double {
            let from = &self.doubles[value.index()];
            match &mut self.buffers[buffer.index()] {
                U64(b) => scatter(b, index, active, from, |v| v),
                I64(b) => scatter(b, index, active, from, |v| v as i64),
                F64(b) => scatter(b, index, active, from, f64::from_bits),
                _ => unreachable!("a store of 64 bits to another buffer"),
            }
        } else {
            let from = &self.words[value.index()];
            match &mut self.buffers[buffer.index()] {
                U8(b) => scatter(b, index, active, from, |v| v as u8),
                U16(b) => scatter(b, index, active, from, |v| v as u16),
                U32(b) => scatter(b, index, active, from, |v| v),
                I8(b) => scatter(b, index, active, from, |v| v as i8),
                I16(b) => scatter(b, index, active, from, |v| v as i16),
                I32(b) => scatter(b, index, active, from, |v| v as i32),
                F32(b) => scatter(b, index, active, from, f32::from_bits),
                _ => unreachable!("a store of 32 bits to another buffer"),
            }
        };
        if within { Ok(()) } else { Err(Exit::OutOfBounds(buffer)) }
    }
}
