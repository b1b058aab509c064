//! The packed form of a state with processes.
//!
//! The state is a record of the global fields, followed by the slots of every pool. Fields of a record keep
//! their order and never straddle two words. Elements of an array take a power of two of bits each, so that
//! an index becomes a word and a shift. A slot begins with its pool's header, and has room for the largest
//! component that it ever held; unused bits are zero. When instances are created or end, others keep their
//! position.
//!
//! Records of at most 32 bits take 8, 16 or 32 bits, aligned to that size, so that many small processes share
//! a word. Larger ones take whole words. Fewer words mean less copying, comparing and hashing for each step.

use crate::domain::Domain;
use crate::ids::{ComponentId, FieldId, PoolId};
use crate::program::Program;
use volvelle_kernel::EntityVec;

/// Bits of a word.
const WORD: u32 = u64::BITS;

/// The position of a field within its record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldLayout {
    /// The pool whose slots hold the record; `None` for the record of global fields.
    pub pool: Option<PoolId>,
    /// Word of the record, of the first element.
    pub word: u32,
    /// Lowest bit in the word, of the first element.
    pub shift: u32,
    /// Bits of an element.
    pub bits: u32,
    /// Value of the all-zero pattern.
    pub lo: i64,
    /// Number of elements.
    pub length: u32,
    /// Number of elements per word.
    pub per_word: u32,
    /// For an array of several words: the number of elements that would fit before the first one in its first
    /// word. (`shift` is 0.)
    pub start: u32,
}

impl FieldLayout {
    /// Whether all elements are in the same word, from `shift` on.
    pub fn is_in_one_word(self) -> bool {
        self.bits == 0 || self.shift + self.bits * self.length <= 64 && self.start == 0
    }

    /// The bits of an element, moved to the bottom.
    pub fn mask(self) -> u64 {
        if self.bits == 64 { !0 } else { (1 << self.bits) - 1 }
    }
}

/// The sizes of all slots in bits, pool by pool.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Shape {
    /// By pool and slot.
    pub slots: EntityVec<PoolId, Vec<u32>>,
}

impl Shape {
    /// No slots.
    pub fn new(program: &Program) -> Self {
        Shape { slots: EntityVec::filled(Vec::new(), program.network.pools.len()) }
    }

    /// Enlarges a slot to at least `bits` bits.
    pub fn make_room(&mut self, pool: PoolId, slot: usize, bits: u32) {
        let slots = &mut self.slots[pool];
        if slots.len() <= slot {
            slots.resize(slot + 1, 0);
        }
        slots[slot] = slots[slot].max(bits);
    }
}

/// The packing of a state with processes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NetworkLayout {
    places: EntityVec<FieldId, FieldLayout>,
    component_bits: EntityVec<ComponentId, u32>,
    shape: Shape,
    bases: EntityVec<PoolId, Vec<u32>>,
    words: u32,
}

impl NetworkLayout {
    /// The layout for slots of this shape.
    pub fn new(program: &Program, shape: Shape) -> Self {
        let mut packer = Packer::new(program);
        let globals = packer.record(program, None, None, 0);
        for (p, pool) in program.network.pools.iter().enumerate() {
            let pool_id = Some(PoolId(p as u32));
            let header = packer.record(program, Some(pool.header), pool_id, 0);
            packer.component_bits[pool.header] = header.room();
            for &member in &pool.members {
                let end = packer.continue_record(program, member, pool_id, header);
                packer.component_bits[member] = end.room();
            }
        }
        let mut end = globals.bits();
        let mut bases = EntityVec::with_capacity(shape.slots.len());
        for slots in shape.slots.values() {
            let mut of_pool = Vec::with_capacity(slots.len());
            for &bits in slots {
                end = end.next_multiple_of(bits.clamp(1, WORD));
                of_pool.push(end);
                end += bits;
            }
            bases.push(of_pool);
        }
        let Packer { places, component_bits } = packer;
        NetworkLayout { places, component_bits, shape, bases, words: end.div_ceil(WORD).max(1) }
    }

