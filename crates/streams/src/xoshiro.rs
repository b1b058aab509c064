//! xoshiro128++: the step, and how the state of a stream is derived.
//!
//! **Seeding.** With `mix` the output function of SplitMix64 (Steele, Lea and Flood, *Fast splittable pseudorandom number
//! generators*, OOPSLA 2014, doi:10.1145/2660193.2660195) and `γ` its increment, seed and path number become
//!
//! ```text
//! x = mix(path + mix(seed + γ))        y = mix((x xor seed) + γ)
//! ```
//!
//! and the state consists of the halves of `x` and `y`, low ones first. `mix` is a bijection of 64 bits, so
//! `y` and `x` determine the seed, and then `x` the path number: **different pairs have different states**.
//! One pair (seed −γ, path 0) would get the state of zeros, which the generator cannot leave. It gets the
//! state 1 instead, and shares its stream only with the pair to which that state belongs. Streams are pieces
//! of one cycle of length 2^128 − 1 that begin at scattered places. The probability that two of `n` streams
//! of `m` draws overlap is about `n² m / 2^128`: 2^-38 for 2^30 paths of 2^30 draws.

use crate::build::{Build, set};
use volvelle_kernel::{Block, ExprId, Kernel, Local, Type};

/// The increment of SplitMix64.
pub(crate) const GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;
/// The factors of its output function, with the shifts before them; a last shift by 31 follows.
const MIX: [(u32, u64); 2] = [(30, 0xbf58_476d_1ce4_e5b9), (27, 0x94d0_49bb_1331_11eb)];
const LAST_SHIFT: u32 = 31;

/// The output function of SplitMix64.
pub(crate) fn mix(mut z: u64) -> u64 {
    for (shift, factor) in MIX {
        z = (z ^ z >> shift).wrapping_mul(factor);
    }
    z ^ z >> LAST_SHIFT
}

/// The state of a path's stream.
pub(crate) fn seeded(seed: u64, path: u64) -> [u32; 4] {
    let x = mix(path.wrapping_add(mix(seed.wrapping_add(GAMMA))));
    let y = mix((x ^ seed).wrapping_add(GAMMA));
    let zero = (x | y == 0) as u32;
    [x as u32 | zero, (x >> 32) as u32, y as u32, (y >> 32) as u32]
}

/// The next 32 bits.
pub(crate) fn next([s0, s1, s2, s3]: &mut [u32; 4]) -> u32 {
    let result = s0.wrapping_add(*s3).rotate_left(7).wrapping_add(*s0);
    let t = *s1 << 9;
    *s2 ^= *s0;
    *s3 ^= *s1;
    *s1 ^= *s2;
    *s0 ^= *s3;
    *s2 ^= t;
    *s3 = s3.rotate_left(11);
    result
}

/// The state of the generator in a kernel.
#[derive(Clone, Debug)]
pub(crate) struct Xoshiro {
    /// The state, `u32`.
    pub(crate) state: [Local; 4],
    /// `u32`.
    shifted: Local,
    /// `u64`.
    x: Local,
    y: Local,
}

impl Xoshiro {
    pub(crate) fn declare(mut local: impl FnMut(&str, Type) -> Local) -> Self {
        Xoshiro {
            state: ["s0", "s1", "s2", "s3"].map(|name| local(name, Type::U32)),
            shifted: local("shifted", Type::U32),
            x: local("x", Type::U64),
            y: local("y", Type::U64),
        }
    }

    /// Sets the state; see [`seeded`].
    pub(crate) fn seed(&self, kernel: &mut Kernel, seed: ExprId, path: ExprId) -> Block {
        let (x, y) = (kernel.get(self.x), kernel.get(self.y));
        let mut block = vec![set(kernel, self.x, |b| {
            let gamma = b.u64(GAMMA);
            b.add(seed, gamma)
        })];
        self.mixed(kernel, self.x, &mut block);
        block.push(set(kernel, self.x, |b| b.add(path, x)));
        self.mixed(kernel, self.x, &mut block);
        block.push(set(kernel, self.y, |b| {
            let (gamma, both) = (b.u64(GAMMA), b.xor(x, seed));
            b.add(both, gamma)
        }));
        self.mixed(kernel, self.y, &mut block);
        let [s0, s1, s2, s3] = self.state;
        block.push(set(kernel, s0, |b| {
            let (any, zero) = (b.or(x, y), b.u64(0));
            let is_zero = b.0.binary(volvelle_kernel::BinaryOp::Eq, any, zero);
            let (low, one) = (b.low(x), b.0.convert(Type::U32, is_zero));
            b.or(low, one)
        }));
        block.push(set(kernel, s1, |b| b.high(x)));
        block.push(set(kernel, s2, |b| b.low(y)));
        block.push(set(kernel, s3, |b| b.high(y)));
        block
    }

