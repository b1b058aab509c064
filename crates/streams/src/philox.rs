//! Philox4x32-10: a keyed function of a counter.
//!
//! The key is the seed, the counter is `(number of the draw, path number)`, both of 64 bits, low halves
//! first: streams of different seeds or paths never use the same key and counter. Each draw computes a new
//! block, of which 32 bits take the first word and 64 bits the first two. Using up the rest of a block would
//! need state that depends on earlier draws, and a branch in every draw.

use crate::build::set;
use volvelle_kernel::{Block, ExprId, Kernel, Local, Type};

/// Multipliers, for words 0 and 2 of the counter.
const MULTIPLIERS: [u32; 2] = [0xd251_1f53, 0xcd9e_8d57];
/// The increments of the halves of the key from round to round.
const WEYL: [u32; 2] = [0x9e37_79b9, 0xbb67_ae85];
const ROUNDS: u32 = 10;

/// The four words of a block.
pub(crate) fn block(key: [u32; 2], counter: [u32; 4]) -> [u32; 4] {
    let mut c = counter;
    for round in 0..ROUNDS {
        let k = [0, 1].map(|i: usize| key[i].wrapping_add(WEYL[i].wrapping_mul(round)));
        let p0 = u64::from(MULTIPLIERS[0]) * u64::from(c[0]);
        let p1 = u64::from(MULTIPLIERS[1]) * u64::from(c[2]);
        c = [(p1 >> 32) as u32 ^ c[1] ^ k[0], p1 as u32, (p0 >> 32) as u32 ^ c[3] ^ k[1], p0 as u32];
    }
    c
}

/// The state of the generator in a kernel.
#[derive(Clone, Debug)]
pub(crate) struct Philox {
    /// The key, `u32`.
    key: [Local; 2],
    /// The counter of the next draw, `u32`.
    counter: [Local; 4],
    /// The words of the last block, `u32`.
    words: [Local; 4],
    /// `u64`.
    products: [Local; 2],
}

impl Philox {
    pub(crate) fn declare(mut local: impl FnMut(&str, Type) -> Local) -> Self {
        Philox {
            key: ["key0", "key1"].map(|name| local(name, Type::U32)),
            counter: ["draw0", "draw1", "path0", "path1"].map(|name| local(name, Type::U32)),
            words: ["word0", "word1", "word2", "word3"].map(|name| local(name, Type::U32)),
            products: ["product0", "product1"].map(|name| local(name, Type::U64)),
        }
    }

    /// The state of a path's stream.
    pub(crate) fn state(&self) -> [Local; 6] {
        let ([k0, k1], [d0, d1, p0, p1]) = (self.key, self.counter);
        [k0, k1, d0, d1, p0, p1]
    }

    pub(crate) fn seed(&self, kernel: &mut Kernel, seed: ExprId, path: ExprId) -> Block {
        let ([k0, k1], [d0, d1, p0, p1]) = (self.key, self.counter);
        vec![
            set(kernel, k0, |b| b.low(seed)),
            set(kernel, k1, |b| b.high(seed)),
            set(kernel, d0, |b| b.u32(0)),
            set(kernel, d1, |b| b.u32(0)),
            set(kernel, p0, |b| b.low(path)),
            set(kernel, p1, |b| b.high(path)),
        ]
    }

    /// The next 32 bits.
    pub(crate) fn next(&self, kernel: &mut Kernel, into: Local) -> Block {
        let mut block = self.block(kernel);
        let word = kernel.get(self.words[0]);
        block.push(set(kernel, into, |_| word));
        block
    }

    /// The next 64 bits.
    pub(crate) fn next_wide(&self, kernel: &mut Kernel, into: Local) -> Block {
        let mut block = self.block(kernel);
        let (high, low) = (kernel.get(self.words[0]), kernel.get(self.words[1]));
        block.push(set(kernel, into, |b| b.joined(high, low)));
        block
    }

    /// Fills the words, and counts.
    fn block(&self, kernel: &mut Kernel) -> Block {
        let mut block = Block::new();
        for (word, counter) in self.words.iter().zip(self.counter) {
            let counter = kernel.get(counter);
            block.push(set(kernel, *word, |_| counter));
        }
        let c = self.words.map(|word| kernel.get(word));
        let key = self.key.map(|key| kernel.get(key));
        let products = self.products.map(|product| kernel.get(product));
        for round in 0..ROUNDS {
            for (i, source) in [(0, c[0]), (1, c[2])] {
                block.push(set(kernel, self.products[i], |b| {
                    let factor = b.u32(MULTIPLIERS[i]);
                    b.wide_mul(factor, source)
                }));
            }
            for (into, product, other, half) in [(0, 1, c[1], 0), (2, 0, c[3], 1)] {
                block.push(set(kernel, self.words[into], |b| {
                    let grown = b.u32(WEYL[half].wrapping_mul(round));
                    let key = b.add(key[half], grown);
                    let high = b.high(products[product]);
                    let mixed = b.xor(high, other);
                    b.xor(mixed, key)
                }));
            }
            for (into, product) in [(1, 1), (3, 0)] {
                block.push(set(kernel, self.words[into], |b| b.low(products[product])));
            }
        }
        let [d0, d1] = [self.counter[0], self.counter[1]].map(|draw| kernel.get(draw));
        block.push(set(kernel, self.counter[0], |b| {
            let one = b.u32(1);
            b.add(d0, one)
        }));
        block.push(set(kernel, self.counter[1], |b| {
            let zero = b.u32(0);
            let wrapped = b.0.binary(volvelle_kernel::BinaryOp::Eq, d0, zero);
            let carry = b.0.convert(Type::U32, wrapped);
            b.add(d1, carry)
        }));
        block
    }
}

#[cfg(test)]
mod tests {
    use super::block;

    /// The vectors of Random123's `kat_vectors`: zeros, ones, digits of π.
    #[test]
    fn known_answers() {
        assert_eq!(block([0; 2], [0; 4]), [0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8]);
        assert_eq!(block([!0; 2], [!0; 4]), [0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd]);
        let counter = [0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344];
        let found = block([0xa4093822, 0x299f31d0], counter);
        assert_eq!(found, [0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1]);
    }
}
