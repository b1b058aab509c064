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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use volvelle_model::{Choice, Component, ComponentId, Domain, Field, Origin, Program};

    /// Components with the same fields, which follow each other or alternate; and fields that belong to none.
    fn program(domains: &[i64], components: usize, in_turns: bool) -> (Program, Vec<Orbit>) {
        let mut program = Program::new(Choice::Nondeterministic);
        let mut blocks = vec![Vec::new(); components];
        let mut add = |hi: i64, component: Option<usize>| {
            let domain = Domain::Int { lo: -1, hi: hi - 1 };
            let component = component.map(|c| ComponentId(c as u32));
            program.fields.push(Field {
                name: String::new(),
                domain,
                component,
                length: 1,
                origin: Origin(0),
            });
            FieldId(program.fields.len() as u32 - 1)
        };
        add(5, None);
        if in_turns {
            for &hi in domains {
                (0..components).for_each(|c| blocks[c].push(add(hi, Some(c))));
            }
        } else {
            (0..components).for_each(|c| blocks[c].extend(domains.iter().map(|&hi| add(hi, Some(c)))));
        }
        let number = add(1000, None);
        program.components = vec![Component { name: String::new() }; components];
        // The first component has the number 0, the second 10, and so on.
        let numbers = vec![(number, (0..components as i64).map(|c| 10 * c).collect())];
        let components = (0..components as u32).map(ComponentId).collect();
        (program, vec![Orbit { components, blocks, numbers }])
    }

    proptest! {
        /// The canonical form has the blocks of the state in another order, sorted, and is the same for all
        /// permutations of the state.
        #[test]
        fn permuted_states_have_one_canonical_form(
            domains in prop::collection::vec(prop_oneof![0i64..4, 100i64..10_000, Just(i64::MAX - 2)], 1..5),
            components in 2usize..6,
            in_turns in any::<bool>(),
            seed in any::<u64>(),
        ) {
            let (program, orbits) = program(&domains, components, in_turns);
            let layout = Layout::new(&program);
            let mut random = seed | 1;
            let mut next = |hi: i64| {
                random ^= random << 13;
                random ^= random >> 7;
                random ^= random << 17;
                // Small numbers, so that blocks are often alike.
                (random % (hi as u64 + 1).min(3)) as i64 - 1
            };
            let mut values: Vec<i64> = program.fields.iter().map(|f| next(f.domain.bounds().1 + 1)).collect();
            // The last field means a component, or none.
            let last = values.len() - 1;
            values[last] = if seed % 3 == 0 { 5 } else { 10 * (seed % components as u64) as i64 };
            let mut canonicalizer = Canonicalizer::of(&orbits, &layout).expect("an orbit");
            let mut canonical = layout.pack(&values);
            canonicalizer.canonicalize(&mut canonical);
            let found = layout.unpack(&canonical);
            let blocks = |values: &[i64]| -> Vec<Vec<i64>> {
                let of = |(at, block): (usize, &Vec<FieldId>)| {
                    let means = i64::from(values[last] == 10 * at as i64);
                    block.iter().map(|f| values[f.index()]).chain([means]).collect()
                };
                orbits[0].blocks.iter().enumerate().map(of).collect()
            };
            let (before, after) = (blocks(&values), blocks(&found));
            let mut sorted = before.clone();
            sorted.sort();
            let mut resorted = after.clone();
            resorted.sort();
            prop_assert_eq!(&sorted, &resorted);
            prop_assert_eq!(values[0], found[0]);
            prop_assert_eq!(values[last] == 5, found[last] == 5);
            let mut turned = values.clone();
            for (at, block) in orbits[0].blocks.iter().enumerate() {
                let from = &before[(at + seed as usize % components) % components];
                block.iter().zip(from).for_each(|(f, &value)| turned[f.index()] = value);
                if from.last() == Some(&1) {
                    turned[last] = 10 * at as i64;
                }
            }
            let mut turned = layout.pack(&turned);
            canonicalizer.canonicalize(&mut turned);
            prop_assert_eq!(turned, canonical);
        }
    }
}
