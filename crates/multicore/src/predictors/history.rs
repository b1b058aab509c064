//! Histories of outcomes.

/// Outcomes so far, the newest in bit 0 of the first word; before the first outcome all are "not taken".
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct History([u64; 4]);

impl History {
    /// Number of outcomes held.
    pub const LENGTH: u32 = 256;

    /// Adds the newest outcome.
    #[inline]
    pub fn push(&mut self, taken: bool) {
        let [a, b, c, d] = self.0;
        self.0 = [a << 1 | u64::from(taken), b << 1 | a >> 63, c << 1 | b >> 63, d << 1 | c >> 63];
    }

    /// The newest 64 outcomes.
    #[inline]
    pub fn newest(&self) -> u64 {
        self.0[0]
    }

    /// The newest `length` outcomes, cut from bit 0 on into pieces of `width` bits; returns the exclusive or
    /// of all pieces.
    #[inline]
    pub fn fold(&self, length: u32, width: u32) -> u64 {
        if length <= 64 {
            return fold(self.0[0], length, width);
        }
        let mut folded = 0;
        let mut at = 0;
        while at < length.min(Self::LENGTH) {
            let taken = width.min(length - at);
            folded ^= self.piece(at) & low(taken);
            at += width;
        }
        folded
    }

    /// 64 outcomes from one on.
    #[inline]
    fn piece(&self, at: u32) -> u64 {
        let (word, bit) = ((at / 64) as usize, at % 64);
        let above = self.0.get(word + 1).copied().unwrap_or(0);
        self.0[word] >> bit | (above << 1) << (63 - bit)
    }
}

/// As many ones.
#[inline]
pub(super) fn low(bits: u32) -> u64 {
    if bits >= 64 { u64::MAX } else { (1 << bits) - 1 }
}

/// The lowest `length` bits, cut into pieces of `width` bits; returns the exclusive or of all pieces.
#[inline]
pub(super) fn fold(value: u64, length: u32, width: u32) -> u64 {
    let mut rest = value & low(length);
    let mut folded = 0;
    // The number of iterations depends only on the lengths, not on the outcomes, so processors predict the
    // end of the loop.
    let mut left = length;
    while left > width {
        folded ^= rest & low(width);
        rest >>= width;
        left -= width;
    }
    folded ^ rest
}
