//! Hash tables by number.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Multiplies by the golden ratio (D. E. Knuth, *The Art of Computer Programming*, volume 3, section 6.4). It
/// does not resist chosen collisions, and need not: addresses come from the user's own program.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Golden(u64);

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

/// A table by number.
pub(crate) type ByNumber<T> = HashMap<u64, T, BuildHasherDefault<Golden>>;
