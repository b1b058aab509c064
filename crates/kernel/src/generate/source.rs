//! Where choices come from: a seed, or the bytes of a fuzzer.

use crate::types::Type;

/// A stream of choices.
pub(super) struct Source<'b> {
    bytes: Option<&'b [u8]>,
    /// State of SplitMix64 (Steele, Lea, Flood 2014, doi:10.1145/2714064.2660195).
    state: u64,
}

impl<'b> Source<'b> {
    pub(super) fn seeded(seed: u64) -> Self {
        Source { bytes: None, state: seed }
    }

    pub(super) fn bytes(bytes: &'b [u8]) -> Self {
        Source { bytes: Some(bytes), state: 0 }
    }

    /// Eight random bytes; from bytes, the next eight in little-endian order.
    pub(super) fn word(&mut self) -> u64 {
        if self.bytes.is_some() {
            return (0..8).fold(0, |word, i| word | (self.byte() as u64) << (8 * i));
        }
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.state ^ (self.state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn byte(&mut self) -> u8 {
        match &mut self.bytes {
            None => (self.word() >> 56) as u8,
            Some(bytes) => {
                let Some((first, rest)) = bytes.split_first() else {
                    return 0;
                };
                *bytes = rest;
                *first
            }
        }
    }

    /// A number below `n` (at most 256). Zero where the bytes have ended: the simplest choice comes first.
    pub(super) fn below(&mut self, n: u32) -> u32 {
        self.byte() as u32 % n
    }

    /// True `n` times in 256.
    pub(super) fn chance(&mut self, n: u8) -> bool {
        self.byte() > 255 - n
    }

    /// One of the items.
    pub(super) fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len() as u32) as usize]
    }

    /// A type, the common ones more often.
    pub(super) fn ty(&mut self) -> Type {
        const COMMON: [Type; 4] = [Type::I64, Type::U64, Type::F64, Type::Bool];
        if self.chance(128) { self.pick(&COMMON) } else { self.pick(&Type::ALL) }
    }
}
