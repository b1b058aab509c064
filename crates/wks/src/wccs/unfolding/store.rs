//! Terms, each stored once: a table with open addressing finds the number of a term that is known.
//!
//! Parts of parallel compositions and choices are sorted lists of pairs of a term and a count in one array, so permutations of parts are
//! the same term. The hash of a list is a sum over its parts: the hash of a successor follows from that of a state without a look at
//! the parts that stay.

use super::{NONE, TooLarge};

/// A part of a composition, and how many times it is there.
pub(super) type Part = (u32, u32);

/// What a term is made with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// `0`
    Null,
    /// A step and a term as it is written: `a` is the number of the whole as it is written.
    Prefix,
    /// Parts `a..a + b`.
    Choice,
    /// Parts `a..a + b`.
    Parallel,
    /// Proposition `a`, term `b`.
    Label,
    /// Context `a`, which is not the identity, around the term `b`, which has none.
    Mapped,
}

/// A term. It does not cross lines of a cache.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
pub(super) struct Entry {
    pub kind: Kind,
    pub a: u32,
    pub b: u32,
    /// The number of its propositions.
    pub valuation: u32,
    /// Where its steps are remembered.
    pub memo: u32,
    /// The first context in which it is a state, and the state.
    pub context: u32,
    pub state: u32,
}

/// Terms by number; `0` is the first.
#[derive(Clone, Debug)]
pub(super) struct Store {
    entries: Vec<Entry>,
    parts: Vec<Part>,
    /// Hashes in the upper half, numbers in the lower; [`EMPTY`] where there is none.
    table: Vec<u64>,
}

const EMPTY: u64 = u64::MAX;

/// Lists whose numbers are wanted.
#[derive(Clone, Debug, Default)]
pub(super) struct Lists {
    /// The parts of the composition whose steps are computed.
    pub whole: Vec<Part>,
    /// Sorted parts of one after the other.
    pub parts: Vec<Part>,
    /// The lists.
    pub lists: Vec<List>,
    /// The numbers of those that were found, [`NONE`] for others.
    pub known: Vec<u32>,
    entries: Vec<(Kind, u32, u32)>,
}

/// A list whose number is wanted.
#[derive(Clone, Copy, Debug)]
pub(super) struct List {
    /// The sum of the shares of its parts.
    pub sum: u64,
    /// The range of its parts.
    pub start: u32,
    pub end: u32,
    /// The step whose target it is.
    pub of: u32,
}

impl Lists {
    /// Removes all lists.
    pub fn clear(&mut self) {
        self.parts.clear();
        self.lists.clear();
    }
}

