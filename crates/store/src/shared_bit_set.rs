//! A set of numbers that threads share: a bit for each, in segments that are allocated when first needed.

use crate::memory::zeroed;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// log2 of the words in the first segment; each further one doubles.
const FIRST: u32 = 10;

/// Segments that 2^32 bits need.
const SEGMENTS: usize = 17;

/// A set of numbers below 2^32 that threads share without locks. Members are never removed.
#[derive(Debug, Default)]
pub struct SharedBitSet {
    segments: [OnceLock<Box<[AtomicU64]>>; SEGMENTS],
}

/// The segment of a number, and the word in it.
#[inline]
fn locate(number: u32) -> (usize, usize) {
    let word = (number as usize / 64) + (1 << FIRST);
    let segment = word.ilog2();
    ((segment - FIRST) as usize, word - (1 << segment))
}

impl SharedBitSet {
    /// Whether a number is in the set.
    #[inline]
    pub fn contains(&self, number: u32) -> bool {
        let (segment, word) = locate(number);
        let Some(words) = self.segments[segment].get() else { return false };
        words[word].load(Ordering::Acquire) >> (number % 64) & 1 != 0
    }

    /// Adds a number; `true` if it was not there.
    pub fn insert(&self, number: u32) -> bool {
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
    use super::SharedBitSet;
    use std::collections::BTreeSet;
    use volvelle_random::Random;

    #[test]
    fn agrees_with_an_ordered_set() {
        let mut random = Random(3);
        let (shared, mut model) = (SharedBitSet::default(), BTreeSet::new());
        for _ in 0..20_000 {
            let number = if random.one_in(4) { random.below(3_000_000) } else { random.below(3000) } as u32;
            assert_eq!(shared.contains(number), model.contains(&number));
            assert_eq!(shared.insert(number), model.insert(number));
            assert!(shared.contains(number));
        }
        assert!((0..4_000_000).all(|number| shared.contains(number) == model.contains(&number)));
        assert!(!shared.contains(u32::MAX));
        assert!(shared.insert(u32::MAX) && shared.contains(u32::MAX));
    }

    #[test]
    fn each_number_is_new_to_one_thread() {
        let shared = SharedBitSet::default();
        let insert_all = || (0..100_000).filter(|&number| shared.insert(number)).count();
        let new: usize = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(insert_all)).collect();
            threads.into_iter().map(|thread| thread.join().expect("no panic")).sum()
        });
        assert_eq!(new, 100_000);
    }
}