    /// `local := mix(local)`.
    fn mixed(&self, kernel: &mut Kernel, local: Local, block: &mut Block) {
        let z = kernel.get(local);
        let folded = |b: &mut Build<'_>, shift| {
            let shifted = b.shr(z, shift);
            b.xor(z, shifted)
        };
        for (shift, factor) in MIX {
            block.push(set(kernel, local, |b| {
                let (folded, factor) = (folded(b, shift), b.u64(factor));
                b.mul(folded, factor)
            }));
        }
        block.push(set(kernel, local, |b| folded(b, LAST_SHIFT)));
    }

    /// The next 32 bits; see [`next`].
    pub(crate) fn next(&self, kernel: &mut Kernel, into: Local) -> Block {
        let [s0, s1, s2, s3] = self.state.map(|s| kernel.get(s));
        let shifted = kernel.get(self.shifted);
        let mut block = vec![
            set(kernel, into, |b| {
                let sum = b.add(s0, s3);
                let rotated = b.rotate(sum, 7);
                b.add(rotated, s0)
            }),
            set(kernel, self.shifted, |b| b.shl(s1, 9)),
        ];
        let operands = [(2, s2, s0), (3, s3, s1), (1, s1, s2), (0, s0, s3), (2, s2, shifted)];
        for (word, old, other) in operands {
            block.push(set(kernel, self.state[word], |b| b.xor(old, other)));
        }
        block.push(set(kernel, self.state[3], |b| b.rotate(s3, 11)));
        block
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The outputs of the authors' implementation in C from the state {1, 2, 3, 4}.
    #[test]
    fn known_answers() {
        let mut state = [1, 2, 3, 4];
        let found = [0; 10].map(|_| next(&mut state));
        let expected = [
            641, 1573767, 3222811527, 3517856514, 836907274, 4247214768, 3867114732, 1355841295, 495546011,
            621204420,
        ];
        assert_eq!(found, expected);
    }

    /// SplitMix64 from the seed 1234567, as its reference implementation in C prints it.
    #[test]
    fn mixing_is_splitmix64() {
        let found = [1u64, 2, 3, 4, 5].map(|n| mix(1234567u64.wrapping_add(n.wrapping_mul(GAMMA))));
        let expected = [
            6457827717110365317,
            3203168211198807973,
            9817491932198370423,
            4593380528125082431,
            16408922859458223821,
        ];
        assert_eq!(found, expected);
    }

    /// The inverse of [`mix`].
    fn unmix(mut z: u64) -> u64 {
        let unshift = |z: u64, shift: u32| {
            let mut x = z;
            for _ in 0..64 / shift {
                x = z ^ x >> shift;
            }
            x
        };
        let inverse =
            |odd: u64| (0..6).fold(odd, |x, _| x.wrapping_mul(2u64.wrapping_sub(odd.wrapping_mul(x))));
        z = unshift(z, LAST_SHIFT);
        for (shift, factor) in MIX.into_iter().rev() {
            z = unshift(z.wrapping_mul(inverse(factor)), shift);
        }
        z
    }

    /// Seeding is invertible, as the module claims: a state determines the seed and the path number.
    #[test]
    fn states_give_seed_and_path_back() {
        let mut z = 99;
        for case in 0..10_000u64 {
            z = mix(z + case);
            // Small numbers and neighbours too.
            let (seed, path) = if case % 2 == 0 { (z, mix(z)) } else { (case % 100, z % 1000) };
            let [s0, s1, s2, s3] = seeded(seed, path).map(u64::from);
            let (x, y) = (s1 << 32 | s0, s3 << 32 | s2);
            let found = unmix(y).wrapping_sub(GAMMA) ^ x;
            assert_eq!(found, seed);
            assert_eq!(unmix(x).wrapping_sub(mix(seed.wrapping_add(GAMMA))), path);
        }
    }

    #[test]
    fn no_state_is_zero() {
        assert_eq!(seeded(GAMMA.wrapping_neg(), 0), [1, 0, 0, 0]);
        assert_ne!(seeded(0, 0), [0; 4]);
    }
}