/// The share of one part in the hash of a list.
#[inline]
pub(super) fn share(term: u32) -> u64 {
    let mixed = (u64::from(term) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed ^ (mixed >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93)
}

#[inline]
fn finish(sum: u64) -> u32 {
    let mixed = (sum ^ (sum >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    (mixed >> 32) as u32
}

impl Store {
    pub fn new() -> Self {
        let mut store = Store { entries: Vec::new(), parts: Vec::new(), table: vec![EMPTY; 1024] };
        store.unary(Kind::Null, 0, 0).expect("the first one fits");
        store
    }

    #[inline]
    pub fn entry(&self, term: u32) -> &Entry {
        &self.entries[term as usize]
    }

    #[inline]
    pub fn entry_mut(&mut self, term: u32) -> &mut Entry {
        &mut self.entries[term as usize]
    }

    /// The parts of a list.
    #[inline]
    pub fn parts(&self, term: u32) -> &[Part] {
        let entry = &self.entries[term as usize];
        &self.parts[entry.a as usize..(entry.a + entry.b) as usize]
    }

    /// The number of a term that is not a list, and whether it is new: then its valuation is still to be set.
    pub fn unary(&mut self, kind: Kind, a: u32, b: u32) -> Result<(u32, bool), TooLarge> {
        let sum = share(a).rotate_left(17) ^ share(b).wrapping_add(kind as u64);
        let hash = finish(sum);
        let mask = self.table.len() - 1;
        let mut slot = hash as usize & mask;
        while self.table[slot] != EMPTY {
            if (self.table[slot] >> 32) as u32 == hash {
                let entry = &self.entries[self.table[slot] as u32 as usize];
                if (entry.kind, entry.a, entry.b) == (kind, a, b) {
                    return Ok((self.table[slot] as u32, false));
                }
            }
            slot = (slot + 1) & mask;
        }
        self.add(kind, a, b, hash, slot)
    }

    /// The number of a list of sorted parts, and whether it is new. `sum` is the sum of the shares of the parts, each times its count.
    #[inline]
    pub fn list(&mut self, kind: Kind, sum: u64, parts: &[Part]) -> Result<(u32, bool), TooLarge> {
        let hash = finish(sum.wrapping_add(kind as u64));
        let mask = self.table.len() - 1;
        let mut slot = hash as usize & mask;
        while self.table[slot] != EMPTY {
            if (self.table[slot] >> 32) as u32 == hash {
                let entry = &self.entries[self.table[slot] as u32 as usize];
                let known = || &self.parts[entry.a as usize..][..entry.b as usize];
                if entry.kind == kind && entry.b as usize == parts.len() && known() == parts {
                    return Ok((self.table[slot] as u32, false));
                }
            }
            slot = (slot + 1) & mask;
        }
        let start = self.parts.len();
        let end = u32::try_from(start + parts.len()).map_err(|_| TooLarge::Terms)?;
        self.parts.extend_from_slice(parts);
        self.add(kind, start as u32, end - start as u32, hash, slot)
    }

    /// Looks up lists among the terms with their hash; where the first one differs, it is left to [`list`](Self::list). Most lists are known,
    /// and far apart in memory: the loads of each loop are independent, so that the processor waits for several of them at once.
    pub fn look_up(&self, kind: Kind, wanted: &mut Lists) {
        let Lists { parts, lists, known, entries, .. } = wanted;
        let mask = self.table.len() - 1;
        known.clear();
        known.extend(lists.iter().map(|list| {
            let hash = finish(list.sum.wrapping_add(kind as u64));
            let mut slot = hash as usize & mask;
            loop {
                match self.table[slot] {
                    EMPTY => break NONE,
                    found if (found >> 32) as u32 == hash => break found as u32,
                    _ => slot = (slot + 1) & mask,
                }
            }
        }));
        entries.clear();
        entries.extend(known.iter().map(|&number| match number {
            NONE => (Kind::Null, 0, 0),
            _ => {
                let Entry { kind, a, b, .. } = self.entries[number as usize];
                (kind, a, b)
            }
        }));
        for ((known, &(found, a, b)), &List { start, end, .. }) in
            known.iter_mut().zip(&*entries).zip(&*lists)
        {
            let is_same = found == kind
                && b == end - start
                && self.parts[a as usize..(a + b) as usize] == parts[start as usize..end as usize];
            if !is_same {
                *known = NONE;
            }
        }
    }

    fn add(&mut self, kind: Kind, a: u32, b: u32, hash: u32, slot: usize) -> Result<(u32, bool), TooLarge> {
        let number = u32::try_from(self.entries.len()).ok().filter(|&n| n != NONE).ok_or(TooLarge::Terms)?;
        self.table[slot] = u64::from(hash) << 32 | u64::from(number);
        self.entries.push(Entry { kind, a, b, valuation: 0, memo: NONE, context: NONE, state: NONE });
        if self.entries.len() * 8 > self.table.len() * 5 {
            self.grow();
        }
        Ok((number, true))
    }

    fn grow(&mut self) {
        let mask = 2 * self.table.len() - 1;
        let mut table = vec![EMPTY; mask + 1];
        for &known in self.table.iter().filter(|&&known| known != EMPTY) {
            let mut slot = (known >> 32) as usize & mask;
            while table[slot] != EMPTY {
                slot = (slot + 1) & mask;
            }
            table[slot] = known;
        }
        self.table = table;
    }

    pub fn bytes(&self) -> usize {
        size_of::<Entry>() * self.entries.capacity()
            + size_of::<Part>() * self.parts.capacity()
            + 8 * self.table.capacity()
    }
}
