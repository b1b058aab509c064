//! Canonical states: one state stands for all that differ by a permutation of interchangeable components.
//!
//! The key of a component consists of the bits of the fields that move with it. Then follows one bit per
//! field that holds numbers of components: whether the field means this one. Sorting the components of an
//! orbit by their keys gives the canonical state. Keys are compared as unsigned numbers, with the first field
//! of a block as the leading part.

use std::ops::Range;
use volvelle_model::layout::Slot;
use volvelle_model::symmetry::Orbit;
use volvelle_model::{FieldId, Layout};

/// Adjacent bits of a word, of fields that are adjacent in every block.
#[derive(Clone, Copy, Debug)]
struct Piece {
    word: u32,
    shift: u32,
    bits: u32,
}

impl Piece {
    fn mask(self) -> u64 {
        !0 >> (64 - self.bits)
    }

    fn get(self, state: &[u64]) -> u64 {
        state[self.word as usize] >> self.shift & self.mask()
    }

    fn set(self, state: &mut [u64], value: u64) {
        let word = &mut state[self.word as usize];
        *word = *word & !(self.mask() << self.shift) | value << self.shift;
    }
}

/// An orbit in a layout.
#[derive(Clone, Debug)]
struct PackedOrbit {
    /// By component: the pieces of its key.
    blocks: Vec<Vec<Piece>>,
    /// By word of the key: the number of pieces in it.
    key: Vec<usize>,
    /// Fields that hold numbers of components: one bit each, at the end of the last word of the key.
    numbers: Vec<Numbers>,
}

/// A field that holds numbers of components.
#[derive(Clone, Debug)]
struct Numbers {
    place: Piece,
    /// By component: its number, as it is packed.
    of: Vec<u64>,
}

/// Puts states into their canonical form.
#[derive(Clone, Debug)]
pub struct Canonicalizer {
    words: usize,
    orbits: Vec<PackedOrbit>,
    keys: Vec<u64>,
    order: Vec<usize>,
}

impl Canonicalizer {
    /// For states in a layout; `None` if nothing can be permuted.
    pub fn of(orbits: &[Orbit], layout: &Layout) -> Option<Self> {
        let packed = orbits.iter().map(|orbit| PackedOrbit::new(orbit, layout)).collect();
        let (keys, order) = (Vec::new(), Vec::new());
        (!orbits.is_empty()).then(|| Canonicalizer { words: layout.words(), orbits: packed, keys, order })
    }

    /// Replaces concatenated states by their canonical states.
    pub fn canonicalize(&mut self, states: &mut [u64]) {
        for state in states.chunks_exact_mut(self.words) {
            for orbit in &self.orbits {
                match orbit.key.len() {
                    0 => {}
                    1 => orbit.sort_numbers(state, &mut self.keys),
                    _ => orbit.sort(state, &mut self.keys, &mut self.order),
                }
            }
        }
    }
}

impl PackedOrbit {
    fn new(orbit: &Orbit, layout: &Layout) -> Self {
        let slots = |block: &[FieldId]| -> Vec<Slot> { block.iter().map(|&f| layout.slot(f)).collect() };
        let slots: Vec<Vec<Slot>> = orbit.blocks.iter().map(|block| slots(block)).collect();
        let (mut blocks, mut key) = (vec![Vec::<Piece>::new(); slots.len()], Vec::new());
        let mut used = 64;
        for at in 0..slots.first().map_or(0, Vec::len) {
            let bits = slots[0][at].bits;
            if bits == 0 {
                continue;
            }
            // Fields that are adjacent in all blocks form one piece.
            let continues = |(block, slots): (&Vec<Piece>, &Vec<Slot>)| {
                block.last().is_some_and(|piece: &Piece| {
                    piece.word == slots[at].word && piece.shift + piece.bits == slots[at].shift
                })
            };
            let has_room = used + bits <= 64;
            if has_room && blocks.iter().zip(&slots).all(continues) {
                blocks.iter_mut().for_each(|block| block.last_mut().expect("it has one").bits += bits);
                used += bits;
                continue;
            }
            match key.last_mut() {
                Some(pieces) if has_room => {
                    *pieces += 1;
                    used += bits;
                }
                _ => {
                    key.push(1);
                    used = bits;
                }
            }
            for (block, slots) in blocks.iter_mut().zip(&slots) {
                block.push(Piece { word: slots[at].word, shift: slots[at].shift, bits });
            }
        }
        let packed = |(field, of): &(FieldId, Vec<i64>)| {
            let slot = layout.slot(*field);
            let place = Piece { word: slot.word, shift: slot.shift, bits: slot.bits };
            Numbers { place, of: of.iter().map(|value| value.wrapping_sub(slot.lo) as u64).collect() }
        };
        let numbers: Vec<Numbers> = orbit.numbers.iter().map(packed).collect();
        if used + numbers.len() as u32 > 64 && !numbers.is_empty() {
            key.push(0);
        }
        PackedOrbit { blocks, key, numbers }
    }

    /// One word of the key of a component, composed of some pieces.
    fn word(&self, state: &[u64], block: usize, word: usize, pieces: Range<usize>) -> u64 {
        // A piece of a whole word is the only one, so nothing is shifted out.
        let mut key = 0;
        for piece in &self.blocks[block][pieces] {
            key = key << (piece.bits & 63) | piece.get(state);
        }
        if word + 1 == self.key.len() {
            for numbers in &self.numbers {
                key = key << 1 | u64::from(numbers.place.get(state) == numbers.of[block]);
            }
        }
        key
    }

    /// Writes one word of a key.
    fn set_word(&self, state: &mut [u64], block: usize, word: usize, pieces: Range<usize>, mut key: u64) {
        if word + 1 == self.key.len() {
            for numbers in self.numbers.iter().rev() {
                if key & 1 == 1 {
                    numbers.place.set(state, numbers.of[block]);
                }
                key >>= 1;
            }
        }
        for piece in self.blocks[block][pieces].iter().rev() {
            piece.set(state, key & piece.mask());
            key = key.checked_shr(piece.bits).unwrap_or(0);
        }
    }

    /// Sorts components with keys of one word.
    fn sort_numbers(&self, state: &mut [u64], keys: &mut Vec<u64>) {
        let all = 0..self.key[0];
        keys.clear();
        keys.extend((0..self.blocks.len()).map(|block| self.word(state, block, 0, all.clone())));
        if keys.is_sorted() {
            return;
        }
        keys.sort_unstable();
        for (block, &key) in keys.iter().enumerate() {
            self.set_word(state, block, 0, all.clone(), key);
        }
    }

    /// Sorts components with keys of several words.
    fn sort(&self, state: &mut [u64], keys: &mut Vec<u64>, order: &mut Vec<usize>) {
        let width = self.key.len();
        keys.clear();
        for block in 0..self.blocks.len() {
            let mut from = 0;
            for (word, &pieces) in self.key.iter().enumerate() {
                keys.push(self.word(state, block, word, from..from + pieces));
                from += pieces;
            }
        }
        order.clear();
        order.extend(0..self.blocks.len());
        let key = |block: usize| &keys[block * width..(block + 1) * width];
        if order.is_sorted_by_key(|&block| key(block)) {
            return;
        }
        order.sort_unstable_by_key(|&block| key(block));
        for (block, &from) in order.iter().enumerate() {
            let mut first = 0;
            for (word, &pieces) in self.key.iter().enumerate() {
                self.set_word(state, block, word, first..first + pieces, keys[from * width + word]);
                first += pieces;
            }
        }
    }
}
