//! Dependences through memory, byte by byte.

use super::REACH;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Words that are kept before those out of reach are forgotten.
const MOST_WORDS: usize = 1 << 16;
/// Loads of a word that are kept before those out of reach are forgotten.
const MANY_LOADS: usize = 32;

/// Multiplies by the golden ratio (D. E. Knuth, *The Art of Computer Programming*, volume 3, section 6.4). Addresses are not chosen by an
/// attacker of this program, but by the program of its user.
#[derive(Clone, Copy, Debug, Default)]
struct Golden(u64);

impl Hasher for Golden {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(byte.into());
        }
    }

    #[inline]
    fn write_u64(&mut self, word: u64) {
        let mixed = (self.0 ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = mixed ^ mixed >> 32;
    }
}

/// Eight bytes of memory.
#[derive(Clone, Debug, Default)]
struct Word {
    /// For each byte the number of its last store, from 1; 0 if there is none.
    stores: [u64; 8],
    /// Loads since, by number from 1, with the bytes that no store has changed since.
    loads: Vec<(u64, u8)>,
}

/// Accesses within reach.
#[derive(Clone, Debug)]
pub(super) struct Memory {
    words: HashMap<u64, Word, BuildHasherDefault<Golden>>,
    /// The number of the present instruction.
    now: u64,
    /// The number of words at which those out of reach are forgotten.
    limit: usize,
}

impl Default for Memory {
    fn default() -> Self {
        Memory { words: HashMap::default(), now: 1, limit: MOST_WORDS }
    }
}

impl Memory {
    /// Goes to the next instruction.
    #[inline]
    pub fn advance(&mut self) {
        self.now += 1;
    }

    /// Notes an access of the present instruction, and adds to `producers` how far before it those are on which it waits.
    #[inline]
    pub fn access(&mut self, address: u64, size: u8, is_store: bool, producers: &mut Vec<u32>) {
        let last = address.saturating_add(u64::from(size) - 1);
        let first_producer = producers.len();
        for word in address >> 3..=last >> 3 {
            let from = address.max(word << 3) & 7;
            let to = if word == last >> 3 { last & 7 } else { 7 };
            let mask = (0xff_u8 >> (7 - (to - from))) << from;
            self.touch(word, mask, is_store, producers, first_producer);
        }
        if self.words.len() > self.limit {
            self.forget();
        }
    }

    #[inline]
    fn touch(&mut self, word: u64, mask: u8, is_store: bool, producers: &mut Vec<u32>, first: usize) {
        let now = self.now;
        let found = self.words.entry(word).or_default();
        let mut last = 0;
        let mut rest = mask;
        while rest != 0 {
            let store = &mut found.stores[rest.trailing_zeros() as usize];
            // The bytes of a store follow each other.
            if *store != last && *store != 0 && now - *store < REACH && *store != now {
                let distance = (now - *store) as u32;
                if !producers[first..].contains(&distance) {
                    producers.push(distance);
                }
            }
            last = *store;
            if is_store {
                *store = now;
            }
            rest &= rest - 1;
        }
        if !is_store {
            if found.loads.len() >= MANY_LOADS && found.loads.len().is_power_of_two() {
                found.loads.retain(|&(load, _)| now - load < REACH);
            }
            if found.loads.last().is_none_or(|&(load, _)| load != now) {
                found.loads.push((now, mask));
            }
            return;
        }
        found.loads.retain_mut(|(load, bytes)| {
            if *bytes & mask != 0 && now - *load < REACH && *load != now {
                let distance = (now - *load) as u32;
                if !producers[first..].contains(&distance) {
                    producers.push(distance);
                }
            }
            *bytes &= !mask;
            *bytes != 0 && now - *load < REACH
        });
    }

    #[cold]
    fn forget(&mut self) {
        let now = self.now;
        self.words.retain(|_, word| {
            let store = word.stores.iter().copied().max().unwrap_or(0);
            let load = word.loads.last().map_or(0, |&(load, _)| load);
            now - store.max(load) < REACH
        });
        self.limit = MOST_WORDS.max(2 * self.words.len());
    }

    /// Bytes held, about.
    pub fn bytes(&self) -> u64 {
        (self.words.capacity() * (size_of::<(u64, Word)>() + 1)) as u64
    }
}