    /// Words of a state, at least one.
    pub fn words(&self) -> usize {
        self.words as usize
    }

    /// Where a field is.
    pub fn place(&self, field: FieldId) -> FieldLayout {
        self.places[field]
    }

    /// Bits of an instance with its pool's header: 8, 16, 32, or a number of whole words.
    pub fn component_bits(&self, component: ComponentId) -> u32 {
        self.component_bits[component]
    }

    /// Whether the records of a component always begin at the lowest bit of a word.
    pub fn is_word_aligned(&self, pool: PoolId, component: Option<ComponentId>) -> bool {
        component.is_some_and(|c| self.component_bits(c) >= WORD)
            || self.bases(pool).iter().all(|base| base % WORD == 0)
    }

    /// The word and the lowest bit where a record begins, its number of words, and the mask of its bits in
    /// each.
    fn record(&self, pool: PoolId, slot: usize, component: ComponentId) -> (usize, u32, usize, u64) {
        let (base, bits) = (self.bases(pool)[slot], self.component_bits(component));
        let mask = if bits >= WORD { u64::MAX } else { (1 << bits) - 1 };
        ((base / WORD) as usize, base % WORD, bits.div_ceil(WORD) as usize, mask)
    }

    /// Appends the contents of an instance, with its pool's header. Equal contents give equal words.
    pub fn read_record(
        &self,
        state: &[u64],
        pool: PoolId,
        slot: usize,
        component: ComponentId,
        out: &mut Vec<u64>,
    ) {
        let (word, shift, words, mask) = self.record(pool, slot, component);
        out.extend(state[word..word + words].iter().map(|word| word >> shift & mask));
    }

    /// Compares the contents of two instances of a component, in the order of the words of
    /// [`NetworkLayout::read_record`].
    pub fn compare_records(
        &self,
        state: &[u64],
        pool: PoolId,
        component: ComponentId,
        a: usize,
        b: usize,
    ) -> std::cmp::Ordering {
        let words = |slot: usize| {
            let (word, shift, words, mask) = self.record(pool, slot, component);
            state[word..word + words].iter().map(move |word| word >> shift & mask)
        };
        words(a).cmp(words(b))
    }

    /// Copies an instance from one state to another slot of another state.
    pub fn copy_record(
        &self,
        before: &[u64],
        after: &mut [u64],
        pool: PoolId,
        component: ComponentId,
        from: usize,
        to: usize,
    ) {
        let (word, shift, words, mask) = self.record(pool, from, component);
        let (to_word, to_shift, ..) = self.record(pool, to, component);
        for (before, after) in before[word..word + words].iter().zip(&mut after[to_word..to_word + words]) {
            *after = *after & !(mask << to_shift) | (before >> shift & mask) << to_shift;
        }
    }

    /// Bits of each slot.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The bit where each slot of a pool begins.
    pub fn bases(&self, pool: PoolId) -> &[u32] {
        &self.bases[pool]
    }

    fn locate(&self, field: FieldId, slot: usize, element: usize) -> (usize, u32, FieldLayout) {
        let place = self.place(field);
        let base = place.pool.map_or(0, |pool| self.bases[pool][slot]);
        let (word, shift) = if place.is_in_one_word() {
            (0, element as u32 * place.bits)
        } else {
            let at = place.start + element as u32;
            (at / place.per_word, at % place.per_word * place.bits)
        };
        // Only a record that begins at the lowest bit of a word straddles words.
        ((base / WORD + place.word + word) as usize, base % WORD + place.shift + shift, place)
    }

    /// Whether a slot of the field's pool exists and has room for the field.
    pub fn has(&self, field: FieldId, slot: usize) -> bool {
        let place = self.place(field);
        let Some(pool) = place.pool else { return true };
        let last = match place.is_in_one_word() {
            true => place.word * WORD + place.shift + place.bits * place.length,
            false => (place.word + (place.start + place.length - 1) / place.per_word + 1) * WORD,
        };
        self.shape.slots[pool].get(slot).is_some_and(|&bits| last <= bits)
    }

