//! Dependences through memory, byte by byte.

use crate::limits::MOST_IN_FLIGHT;

/// Instructions further apart are never in flight together.
pub(super) const REACH: u64 = MOST_IN_FLIGHT as u64;

/// Chains of accesses are found by a hash of the word with this many bits.
const HEAD_BITS: u32 = 12;
/// Words that an access of at most eight bytes touches.
const USUAL_WORDS: usize = 2;

/// An access to a word of eight bytes.
#[derive(Clone, Copy, Debug, Default)]
struct Touch {
    word: u64,
    /// The number of its instruction, from 1.
    number: u64,
    /// Distance to the previous touch in its chain.
    back: u32,
    /// The bytes of the word.
    bytes: u8,
}

/// Touches within reach, the most recent first: for each hash of words one chain of stores and one of loads.
#[derive(Clone, Debug)]
pub(super) struct Memory {
    /// The touches within reach, by number modulo the length, which is a power of two.
    touches: Vec<Touch>,
    /// The number of the next touch; 0 stands for none.
    count: u64,
    /// By hash the number of the last store, and of the last load.
    heads: Vec<[u64; 2]>,
    /// The number of the present instruction.
    now: u64,
}

impl Default for Memory {
    fn default() -> Self {
        let length = REACH as usize * USUAL_WORDS;
        Memory {
            touches: vec![Touch::default(); length],
            count: 1,
            heads: vec![[0; 2]; 1 << HEAD_BITS],
            now: 1,
        }
    }
}

/// Distances of an access, without repetitions.
struct Producers<'p> {
    all: &'p mut Vec<u32>,
    first: usize,
    now: u64,
}

impl Producers<'_> {
    #[inline]
    fn add(&mut self, number: u64) {
        let distance = (self.now - number) as u32;
        if distance > 0 && !self.all[self.first..].contains(&distance) {
            self.all.push(distance);
        }
    }
}

const STORES: usize = 0;
const LOADS: usize = 1;

impl Memory {
    /// Goes to the next instruction.
    #[inline]
    pub fn advance(&mut self) {
        self.now += 1;
    }

    /// Records an access of the current instruction. Appends to `producers` the distances to the instructions
    /// on which it waits.
    #[inline]
    pub fn access(&mut self, address: u64, size: u8, is_store: bool, producers: &mut Vec<u32>) {
        let last = address.saturating_add(u64::from(size) - 1);
        let words = address >> 3..=last >> 3;
        if (words.end() - words.start()) as usize >= USUAL_WORDS {
            self.make_room((words.end() - words.start()) as usize + 1);
        }
        let first = producers.len();
        let mut producers = Producers { all: producers, first, now: self.now };
        for word in words {
            let from = address.max(word << 3) & 7;
            let to = if word == last >> 3 { last & 7 } else { 7 };
            let bytes = (0xff_u8 >> (7 - (to - from))) << from;
            let hash = (word.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - HEAD_BITS)) as usize;
            match is_store {
                true => self.before_store(hash, word, bytes, &mut producers),
                false => self.before_load(hash, word, bytes, &mut producers),
            }
            let kind = if is_store { STORES } else { LOADS };
            let head = &mut self.heads[hash][kind];
            let back = u32::try_from(self.count - *head).unwrap_or(u32::MAX);
            *head = self.count;
            let mask = self.touches.len() - 1;
            self.touches[self.count as usize & mask] = Touch { word, number: self.now, back, bytes };
            self.count += 1;
        }
    }

    /// The touch of a number, if it is within reach.
    #[inline]
    fn touch(&self, number: u64) -> Option<&Touch> {
        let length = self.touches.len();
        if number == 0 || self.count - number > length as u64 {
            return None;
        }
        let touch = &self.touches[number as usize & (length - 1)];
        (self.now - touch.number < REACH).then_some(touch)
    }

    /// A load waits for the last stores of its bytes.
    #[inline]
    fn before_load(&self, hash: usize, word: u64, bytes: u8, producers: &mut Producers<'_>) {
        let mut rest = bytes;
        let mut at = self.heads[hash][STORES];
        while rest != 0
            && let Some(touch) = self.touch(at)
        {
            if touch.word == word && touch.bytes & rest != 0 {
                producers.add(touch.number);
                rest &= !touch.bytes;
            }
            at = at.saturating_sub(touch.back.into());
        }
    }

    /// A store waits for the last stores of its bytes, and for the loads of each byte since.
    #[inline]
    fn before_store(&self, hash: usize, word: u64, bytes: u8, producers: &mut Producers<'_>) {
        let mut rest = bytes;
        let mut stores = [0; 8];
        let mut oldest = 0;
        let mut at = self.heads[hash][STORES];
        while rest != 0
            && let Some(touch) = self.touch(at)
        {
            if touch.word == word && touch.bytes & rest != 0 {
                producers.add(touch.number);
                for (byte, store) in stores.iter_mut().enumerate() {
                    if touch.bytes & rest & 1 << byte != 0 {
                        *store = touch.number;
                    }
                }
                rest &= !touch.bytes;
                oldest = touch.number;
            }
            at = at.saturating_sub(touch.back.into());
        }
        // If no store within reach wrote some of the bytes, any instruction within reach may have read them.
        let oldest = if rest == 0 { oldest } else { 0 };
        let mut at = self.heads[hash][LOADS];
        while let Some(touch) = self.touch(at)
            && touch.number > oldest
        {
            let is_since = |byte: usize| touch.bytes & bytes & 1 << byte != 0 && touch.number > stores[byte];
            if touch.word == word && touch.bytes & bytes != 0 && (0..8).any(is_since) {
                producers.add(touch.number);
            }
            at = at.saturating_sub(touch.back.into());
        }
    }

    /// Makes room for accesses that touch this many words.
    #[cold]
    fn make_room(&mut self, words: usize) {
        let length = (REACH as usize * words).next_power_of_two();
        let old = self.touches.len();
        if length <= old {
            return;
        }
        let mut touches = vec![Touch::default(); length];
        for number in self.count.saturating_sub(old as u64)..self.count {
            touches[number as usize & (length - 1)] = self.touches[number as usize & (old - 1)];
        }
        self.touches = touches;
    }

    /// Approximate number of bytes held.
    pub fn bytes(&self) -> u64 {
        (self.touches.capacity() * size_of::<Touch>() + self.heads.capacity() * 16) as u64
    }
}
