//! Random numbers for tests: fixed seeds, the same cases on every machine.
//!
//! SplitMix64 (Steele, Lea and Flood, *Fast splittable pseudorandom number generators*, OOPSLA 2014). Good enough to
//! choose test cases; nothing that computes an answer may use it. Only tests depend on this crate.

/// How many random cases an attack tries: `usual` in the test suite, and as many times more as `cargo xtask attack` asks for in the
/// environment variable `VOLVELLE_ATTACK`. Cases are numbered from 0, so that a longer run begins with those of the suite.
///
/// An attack is a test whose name begins with `attack_`: hostile inputs drawn from the number of the case.
pub fn attack_cases(usual: u64) -> std::ops::Range<u64> {
    let times = std::env::var("VOLVELLE_ATTACK").ok().and_then(|times| times.parse::<u64>().ok());
    0..usual.saturating_mul(times.unwrap_or(1).max(1))
}

/// A generator with its state.
#[derive(Clone, Debug)]
pub struct Random(pub u64);

impl Random {
    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `bound`, which is not zero.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.bits() % bound as u64) as usize
    }

    /// True in one of `n` cases.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// True in `percent` of a hundred cases.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of some items, of which there is at least one.
    pub fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }
}

#[cfg(test)]
mod tests {
    use super::Random;

    /// The values that the reference implementation in C gives for the seed 1234567.
    #[test]
    fn known_answers() {
        let mut random = Random(1_234_567);
        let found: [u64; 3] = [random.bits(), random.bits(), random.bits()];
        assert_eq!(found, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }
}
