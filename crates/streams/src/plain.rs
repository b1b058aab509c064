//! The streams as plain Rust: the reference for the fragments of kernels, and the source of random numbers
//! for other code.

use crate::generator::Generator;
use crate::math::{SCALE_53, plain_log_of_normal};
use crate::{bounded, philox, xoshiro};

pub use crate::math::{plain_exp as exp, plain_log_of_normal as log_of_normal};

/// The stream of a path; the operations are those of [`Stream`](crate::Stream).
#[derive(Clone, Debug)]
pub struct PlainStream {
    source: Source,
}

#[derive(Clone, Debug)]
enum Source {
    Xoshiro([u32; 4]),
    Philox { seed: u64, path: u64, draw: u64 },
}

impl PlainStream {
    /// The beginning of the stream of a seed and a path number.
    pub fn new(generator: Generator, seed: u64, path: u64) -> Self {
        let source = match generator {
            Generator::Xoshiro128PlusPlus => Source::Xoshiro(xoshiro::seeded(seed, path)),
            Generator::Philox4x32 => Source::Philox { seed, path, draw: 0 },
        };
        PlainStream { source }
    }

    /// 32 uniform bits.
    pub fn bits32(&mut self) -> u32 {
        match &mut self.source {
            Source::Xoshiro(state) => xoshiro::next(state),
            Source::Philox { .. } => self.block()[0],
        }
    }

    /// 64 uniform bits: two draws of 32 bits, the first one high (Philox: one block).
    pub fn bits64(&mut self) -> u64 {
        let [high, low] = match &mut self.source {
            Source::Xoshiro(state) => [xoshiro::next(state), xoshiro::next(state)],
            Source::Philox { .. } => {
                let words = self.block();
                [words[0], words[1]]
            }
        };
        u64::from(high) << 32 | u64::from(low)
    }

    /// Philox's next block.
    fn block(&mut self) -> [u32; 4] {
        let halves = |word: u64| [word as u32, (word >> 32) as u32];
        match &mut self.source {
            Source::Philox { seed, path, draw } => {
                let ([d0, d1], [p0, p1]) = (halves(*draw), halves(*path));
                *draw = draw.wrapping_add(1);
                philox::block(halves(*seed), [d0, d1, p0, p1])
            }
            Source::Xoshiro(state) => [0; 4].map(|_| xoshiro::next(state)),
        }
    }

    /// A uniform integer in `0..total`, exact; 0 if `total` is 0.
    pub fn below32(&mut self, total: u32) -> u32 {
        bounded::below32(total, || self.bits32())
    }

    /// A uniform integer in `0..total`, exact; 0 if `total` is 0.
    pub fn below64(&mut self, total: u64) -> u64 {
        bounded::below64(total, || self.bits64())
    }

    /// A multiple of 2^-53 in `[0, 1)`.
    pub fn unit(&mut self) -> f64 {
        (self.bits64() >> 11) as f64 * SCALE_53
    }

    /// An exponentially distributed number of mean 1.
    pub fn exponential(&mut self) -> f64 {
        let u = ((self.bits64() >> 11) as f64 + 0.5) * SCALE_53;
        plain_log_of_normal(u).abs()
    }
}
