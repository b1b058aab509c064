//! Bitstate hashing: an array of bits, of which each state sets some.

use super::{VisitedHashes, mixed};
use crate::visited::Halt;
use volvelle_control::{Control, Stop};

/// The array. A state whose bits are all set counts as visited.
pub struct BitArray {
    words: Vec<u64>,
    /// Bits less 1: a power of two.
    mask: u64,
    functions: u32,
    seed: u64,
    set: u64,
    /// Number of visited states; `overlooked` estimates those omitted because all their bits were set.
    met: f64,
    overlooked: f64,
}

impl BitArray {
    /// With the hash functions of this seed.
    pub fn new(bits: u64, functions: u32, seed: u64, control: &Control<'_>) -> Result<Self, Halt> {
        let bits = bits.clamp(1 << 10, 1 << 44).next_power_of_two();
        if control.limits.memory_bytes.is_some_and(|most| bits / 8 > most) {
            return Err(Halt::Stopped(Stop::Memory));
        }
        let mut words = Vec::new();
        let count = usize::try_from(bits / 64).map_err(|_| Halt::Stopped(Stop::Memory))?;
        words.try_reserve_exact(count).map_err(|_| Halt::Stopped(Stop::Memory))?;
        words.resize(count, 0);
        let functions = functions.clamp(1, 16);
        Ok(BitArray { words, mask: bits - 1, functions, seed, set: 0, met: 0.0, overlooked: 0.0 })
    }

    /// All bits.
    pub fn bits(&self) -> u64 {
        self.mask + 1
    }

    /// Clears the array, and takes other hash functions.
    pub fn restart(&mut self, seed: u64) {
        self.words.fill(0);
        (self.seed, self.set, self.met, self.overlooked) = (seed, 0, 0.0, 0.0);
    }

    /// The estimated probability that a state was omitted: for each new state, the probability that another
    /// one would have found all its bits set.
    pub fn omission(&self) -> f64 {
        if self.met == 0.0 { 0.0 } else { self.overlooked / (self.met + self.overlooked) }
    }

    /// The part of the bits that is set.
    fn density(&self) -> f64 {
        self.set as f64 / (self.mask + 1) as f64
    }
}

impl VisitedHashes for BitArray {
    fn insert(&mut self, hash: u64, _: &Control<'_>) -> Result<bool, Halt> {
        let first = mixed(hash ^ self.seed);
        let second = mixed(first ^ 0x9e37_79b9_7f4a_7c15) | 1;
        let chance = self.density().powi(self.functions as i32).min(0.999_999);
        let mut is_new = false;
        for function in 0..u64::from(self.functions) {
            let bit = first.wrapping_add(second.wrapping_mul(function)) & self.mask;
            let word = &mut self.words[(bit / 64) as usize];
            if *word >> (bit % 64) & 1 == 0 {
                *word |= 1 << (bit % 64);
                self.set += 1;
                is_new = true;
            }
        }
        if is_new {
            self.met += 1.0;
            // For each state that is seen to be new there are p / (1 - p) that are not.
            self.overlooked += chance / (1.0 - chance);
        }
        Ok(is_new)
    }

    fn bytes(&self) -> u64 {
        8 * self.words.len() as u64
    }

    fn is_exhausted(&self) -> bool {
        2 * self.set > self.mask
    }
}
