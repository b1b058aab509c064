//! The packed form of a state with processes: records of whole words.
//!
//! The state is a record of the global fields, followed by the slots of every pool. Fields of a record keep their
//! order and never straddle two words; elements of an array take a power of two of bits each, so that an index
//! becomes a word and a shift. A slot begins with its pool's header, and has room for the largest component that it
//! ever held; what is not in use is zero. Instances come and go without moving others.

use crate::network::PoolId;
use crate::program::{ComponentId, Domain, FieldId, Program};

/// Where a field is within its record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
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
    /// Elements.
    pub length: u32,
    /// Elements that share a word; the first word of an array that takes several is all its own.
    pub per_word: u32,
}

impl Place {
    /// The bits of an element, moved to the bottom.
    pub fn mask(self) -> u64 {
        if self.bits == 64 { !0 } else { (1 << self.bits) - 1 }
    }
}

/// How much room the slots have: words of each slot, pool by pool.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Shape {
    /// `slots[pool][slot]`
    pub slots: Vec<Vec<u32>>,
}

impl Shape {
    /// No slots.
    pub fn new(program: &Program) -> Self {
        Shape { slots: vec![Vec::new(); program.network.pools.len()] }
    }

    /// Makes a slot large enough.
    pub fn make_room(&mut self, pool: PoolId, slot: usize, words: u32) {
        let slots = &mut self.slots[pool.index()];
        if slots.len() <= slot {
            slots.resize(slot + 1, 0);
        }
        slots[slot] = slots[slot].max(words);
    }
}

/// The packing of a state with processes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrangement {
    places: Vec<Place>,
    component_words: Vec<u32>,
    shape: Shape,
    bases: Vec<Vec<u32>>,
    words: u32,
}

impl Arrangement {
    /// For slots of this shape.
    pub fn new(program: &Program, shape: Shape) -> Self {
        let mut packer = Packer::new(program);
        let globals = packer.record(program, None, None, 0);
        for (p, pool) in program.network.pools.iter().enumerate() {
            let pool_id = Some(PoolId(p as u32));
            let header = packer.record(program, Some(pool.header), pool_id, 0);
            packer.component_words[pool.header.index()] = header.words();
            for &member in &pool.members {
                let end = packer.continue_record(program, member, pool_id, header);
                packer.component_words[member.index()] = end.words();
            }
        }
        let mut words = globals.words();
        let mut bases = Vec::with_capacity(shape.slots.len());
        for slots in &shape.slots {
            let mut of_pool = Vec::with_capacity(slots.len());
            for &slot in slots {
                of_pool.push(words);
                words += slot;
            }
            bases.push(of_pool);
        }
        let Packer { places, component_words } = packer;
        Arrangement { places, component_words, shape, bases, words: words.max(1) }
    }

    /// Words of a state, at least one.
    pub fn words(&self) -> usize {
        self.words as usize
    }

    /// Where a field is.
    pub fn place(&self, field: FieldId) -> Place {
        self.places[field.index()]
    }

    /// Words that an instance takes, with its pool's header.
    pub fn component_words(&self, component: ComponentId) -> u32 {
        self.component_words[component.index()]
    }

    /// Words of each slot.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Where the slots of a pool begin.
    pub fn bases(&self, pool: PoolId) -> &[u32] {
        &self.bases[pool.index()]
    }

    fn locate(&self, field: FieldId, slot: usize, element: usize) -> (usize, u32, Place) {
        let place = self.place(field);
        let base = place.pool.map_or(0, |pool| self.bases[pool.index()][slot]);
        let (word, shift) = if place.per_word >= place.length {
            (0, element as u32 * place.bits)
        } else {
            (element as u32 / place.per_word, element as u32 % place.per_word * place.bits)
        };
        ((base + place.word + word) as usize, place.shift + shift, place)
    }

    /// Whether a slot of the field's pool exists and has room for the field.
    pub fn has(&self, field: FieldId, slot: usize) -> bool {
        let place = self.place(field);
        let Some(pool) = place.pool else { return true };
        let last = place.word + (place.length.max(1) - 1) / place.per_word.max(1);
        self.shape.slots[pool.index()].get(slot).is_some_and(|&words| last < words)
    }

