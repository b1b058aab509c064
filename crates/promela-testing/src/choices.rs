//! A source of random choices: a seed, or the bytes of a fuzzer.

/// A sequence of choices.
#[derive(Clone, Debug)]
pub struct Choices<'a> {
    /// The bytes of a fuzzer; empty where a seed decides.
    bytes: &'a [u8],
    /// State of SplitMix64 (Steele, Lea, Flood 2014).
    seed: Option<u64>,
}

impl<'a> Choices<'a> {
    /// The same choices for the same seed.
    pub fn from_seed(seed: u64) -> Self {
        Choices { bytes: &[], seed: Some(seed) }
    }

    /// Choices read from bytes; after their end every choice is the first one.
    pub fn from_bytes(bytes: &'a [u8]) -> Self {
        Choices { bytes, seed: None }
    }

    /// A number below `count`, which is not 0.
    pub fn below(&mut self, count: usize) -> usize {
        if let Some(state) = &mut self.seed {
            *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut z = *state;
            z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            return ((z ^ (z >> 31)) % count as u64) as usize;
        }
        match self.bytes.split_first() {
            Some((first, rest)) => {
                self.bytes = rest;
                usize::from(*first) % count
            }
            None => 0,
        }
    }

    /// True in one of `n` cases; false where bytes are used up.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == n - 1
    }

    /// One of some values, of which there is at least one.
    pub fn pick<T: Copy>(&mut self, values: &[T]) -> T {
        values[self.below(values.len())]
    }
}
