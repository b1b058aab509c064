//! The packed form of a state: every field in the fewest bits that hold its range.
//!
//! Fields keep their order and never straddle two words; a field with one value takes no bits. A state of
//! W words is compared and hashed as it is, so unused bits are zero. A Boolean takes one bit.

use crate::ids::FieldId;
use crate::program::Program;
use volvelle_kernel::EntityVec;

/// The position of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// Word of the state.
    pub word: u32,
    /// Lowest bit in the word.
    pub shift: u32,
    /// Number of bits, 0..=64.
    pub bits: u32,
    /// Value of the all-zero bit pattern.
    pub lo: i64,
}

impl Slot {
    /// The bits of the field, in place.
    pub fn mask(self) -> u64 {
        if self.bits == 64 { !0 } else { ((1u64 << self.bits) - 1) << self.shift }
    }
}

/// The packing of a program's state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    slots: EntityVec<FieldId, Slot>,
    words: usize,
    bits: u32,
}

impl Layout {
    /// The layout of a program's fields with their present domains.
    pub fn new(program: &Program) -> Self {
        let (mut word, mut shift, mut total) = (0u32, 0u32, 0u32);
        let mut slots = EntityVec::with_capacity(program.fields.len());
        for field in &program.fields {
            let (lo, hi) = field.domain.bounds();
            let bits = 64 - (hi.wrapping_sub(lo) as u64).leading_zeros();
            if shift + bits > 64 {
                word += 1;
                shift = 0;
            }
            // A field without bits must not lie beyond the end of a word: shifting by 64 is undefined.
            slots.push(Slot { word, shift: if bits == 0 { 0 } else { shift }, bits, lo });
            shift += bits;
            total += bits;
        }
        Layout { slots, words: word as usize + 1, bits: total }
    }

    /// Words of a state, at least 1.
    pub fn words(&self) -> usize {
        self.words
    }

    /// Bits in use.
    pub fn bits(&self) -> u32 {
        self.bits
    }

    /// The position of a field.
    pub fn slot(&self, field: FieldId) -> Slot {
        self.slots[field]
    }

    /// All slots, in field order.
    pub fn slots(&self) -> &EntityVec<FieldId, Slot> {
        &self.slots
    }

    /// The value of a field in a packed state (Booleans 0 or 1).
    pub fn get(&self, state: &[u64], field: FieldId) -> i64 {
        let slot = self.slot(field);
        let raw = (state[slot.word as usize] & slot.mask()) >> slot.shift;
        (raw as i64).wrapping_add(slot.lo)
    }

    /// Writes a field of a packed state. The value must lie in the field's domain.
    pub fn set(&self, state: &mut [u64], field: FieldId, value: i64) {
        let slot = self.slot(field);
        let raw = value.wrapping_sub(slot.lo) as u64;
        let word = &mut state[slot.word as usize];
        *word = (*word & !slot.mask()) | ((raw << slot.shift) & slot.mask());
    }

    /// Packs one value per field.
    pub fn pack(&self, values: &[i64]) -> Vec<u64> {
        let mut state = vec![0; self.words];
        for (field, &value) in self.slots.keys().zip(values) {
            self.set(&mut state, field, value);
        }
        state
    }

    /// The values of all fields.
    pub fn unpack(&self, state: &[u64]) -> Vec<i64> {
        self.slots.keys().map(|field| self.get(state, field)).collect()
    }
}