    /// An element of a field in a packed state; `slot` is ignored for global fields.
    pub fn get(&self, state: &[u64], field: FieldId, slot: usize, element: usize) -> i64 {
        let (word, shift, place) = self.locate(field, slot, element);
        if place.bits == 0 {
            return place.lo;
        }
        ((state[word] >> shift & place.mask()) as i64).wrapping_add(place.lo)
    }

    /// Writes an element of a field of a packed state. The value must lie in the field's domain.
    pub fn set(&self, state: &mut [u64], field: FieldId, slot: usize, element: usize, value: i64) {
        let (word, shift, place) = self.locate(field, slot, element);
        if place.bits == 0 {
            return;
        }
        let raw = value.wrapping_sub(place.lo) as u64 & place.mask();
        state[word] = state[word] & !(place.mask() << shift) | raw << shift;
    }
}

/// A record under construction.
#[derive(Clone, Copy)]
struct Cursor {
    word: u32,
    shift: u32,
}

impl Cursor {
    fn bits(self) -> u32 {
        self.word * WORD + self.shift
    }

    /// Bits of a record that ends here.
    fn room(self) -> u32 {
        match self.bits() {
            0 => 0,
            bits @ 1..=WORD => bits.next_power_of_two().max(8),
            bits => bits.next_multiple_of(WORD),
        }
    }
}

struct Packer {
    places: EntityVec<FieldId, FieldLayout>,
    component_bits: EntityVec<ComponentId, u32>,
}

impl Packer {
    fn new(program: &Program) -> Self {
        let nowhere =
            FieldLayout { pool: None, word: 0, shift: 0, bits: 0, lo: 0, length: 0, per_word: 1, start: 0 };
        Packer {
            places: EntityVec::filled(nowhere, program.fields.len()),
            component_bits: EntityVec::filled(0, program.components.len()),
        }
    }

    fn record(
        &mut self,
        program: &Program,
        component: Option<ComponentId>,
        pool: Option<PoolId>,
        word: u32,
    ) -> Cursor {
        let mut cursor = Cursor { word, shift: 0 };
        for (i, field) in program.fields.iter().enumerate() {
            if field.component == component {
                self.places[FieldId::from_index(i)] = put(&mut cursor, field.domain, field.length, pool);
            }
        }
        cursor
    }

    fn continue_record(
        &mut self,
        program: &Program,
        component: ComponentId,
        pool: Option<PoolId>,
        mut cursor: Cursor,
    ) -> Cursor {
        for (i, field) in program.fields.iter().enumerate() {
            if field.component == Some(component) {
                self.places[FieldId::from_index(i)] = put(&mut cursor, field.domain, field.length, pool);
            }
        }
        cursor
    }
}

/// Finds room for a field and moves on.
fn put(cursor: &mut Cursor, domain: Domain, length: u32, pool: Option<PoolId>) -> FieldLayout {
    let (lo, hi) = domain.bounds();
    let mut bits = 64 - (hi.wrapping_sub(lo) as u64).leading_zeros();
    if length > 1 && bits > 0 {
        bits = bits.next_power_of_two();
    }
    let place = |word, shift, start| FieldLayout {
        pool,
        word,
        shift,
        bits,
        lo,
        length,
        per_word: 64u32.checked_div(bits).unwrap_or(length.max(1)),
        start,
    };
    let total = u64::from(bits) * u64::from(length);
    if total == 0 {
        return place(cursor.word, 0, 0);
    }
    if u64::from(cursor.shift) + total > 64 && total <= 64 {
        cursor.word += 1;
        cursor.shift = 0;
    }
    if total <= 64 {
        let found = place(cursor.word, cursor.shift, 0);
        cursor.shift += total as u32;
        cursor.word += cursor.shift / 64;
        cursor.shift %= 64;
        return found;
    }
    // Elements may share the present word if whole elements fit there.
    let start = cursor.shift.div_ceil(bits);
    let per_word = 64 / bits;
    let first = cursor.word + start / per_word;
    let start = start % per_word;
    let end = start + length;
    cursor.word = first + end / per_word;
    cursor.shift = end % per_word * bits;
    place(first, 0, start)
}
