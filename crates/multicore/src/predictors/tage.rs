//! TAGE: a base of counters, and tagged tables over histories of geometric lengths; the longest match predicts.
//!
//! A. Seznec, P. Michaud, *A case for (partially) tagged geometric history length branch prediction*, JILP 8,
//! 2006. The random choice and the ageing of that text are left out, so that the same stream gives the same
//! counts.

use super::counters::Counters;
use super::history::low;
use super::rule::{Moment, Rule};

/// Most tagged tables.
pub(super) const MOST_TABLES: usize = 16;

/// Sizes of TAGE.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TageShape {
    /// Lengths of history of the tagged tables, growing; at most 256 each.
    pub lengths: Vec<u32>,
    /// The number of entries of a tagged table is two to the power of this.
    pub table_bits: u32,
    /// Bits of a tag, 2 to 16.
    pub tag_bits: u32,
    /// The number of counters of the base is two to the power of this.
    pub base_bits: u32,
}

impl TageShape {
    /// Four tables of 512 entries.
    pub fn usual() -> Self {
        TageShape { lengths: vec![4, 8, 16, 32], table_bits: 9, tag_bits: 8, base_bits: 12 }
    }

    /// Eight tables, up to 200 outcomes: the part of TAGE-SC-L.
    pub fn long() -> Self {
        TageShape {
            lengths: vec![4, 7, 12, 22, 38, 66, 115, 200],
            table_bits: 9,
            tag_bits: 10,
            base_bits: 12,
        }
    }

    /// Bits of all tables: next to each tag, three bits of the counter and two of usefulness.
    pub fn bits(&self) -> u64 {
        let tagged = (self.lengths.len() as u64 * u64::from(self.tag_bits + 5)) << self.table_bits;
        tagged + (2 << self.base_bits)
    }
}

/// An entry of a tagged table.
#[derive(Clone, Copy, Debug)]
struct Entry {
    /// [`NONE`] if the entry is empty.
    tag: u32,
    /// -4 to 3; predicts "taken" from 0 on.
    counter: i8,
    /// 0 to 3.
    useful: u8,
}

/// No tag.
const NONE: u32 = u32::MAX;

/// The tables.
#[derive(Clone, Debug)]
pub(super) struct Tage {
    shape: TageShape,
    base: Counters,
    /// All tagged tables, one after the other.
    entries: Vec<Entry>,
}

/// The result of a look-up: where matching entries are, and where new ones would go.
pub(super) struct Found {
    places: [u32; MOST_TABLES],
    tags: [u32; MOST_TABLES],
    /// The longest table with a match.
    provider: Option<usize>,
    /// Its prediction, or that of the base.
    pub predicted: bool,
    /// The prediction without it.
    alternative: bool,
    /// Whether the prediction is sure: its counter is saturated, or no entry matched.
    pub is_sure: bool,
}

impl Tage {
    pub fn new(shape: &TageShape) -> Self {
        let none = Entry { tag: NONE, counter: 0, useful: 0 };
        Tage {
            shape: shape.clone(),
            base: Counters::new(shape.base_bits),
            entries: vec![none; shape.lengths.len() << shape.table_bits],
        }
    }

    #[inline]
    pub fn look(&self, at: &Moment) -> Found {
        let TageShape { table_bits, tag_bits, .. } = self.shape;
        let (address, history) = (at.address, &at.history);
        let base = self.base.predict(address);
        let mut found = Found {
            places: [0; MOST_TABLES],
            tags: [0; MOST_TABLES],
            provider: None,
            predicted: base,
            alternative: base,
            is_sure: true,
        };
        let hash = address ^ address >> table_bits;
        for (table, &length) in self.shape.lengths.iter().enumerate() {
            let index = (hash ^ history.fold(length, table_bits)) & low(table_bits);
            let tag = address ^ history.fold(length, tag_bits) ^ history.fold(length, tag_bits - 1) << 1;
            found.places[table] = (table << table_bits) as u32 + index as u32;
            found.tags[table] = (tag & low(tag_bits)) as u32;
            let entry = &self.entries[found.places[table] as usize];
            if entry.tag == found.tags[table] {
                found.alternative = found.predicted;
                found.predicted = entry.counter >= 0;
                found.is_sure = matches!(entry.counter, -4 | 3);
                found.provider = Some(table);
            }
        }
        found
    }

    #[inline]
    pub fn learn(&mut self, at: &Moment, found: &Found, taken: bool, predicted: bool) {
        let tables = self.shape.lengths.len();
        match found.provider {
            Some(table) => {
                let entry = &mut self.entries[found.places[table] as usize];
                if found.predicted != found.alternative {
                    entry.useful = super::counters::moved(entry.useful, found.predicted == taken);
                }
                entry.counter = if taken { (entry.counter + 1).min(3) } else { (entry.counter - 1).max(-4) };
            }
            None => self.base.train(at.address, taken),
        }
        let longer = found.provider.map_or(0, |table| table + 1)..tables;
        if predicted == taken || longer.is_empty() {
            return;
        }
        for table in longer.clone() {
            let entry = &mut self.entries[found.places[table] as usize];
            if entry.useful == 0 {
                *entry = Entry { tag: found.tags[table], counter: if taken { 0 } else { -1 }, useful: 0 };
                return;
            }
        }
        for table in longer {
            self.entries[found.places[table] as usize].useful -= 1;
        }
    }
}

impl Rule for Tage {
    #[inline]
    fn predict(&self, at: &Moment) -> bool {
        self.look(at).predicted
    }

    #[inline]
    fn train(&mut self, at: &Moment, taken: bool, predicted: bool) {
        let found = self.look(at);
        self.learn(at, &found, taken, predicted);
    }

    #[inline]
    fn step(&mut self, at: &Moment, taken: bool) -> bool {
        let found = self.look(at);
        self.learn(at, &found, taken, found.predicted);
        found.predicted
    }
}
