//! The state of a run: vectors of all lanes, counters, and the lent buffers.

use crate::program::{Class, Inst, Reg};
use volvelle_kernel::{Buffer, Const, RawParts, Type};

/// Lanes of a run.
pub(crate) const LANES: usize = 128;

/// A word per lane. Masks are words as well: all ones or zero.
pub(super) type Words = [u32; LANES];

/// A double per lane.
pub(super) type Doubles = [u64; LANES];

/// The memory of the buffers' elements. Other threads may use the same memory.
pub(super) struct Buffers<'b> {
    /// Invariant: as the contract of [`Buffers::new`] says.
    elements: &'b [Type],
    parts: &'b [RawParts],
}

impl<'b> Buffers<'b> {
    /// Buffers with elements of these types.
    ///
    /// # Safety
    /// As for `Code::run_shared`, for as long as this lives.
    pub(super) unsafe fn new(elements: &'b [Type], parts: &'b [RawParts]) -> Self {
        Buffers { elements, parts }
    }

    /// The type of a buffer's elements, and their memory.
    pub(super) fn get(&self, buffer: Buffer) -> (Type, &'b RawParts) {
        (self.elements[buffer.index()], &self.parts[buffer.index()])
    }

    /// Number of elements.
    pub(super) fn len(&self, buffer: Buffer) -> u64 {
        self.parts[buffer.index()].len as u64
    }
}

/// The state of a run.
#[allow(clippy::vec_box)] // places are exchanged with the spare ones, by their addresses
pub(super) struct Machine<'b> {
    pub(super) words: Vec<Box<Words>>,
    pub(super) doubles: Vec<Box<Doubles>>,
    /// Results are written here and then swapped with their slot, so that a result may overwrite an operand.
    pub(super) spare_words: Box<Words>,
    pub(super) spare_doubles: Box<Doubles>,
    /// Rounds that are left.
    pub(super) counters: Vec<u64>,
    pub(super) buffers: Buffers<'b>,
}

impl Machine<'_> {
    pub(super) fn any(&self, mask: Reg) -> bool {
        self.words[mask.index()].iter().fold(0, |any, m| any | m) != 0
    }

    /// Swaps the computed value into its slot.
    pub(super) fn keep(&mut self, class: Class, dst: Reg) {
        match class {
            Class::Double => std::mem::swap(&mut self.spare_doubles, &mut self.doubles[dst.index()]),
            _ => std::mem::swap(&mut self.spare_words, &mut self.words[dst.index()]),
        }
    }

    pub(super) fn invariant(&mut self, class: Class, inst: Inst, first: u64, params: &[Const]) {
        let (dst, bits) = match inst {
            Inst::Constant { dst, bits } if class == Class::Mask => (dst, 0u64.wrapping_sub(bits)),
            Inst::Constant { dst, bits } => (dst, bits),
            Inst::Param { dst, index: 0 } => (dst, first),
            Inst::Param { dst, index } => (dst, params[index as usize].bits),
            Inst::Len { dst, buffer } => (dst, self.buffers.len(buffer)),
            Inst::Lane { dst } => {
                let lanes = &mut self.doubles[dst.index()];
                lanes.iter_mut().enumerate().for_each(|(i, lane)| *lane = first.wrapping_add(i as u64));
                return;
            }
            _ => unreachable!("no invariant: {inst:?}"),
        };
        match class {
            Class::Double => *self.doubles[dst.index()] = [bits; LANES],
            _ => *self.words[dst.index()] = [bits as u32; LANES],
        }
    }

    /// Sets a counter; returns `false` if there is no iteration.
    pub(super) fn count(&mut self, counter: usize, from: Reg, to: Reg, signed: bool, class: Class) -> bool {
        let (from, to) = match class {
            Class::Double => (self.doubles[from.index()][0], self.doubles[to.index()][0]),
            _ => {
                let (from, to) = (self.words[from.index()][0], self.words[to.index()][0]);
                if signed { (from as i32 as u64, to as i32 as u64) } else { (u64::from(from), u64::from(to)) }
            }
        };
        let below = if signed { (from as i64) < to as i64 } else { from < to };
        self.counters[counter] = if below { to.wrapping_sub(from) } else { 0 };
        below
    }
}
