//! Rust functions that generated code calls lane by lane: loads and stores, and operations without vector
//! instructions.
//!
//! Generated code stores operands and mask in its frame, saves the registers that it needs afterwards, and
//! calls [`lane_by_lane`] with the frame and a description. The function stores the result in the frame. It
//! returns zero, or the packed exit of a failing lane.

use super::exit::pack;
use super::frame::{BUFFER, Frame, MAX_LANES};
use super::place::{Halves, PRESERVED, Place};
use crate::program::{Class, Conversion, Inst, PerLane, Reg};
use crate::scalar;
use crate::spans::Span;
use volvelle_kernel::{Buffer, BufferDecl, Exit, Type};

/// One call of a program.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Call {
    what: What,
    operands: [i32; 2],
    mask: i32,
    result: i32,
}

#[derive(Clone, Copy, Debug)]
enum What {
    Load { buffer: Buffer, ty: Type },
    Store { buffer: Buffer, ty: Type },
    Operation(PerLane),
    Conversion(Conversion),
}

impl Call {
    /// The call for an instruction, its operands and its mask.
    pub(super) fn of(
        inst: &Inst,
        buffers: &[BufferDecl],
        frame: &Frame,
    ) -> Option<(Self, [Option<Reg>; 2], Option<Reg>)> {
        let element = |buffer: Buffer| buffers[buffer.index()].ty;
        let (what, operands, mask) = match *inst {
            Inst::Load { buffer, index, mask, .. } => {
                (What::Load { buffer, ty: element(buffer) }, [Some(index), None], mask)
            }
            Inst::Store { buffer, index, value, mask } => {
                (What::Store { buffer, ty: element(buffer) }, [Some(index), Some(value)], mask)
            }
            Inst::PerLane { op, a, b, mask, .. } => (What::Operation(op), [Some(a), Some(b)], mask),
            Inst::Convert { op, a, .. } => (What::Conversion(op), [Some(a), None], None),
            _ => return None,
        };
        let call = Call { what, operands: frame.operands, mask: frame.mask, result: frame.result };
        Some((call, operands, mask))
    }
}

/// The machine's registers whose values are needed before and after an instruction, and that calls do not
/// preserve.
pub(super) fn live_across(at: usize, spans: &[Option<Span>], places: &[Halves]) -> Vec<Place> {
    let step = 2 * at as u32;
    let mut live = Vec::new();
    for (span, halves) in spans.iter().zip(places) {
        let Some(span) = span else { continue };
        if span.first <= step && span.last > step {
            let in_register = |p: &&Place| match p {
                Place::General(n) => *n >= PRESERVED,
                other => matches!(other, Place::Vector(_) | Place::Mask(_)),
            };
            live.extend(halves.iter().filter(in_register));
        }
    }
    live
}

/// A view of one lane's operand or result in the frame.
fn offset(class: Class, place: i32, lane: usize) -> usize {
    let size = if class == Class::Double { 8 } else { 4 };
    place as usize + size * lane
}

/// Executes one call.
///
/// # Safety
/// `call` describes a call of the running program. `frame` is the frame of its run: aligned, as long as the
/// program needs, and beginning with the addresses and lengths of the buffers lent to the run.
pub(super) unsafe extern "sysv64" fn lane_by_lane(frame: *mut u8, call: *const Call) -> u64 {
    // SAFETY: the description outlives the run (contract).
    let call = unsafe { &*call };
    // SAFETY: the mask is two bytes within the frame, aligned to eight.
    let mask = unsafe { frame.add(call.mask as usize).cast::<u16>().read() };
    for lane in (0..MAX_LANES).filter(|lane| mask >> lane & 1 != 0) {
        // SAFETY: the contract is that of this function.
        if let Err(exit) = unsafe { one_lane(frame, call, lane) } {
            return pack(exit);
        }
    }
    0
}

/// # Safety
/// As [`lane_by_lane`]; `lane` is one of the run.
unsafe fn one_lane(frame: *mut u8, call: &Call, lane: usize) -> Result<(), Exit> {
    let read = |class: Class, place: i32| {
        let at = offset(class, place, lane);
        // SAFETY: operands are two vectors each within the frame, aligned to 64 bytes; a lane lies in them.
        unsafe {
            if class == Class::Double {
                frame.add(at).cast::<u64>().read()
            } else {
                frame.add(at).cast::<u32>().read().into()
            }
        }
    };
    let write = |class: Class, bits: u64| {
        let at = offset(class, call.result, lane);
        // SAFETY: as for operands.
        unsafe {
            if class == Class::Double {
                frame.add(at).cast::<u64>().write(bits);
            } else {
                frame.add(at).cast::<u32>().write(bits as u32);
            }
        }
    };
    let element = |buffer: Buffer, ty: Type| {
        let index = read(Class::Double, call.operands[0]);
        let at = BUFFER as usize * buffer.index();
        // SAFETY: descriptions of all buffers stand at the start of the frame.
        let (data, len) =
            unsafe { (frame.add(at).cast::<*mut u8>().read(), frame.add(at + 8).cast::<u64>().read()) };
        if index >= len {
            return Err(Exit::OutOfBounds(buffer));
        }
        // SAFETY: the index is below the number of elements, all of which lie in one allocation.
        Ok(unsafe { data.add(index as usize * ty.bytes()) })
    };
    match call.what {
        What::Operation(op) => {
            let class = scalar::class(op);
            let (a, b) = (read(class, call.operands[0]), read(class, call.operands[1]));
            write(class, scalar::apply(op, a, b)?);
        }
        What::Conversion(op) => {
            let (from, to) = op.classes();
            write(to, scalar::convert(op, read(from, call.operands[0])));
        }
        What::Load { buffer, ty } => {
            let place = element(buffer, ty)?;
            // SAFETY: an element of the buffer, whose type is the declared one (checked before the run).
            let bits = unsafe {
                match ty {
                    Type::Bool | Type::U8 => place.read().into(),
                    Type::I8 => place.cast::<i8>().read() as u64,
                    Type::U16 => place.cast::<u16>().read().into(),
                    Type::I16 => place.cast::<i16>().read() as u64,
                    Type::I32 | Type::U32 | Type::F32 => place.cast::<u32>().read().into(),
                    Type::I64 | Type::U64 | Type::F64 => place.cast::<u64>().read(),
                }
            };
            write(Class::of(if ty == Type::Bool { Type::U8 } else { ty }), bits);
        }
        What::Store { buffer, ty } => {
            let place = element(buffer, ty)?;
            let bits = read(Class::of(if ty == Type::Bool { Type::U8 } else { ty }), call.operands[1]);
            // SAFETY: an element of a buffer that is lent to be written (the verifier permits no other store).
            unsafe {
                match ty.bytes() {
                    1 => place.write(bits as u8),
                    2 => place.cast::<u16>().write(bits as u16),
                    4 => place.cast::<u32>().write(bits as u32),
                    _ => place.cast::<u64>().write(bits),
                }
            }
        }
    }
    Ok(())
}
