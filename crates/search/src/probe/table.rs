//! The states that a probe has visited, as fingerprints with flags.
//!
//! Two states with the same fingerprint are taken for one, so that a probe may omit states; what it finds is replayed.

use volvelle_store::hash;

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
    len: usize,
    shift: u32,
}

/// log2 of the slots of an empty table.
const FIRST: u32 = 12;

impl Table {
    /// An empty table.
    pub fn new() -> Self {
        Table { slots: vec![0; 1 << FIRST], len: 0, shift: 64 - FIRST }
    }

    /// The fingerprint of a state; never 0.
    pub fn fingerprint(state: &[u64]) -> u64 {
        let number = hash(state);
        let number = (number ^ number >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let number = number ^ number >> 29;
        (number & !FLAGS).max(FLAGS + 1)
    }

    /// The place of a fingerprint, which is inserted without flags where it is missing. Places are valid until the next
    /// call.
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

    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        8 * self.slots.capacity() as u64
    }

    fn enlarge(&mut self) {
        let size = 2 * self.slots.len();
        let old = std::mem::replace(&mut self.slots, vec![0; size]);
        self.shift -= 1;
        for entry in old.into_iter().filter(|&entry| entry != 0) {
            let mut at = (entry >> self.shift) as usize;
            while self.slots[at] != 0 {
                at = (at + 1) & (size - 1);
            }
            self.slots[at] = entry;
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
}
