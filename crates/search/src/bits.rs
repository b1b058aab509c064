//! Sets of state numbers: a bit for each.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use volvelle_store::zeroed;

/// A set of one worker's own.
#[derive(Debug, Default)]
pub struct Bits(Vec<u64>);

impl Bits {
    /// Whether a number is in the set.
    #[inline]
    pub fn has(&self, number: u32) -> bool {
        self.0.get(number as usize / 64).is_some_and(|word| word >> (number % 64) & 1 != 0)
    }

    /// Adds a number.
    pub fn add(&mut self, number: u32) {
        let at = number as usize / 64;
        if at >= self.0.len() {
            self.0.resize((at + 1).next_multiple_of(64).max(self.0.len() * 3 / 2), 0);
        }
        self.0[at] |= 1 << (number % 64);
    }

    /// Takes a number away.
    pub fn remove(&mut self, number: u32) {
        if let Some(word) = self.0.get_mut(number as usize / 64) {
            *word &= !(1 << (number % 64));
        }
    }

    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        8 * self.0.capacity() as u64
    }
}

/// log2 of the words in the first segment; each further one doubles.
const FIRST: u32 = 10;

/// Segments that 2^32 bits need.
const SEGMENTS: usize = 17;

/// A set that workers share. It only grows.
#[derive(Debug, Default)]
pub struct SharedBits {
    segments: [OnceLock<Box<[AtomicU64]>>; SEGMENTS],
}

/// The segment of a number, and the word in it.
#[inline]
fn locate(number: u32) -> (usize, usize) {
    let word = (number as usize / 64) + (1 << FIRST);
    let segment = word.ilog2();
    ((segment - FIRST) as usize, word - (1 << segment))
}

impl SharedBits {
    /// Whether a number is in the set.
    #[inline]
    pub fn has(&self, number: u32) -> bool {
        let (segment, word) = locate(number);
        let Some(words) = self.segments[segment].get() else { return false };
        words[word].load(Ordering::Acquire) >> (number % 64) & 1 != 0
    }

    /// Adds a number; `true` if it was not there.
    pub fn add(&self, number: u32) -> bool {
        let (segment, word) = locate(number);
        let words = self.segments[segment].get_or_init(|| zeroed(1 << (FIRST as usize + segment)));
        let bit = 1 << (number % 64);
        words[word].fetch_or(bit, Ordering::AcqRel) & bit == 0
    }

    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        self.segments.iter().filter_map(OnceLock::get).map(|words| 8 * words.len() as u64).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use volvelle_random::Random;

    #[test]
    fn sets_of_numbers() {
        let mut random = Random(3);
        let (mut own, shared, mut model) = (Bits::default(), SharedBits::default(), BTreeSet::new());
        for _ in 0..20_000 {
            let number = if random.one_in(4) { random.below(3_000_000) } else { random.below(3000) } as u32;
            if random.one_in(3) {
                own.remove(number);
                model.remove(&number);
            } else {
                own.add(number);
                model.insert(number);
            }
            let new = !shared.has(number);
            assert_eq!(shared.add(number), new);
            assert!(shared.has(number));
            assert_eq!(own.has(number), model.contains(&number));
        }
        assert!((0..4_000_000).all(|number| own.has(number) == model.contains(&number)));
        assert!(!shared.has(u32::MAX));
        assert!(shared.add(u32::MAX) && shared.has(u32::MAX));
    }
}
