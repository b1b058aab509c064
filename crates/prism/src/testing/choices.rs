//! A source of small decisions: a seed, or the bytes of a fuzzer.

/// Decisions, one after the other.
#[derive(Clone, Debug)]
pub struct Choices<'a> {
    source: Source<'a>,
}

#[derive(Clone, Debug)]
enum Source<'a> {
    /// SplitMix64 (Steele, Lea, Flood 2014).
    Seed(u64),
    /// Bytes from the front; zeros behind the end.
    Bytes(&'a [u8]),
}

impl<'a> Choices<'a> {
    /// The same decisions for the same seed, for ever.
    pub fn from_seed(seed: u64) -> Self {
        Choices { source: Source::Seed(seed) }
    }

    /// Decisions read from bytes. They end where the bytes do: then everything is the first choice.
    pub fn from_bytes(bytes: &'a [u8]) -> Self {
        Choices { source: Source::Bytes(bytes) }
    }

    /// A number below `count`, which must not be 0.
    pub fn below(&mut self, count: u32) -> u32 {
        match &mut self.source {
            Source::Seed(state) => {
                *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
                let mut z = *state;
                z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
                z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
                ((z ^ (z >> 31)) % u64::from(count)) as u32
            }
            Source::Bytes(bytes) => match bytes.split_first() {
                Some((first, rest)) => {
                    *bytes = rest;
                    u32::from(*first) % count
                }
                None => 0,
            },
        }
    }

    /// A number in `lo..=hi`.
    pub fn between(&mut self, lo: i64, hi: i64) -> i64 {
        lo + i64::from(self.below((hi - lo + 1) as u32))
    }

    /// True in about `percent` of 100 cases.
    pub fn chance(&mut self, percent: u32) -> bool {
        // The last numbers, so that exhausted bytes say no.
        self.below(100) >= 100 - percent.min(100)
    }

    /// One of some values, which must not be empty.
    pub fn pick<'v, T>(&mut self, values: &'v [T]) -> &'v T {
        &values[self.below(values.len() as u32) as usize]
    }
}