    /// An element of a field in a packed state; `slot` means nothing for global fields.
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

/// A record in the making.
#[derive(Clone, Copy)]
struct Cursor {
    word: u32,
    shift: u32,
}

impl Cursor {
    fn words(self) -> u32 {
        self.word + u32::from(self.shift > 0)
    }
}

struct Packer {
    places: Vec<Place>,
    component_words: Vec<u32>,
}

impl Packer {
    fn new(program: &Program) -> Self {
        let nowhere = Place { pool: None, word: 0, shift: 0, bits: 0, lo: 0, length: 0, per_word: 1 };
        Packer {
            places: vec![nowhere; program.fields.len()],
            component_words: vec![0; program.components.len()],
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
                self.places[i] = put(&mut cursor, field.domain, field.length, pool);
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
                self.places[i] = put(&mut cursor, field.domain, field.length, pool);
            }
        }
        cursor
    }
}

/// Finds room for a field and moves on.
fn put(cursor: &mut Cursor, domain: Domain, length: u32, pool: Option<PoolId>) -> Place {
    let (lo, hi) = domain.bounds();
    let mut bits = 64 - (hi.wrapping_sub(lo) as u64).leading_zeros();
    if length > 1 && bits > 0 {
        bits = bits.next_power_of_two();
    }
    let per_word = 64u32.checked_div(bits).unwrap_or(length.max(1));
    let total = u64::from(bits) * u64::from(length);
    if u64::from(cursor.shift) + total > 64 {
        cursor.word += 1;
        cursor.shift = 0;
    }
    let place = Place {
        pool,
        word: cursor.word,
        shift: if total == 0 { 0 } else { cursor.shift },
        bits,
        lo,
        length,
        per_word,
    };
    if total <= 64 {
        cursor.shift += total as u32;
        if cursor.shift == 64 {
            cursor.word += 1;
            cursor.shift = 0;
        }
    } else {
        let words = length.div_ceil(per_word);
        // What follows may share the last word.
        let rest = (length - (words - 1) * per_word) * bits;
        cursor.word += words - 1;
        cursor.shift = rest;
        if rest == 64 {
            cursor.word += 1;
            cursor.shift = 0;
        }
    }
    place
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Component, Field, Kind, Origin, Pool};

    fn field(name: &str, lo: i64, hi: i64, length: u32, component: Option<ComponentId>) -> Field {
        Field { name: name.into(), domain: Domain::Int { lo, hi }, component, length, origin: Origin(0) }
    }

    #[test]
    fn fields_do_not_touch_each_other() {
        let mut p = Program::new(Kind::Lts);
        for name in ["header", "a", "b"] {
            p.components.push(Component { name: name.into() });
        }
        let (header, a, b) = (ComponentId(0), ComponentId(1), ComponentId(2));
        p.fields = vec![
            field("count", 0, 255, 1, None),
            field("xs", -5, 5, 100, None),
            field("wide", i64::from(i32::MIN), i64::from(i32::MAX), 1, None),
            field("nothing", 3, 3, 4, None),
            field("location", 0, 37, 1, Some(header)),
            field("flags", 0, 1, 7, Some(a)),
            field("v", 0, 6, 20, Some(a)),
            field("w", -1, 1, 1, Some(b)),
        ];
        let (count, members) = (FieldId(0), vec![a, b]);
        p.network.pools.push(Pool { name: "processes".into(), header, members, count, kind: None });
        let shape = Shape { slots: vec![vec![4, 1, 4]] };
        let arrangement = Arrangement::new(&p, shape);
        assert!(arrangement.component_words(a) <= 4 && arrangement.component_words(b) == 1);
        let mut random = volvelle_random::Random(7);
        let mut state = vec![0; arrangement.words()];
        let mut known = std::collections::HashMap::new();
        for _ in 0..20_000 {
            let f = FieldId(random.below(p.fields.len()) as u32);
            let slot = random.below(3);
            if !arrangement.has(f, slot) || (f.0 == 7 && slot != 1) || (matches!(f.0, 5 | 6) && slot == 1) {
                continue;
            }
            let info = &p.fields[f.index()];
            let element = random.below(info.length as usize);
            let (lo, hi) = info.domain.bounds();
            let value = lo + random.below((hi - lo) as usize + 1) as i64;
            let slot = if info.component.is_none() { 0 } else { slot };
            arrangement.set(&mut state, f, slot, element, value);
            known.insert((f, slot, element), value);
            for (&(f, slot, element), &value) in &known {
                assert_eq!(arrangement.get(&state, f, slot, element), value, "{f:?} {slot} {element}");
            }
        }
    }
}
