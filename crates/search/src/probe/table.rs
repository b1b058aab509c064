//! The states that a probe has visited, as fingerprints with flags.
//!
//! States with equal fingerprints are taken for one, so a probe may omit states. What it finds is replayed.

use volvelle_store::{advise_huge, hash, prefetch};

/// On the stack of the (first) search.
pub const ON_STACK: u64 = 1;
/// Visited by the first search.
pub const VISITED: u64 = 2;
/// Visited by a second search.
pub const RED: u64 = 4;
/// Accepting.
pub const ACCEPTING: u64 = 8;
/// Expanded in full, although a part had precedence.
pub const FULL: u64 = 16;

const FLAGS: u64 = 31;

/// Open addressing over fingerprints, whose low bits are the flags.
pub struct Table {
    slots: Vec<u64>,
    /// The least depth at which each was visited, if depths are kept.
    depths: Option<Vec<u32>>,
    len: usize,
    shift: u32,
}

/// log2 of the slots of an empty table.
const FIRST: u32 = 12;

impl Table {
    /// An empty table.
    pub fn new() -> Self {
        Table { slots: vec![0; 1 << FIRST], depths: None, len: 0, shift: 64 - FIRST }
    }

    /// An empty table that keeps depths.
    pub fn with_depths() -> Self {
        Table { depths: Some(vec![0; 1 << FIRST]), ..Table::new() }
    }

    /// The fingerprint of a state; never 0.
    pub fn fingerprint(state: &[u64]) -> u64 {
        let number = hash(state);
        let number = (number ^ number >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let number = number ^ number >> 29;
        (number & !FLAGS).max(FLAGS + 1)
    }

    /// Prefetches the place of a fingerprint.
    pub fn prefetch(&self, fingerprint: u64) {
        prefetch(&self.slots[(fingerprint >> self.shift) as usize]);
    }

    /// The position of a fingerprint, which is inserted without flags if it is missing. Positions are valid
    /// until the next call.
    pub fn place(&mut self, fingerprint: u64) -> usize {
        if self.len * 3 >= self.slots.len() * 2 {
            self.enlarge();
        }
        let mask = self.slots.len() - 1;
        let mut at = (fingerprint >> self.shift) as usize;
        loop {
            match self.slots[at] {
                0 => {
                    self.slots[at] = fingerprint;
                    self.len += 1;
                    return at;
                }
                known if known & !FLAGS == fingerprint => return at,
                _ => at = (at + 1) & mask,
            }
        }
    }

    /// The flags at a place.
    pub fn flags(&self, place: usize) -> u64 {
        self.slots[place] & FLAGS
    }

    /// Sets flags.
    pub fn set(&mut self, place: usize, flags: u64) {
        self.slots[place] |= flags;
    }

    /// Removes flags.
    pub fn unset(&mut self, place: usize, flags: u64) {
        self.slots[place] &= !flags;
    }

    /// Whether a state was visited before at most at this depth; if depths are not kept, at any depth.
    pub fn is_done(&self, place: usize, depth: u32) -> bool {
        self.slots[place] & VISITED != 0 && self.depths.as_ref().is_none_or(|depths| depths[place] <= depth)
    }

    /// Keeps the depth of a visit.
    pub fn set_depth(&mut self, place: usize, depth: u32) {
        if let Some(depths) = &mut self.depths {
            depths[place] = depth;
        }
    }

    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        8 * self.slots.capacity() as u64
            + self.depths.as_ref().map_or(0, |depths| 4 * depths.capacity() as u64)
    }

    /// Limit of additional bytes for `more` states.
    pub fn growth_within(&self, more: usize) -> u64 {
        if (self.len + more) * 3 >= self.slots.len() * 2 { 2 * self.bytes() } else { 0 }
    }

    fn enlarge(&mut self) {
        let size = 2 * self.slots.len();
        let slots = vec![0; size];
        advise_huge(slots.as_ptr().cast(), size_of_val(&*slots));
        let old = std::mem::replace(&mut self.slots, slots);
        let depths = self.depths.as_mut().map(|depths| std::mem::replace(depths, vec![0; size]));
        self.shift -= 1;
        for (from, entry) in old.into_iter().enumerate().filter(|&(_, entry)| entry != 0) {
            let mut at = (entry >> self.shift) as usize;
            while self.slots[at] != 0 {
                at = (at + 1) & (size - 1);
            }
            self.slots[at] = entry;
            if let (Some(old), Some(new)) = (&depths, &mut self.depths) {
                new[at] = old[from];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_found_again_with_their_flags() {
        let mut table = Table::new();
        let fingerprint = |n: u64| Table::fingerprint(&[n, n / 3]);
        for n in 0..50_000 {
            let place = table.place(fingerprint(n));
            assert_eq!(table.flags(place), 0);
            table.set(place, if n % 2 == 0 { VISITED | ON_STACK } else { VISITED });
        }
        for n in (0..50_000).step_by(4) {
            let place = table.place(fingerprint(n));
            table.unset(place, ON_STACK);
        }
        for n in 0..50_000 {
            let place = table.place(fingerprint(n));
            assert_eq!(table.flags(place), if n % 4 == 2 { VISITED | ON_STACK } else { VISITED });
        }
        assert_eq!(table.len, 50_000);
    }

    #[test]
    fn depths_are_kept_where_they_matter() {
        let mut table = Table::with_depths();
        let fingerprint = |n: u32| Table::fingerprint(&[u64::from(n)]);
        for n in 0..20_000 {
            let place = table.place(fingerprint(n));
            assert!(!table.is_done(place, n));
            table.set(place, VISITED);
            table.set_depth(place, n / 2);
        }
        for n in 1..20_000 {
            let place = table.place(fingerprint(n));
            assert!(table.is_done(place, n / 2) && table.is_done(place, n));
            assert_eq!(table.is_done(place, (n / 2).saturating_sub(1)), n / 2 == 0);
        }
    }
}
