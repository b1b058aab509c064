//! Sets of classes of states, each stored once.
//!
//! A set lies within the classes of one valuation, like all sets of a simulation. It is a sorted array, or
//! bits over this range if that takes less memory.

use rustc_hash::FxHashSet;
use std::hash::{Hash, Hasher};
use std::ops::Range;
use std::sync::Arc;

/// A set.
#[derive(Debug)]
pub(super) struct Set {
    /// Different sets have different numbers.
    pub(super) number: u64,
    start: u32,
    len: u32,
    content: Content,
}

#[derive(Debug, PartialEq, Eq, Hash)]
enum Content {
    Sorted(Box<[u32]>),
    /// Bits by class, counted from the start of the range.
    Bits(Box<[u64]>),
}

impl Set {
    /// How many members it has.
    pub(super) fn len(&self) -> usize {
        self.len as usize
    }

    #[inline]
    pub(super) fn contains(&self, class: u32) -> bool {
        match &self.content {
            Content::Sorted(members) => members.binary_search(&class).is_ok(),
            Content::Bits(words) => {
                let place = class.wrapping_sub(self.start) as usize;
                words.get(place / 64).is_some_and(|word| word >> (place % 64) & 1 != 0)
            }
        }
    }

    /// Its members in increasing order.
    pub(super) fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        let (sorted, words): (&[u32], &[u64]) = match &self.content {
            Content::Sorted(members) => (members, &[]),
            Content::Bits(words) => (&[], words),
        };
        let bits = words.iter().enumerate().flat_map(move |(place, &word)| {
            let mut rest = word;
            std::iter::from_fn(move || {
                if rest == 0 {
                    return None;
                }
                let bit = rest.trailing_zeros();
                rest &= rest - 1;
                Some(self.start + 64 * place as u32 + bit)
            })
        });
        sorted.iter().copied().chain(bits)
    }

    fn bytes(&self) -> u64 {
        let content = match &self.content {
            Content::Sorted(members) => 4 * members.len(),
            Content::Bits(words) => 8 * words.len(),
        };
        content as u64 + 96
    }
}

impl PartialEq for Set {
    fn eq(&self, other: &Self) -> bool {
        self.start == other.start && self.content == other.content
    }
}

impl Eq for Set {}

impl Hash for Set {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.start.hash(state);
        self.content.hash(state);
    }
}

/// All sets that are in use.
#[derive(Debug, Default)]
pub(super) struct Sets {
    known: FxHashSet<Arc<Set>>,
    next: u64,
    bytes: u64,
    /// Bytes at which unused sets are dropped next.
    sweep_at: u64,
}

impl Sets {
    /// The set with these members, sorted, all in the range.
    pub(super) fn set(&mut self, range: &Range<u32>, members: &[u32]) -> Arc<Set> {
        let words = range.len().div_ceil(64);
        let content = if 4 * members.len() > 8 * words {
            let mut bits = vec![0u64; words];
            for &member in members {
                let place = (member - range.start) as usize;
                bits[place / 64] |= 1 << (place % 64);
            }
            Content::Bits(bits.into())
        } else {
            Content::Sorted(members.into())
        };
        let set = Set { number: self.next, start: range.start, len: members.len() as u32, content };
        if let Some(known) = self.known.get(&set) {
            return known.clone();
        }
        self.next += 1;
        self.bytes += set.bytes();
        let set = Arc::new(set);
        self.known.insert(set.clone());
        set
    }

    /// Bytes held. First drops unused sets if there may be many.
    pub(super) fn bytes(&mut self) -> u64 {
        if self.bytes > self.sweep_at {
            let mut kept = 0;
            self.known.retain(|set| {
                let used = Arc::strong_count(set) > 1;
                if used {
                    kept += set.bytes();
                }
                used
            });
            self.bytes = kept;
            self.sweep_at = 2 * kept + (1 << 20);
        }
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_sets_are_one() {
        let mut sets = Sets::default();
        let range = 10..300;
        let few = sets.set(&range, &[12, 299]);
        let many: Vec<u32> = (20..200).collect();
        let dense = sets.set(&range, &many);
        assert!(Arc::ptr_eq(&few, &sets.set(&range, &[12, 299])));
        assert!(Arc::ptr_eq(&dense, &sets.set(&range, &many)));
        assert_eq!(few.iter().collect::<Vec<_>>(), [12, 299]);
        assert_eq!(dense.iter().collect::<Vec<_>>(), many);
        assert!(dense.contains(20) && dense.contains(199) && !dense.contains(200) && !dense.contains(5));
        assert!(few.contains(12) && !few.contains(13) && few.len() == 2);
    }
}
