//! A stream as locals and statements of a kernel.

use crate::bounded::Bounded;
use crate::build::set;
use crate::generator::Generator;
use crate::math::{LogLocals, SCALE_53};
use crate::philox::Philox;
use crate::xoshiro::Xoshiro;
use volvelle_kernel::{Block, ExprId, Kernel, Local, Type, UnaryOp};

/// The random stream of the path that a kernel simulates: locals of the kernel, and the statements that draw
/// from it.
///
/// Every operation returns statements for the place of the draw; it adds the nodes that they need to the
/// kernel's arena. The result goes to the local `into`, whose type is named by the operation. The drawn
/// values are those of [`PlainStream`](crate::plain::PlainStream), bit for bit.
///
/// A kernel may have several streams, each with its own locals. The operations may be used any number of
/// times, also in loops.
#[derive(Clone, Debug)]
pub struct Stream {
    source: Source,
    bounded: Bounded,
    /// Bits on the way to a float, `u64`.
    bits: Local,
    /// Halves of 64 bits, `u32`.
    halves: [Local; 2],
    log: LogLocals,
}

#[derive(Clone, Debug)]
enum Source {
    Xoshiro(Xoshiro),
    Philox(Philox),
}

impl Stream {
    /// Declares the locals of a stream. [`Stream::seed`] must run before the first draw.
    pub fn declare(kernel: &mut Kernel, generator: Generator) -> Stream {
        let prefix = free_prefix(kernel);
        let mut local = |name: &str, ty| kernel.local(format!("{prefix}{name}"), ty);
        Stream {
            source: match generator {
                Generator::Xoshiro128PlusPlus => Source::Xoshiro(Xoshiro::declare(&mut local)),
                Generator::Philox4x32 => Source::Philox(Philox::declare(&mut local)),
            },
            bounded: Bounded::declare(&mut local),
            bits: local("bits", Type::U64),
            halves: [local("half0", Type::U32), local("half1", Type::U32)],
            log: LogLocals::declare(&mut local),
        }
    }

    /// The locals that hold the state, all `u32`. They must be stored if a path is to continue later. Other
    /// locals of the stream hold nothing between operations.
    pub fn state(&self) -> Vec<Local> {
        match &self.source {
            Source::Xoshiro(x) => x.state.to_vec(),
            Source::Philox(p) => p.state().to_vec(),
        }
    }

    /// Sets the state to the beginning of the stream of a seed and a path number (both `u64`).
    pub fn seed(&self, kernel: &mut Kernel, seed: ExprId, path: ExprId) -> Block {
        match &self.source {
            Source::Xoshiro(x) => x.seed(kernel, seed, path),
            Source::Philox(p) => p.seed(kernel, seed, path),
        }
    }

    /// 32 uniform bits, into a `u32`.
    pub fn bits32(&self, kernel: &mut Kernel, into: Local) -> Block {
        match &self.source {
            Source::Xoshiro(x) => x.next(kernel, into),
            Source::Philox(p) => p.next(kernel, into),
        }
    }

    /// 64 uniform bits, into a `u64`: two draws of 32 bits, the first one high (Philox: one block).
    pub fn bits64(&self, kernel: &mut Kernel, into: Local) -> Block {
        match &self.source {
            Source::Xoshiro(x) => {
                let mut block = x.next(kernel, self.halves[0]);
                block.extend(x.next(kernel, self.halves[1]));
                let [high, low] = self.halves.map(|half| kernel.get(half));
                block.push(set(kernel, into, |b| b.joined(high, low)));
                block
            }
            Source::Philox(p) => p.next_wide(kernel, into),
        }
    }

    /// A uniform integer in `0..total`, into a `u32`: exact. It takes one draw of 32 bits except with a
    /// probability of `total / 2^32`. `total` is a `u32`; if it is 0, the result is 0.
    pub fn below32(&self, kernel: &mut Kernel, total: ExprId, into: Local) -> Block {
        self.bounded.below(kernel, &|kernel, digit| self.bits32(kernel, digit), total, into)
    }

    /// A uniform integer in `0..total`, into a `u64`: exact. It takes one draw of 64 bits except with a
    /// probability of `total / 2^64`. `total` is a `u64`; if it is 0, the result is 0.
    pub fn below64(&self, kernel: &mut Kernel, total: ExprId, into: Local) -> Block {
        self.bounded.below(kernel, &|kernel, digit| self.bits64(kernel, digit), total, into)
    }

    /// A multiple of 2^-53 in `[0, 1)`, into an `f64`: the high 53 of 64 bits.
    pub fn unit(&self, kernel: &mut Kernel, into: Local) -> Block {
        let mut block = self.bits64(kernel, self.bits);
        let bits = kernel.get(self.bits);
        block.push(set(kernel, into, |b| {
            let (high, scale) = (b.shr(bits, 11), b.f64(SCALE_53));
            // As `i64`, which processors convert with one instruction; it is below 2^53.
            let high = b.0.convert(Type::I64, high);
            let number = b.0.convert(Type::F64, high);
            b.mul(number, scale)
        }));
        block
    }

    /// An exponentially distributed number with mean 1, into an `f64`: `|ln U|` with `U = (n + 1/2) · 2^-53`,
    /// where `n` is the high 53 of 64 bits. It is finite, at most 37.4, and never negative.
    pub fn exponential(&self, kernel: &mut Kernel, into: Local) -> Block {
        let mut block = self.bits64(kernel, self.bits);
        let bits = kernel.get(self.bits);
        let u = {
            let b = &mut crate::build::Build(&mut kernel.exprs);
            let (high, scale, half) = (b.shr(bits, 11), b.f64(SCALE_53), b.f64(0.5));
            let high = b.0.convert(Type::I64, high);
            let number = b.0.convert(Type::F64, high);
            let sum = b.add(number, half);
            b.mul(sum, scale)
        };
        block.extend(self.log.log_of_normal(kernel, u, into));
        let log = kernel.get(into);
        block.push(set(kernel, into, |b| b.0.unary(UnaryOp::Abs, log)));
        block
    }
}

/// A beginning of names that no local has yet.
fn free_prefix(kernel: &Kernel) -> String {
    (0..)
        .map(|n: usize| format!("stream{n}_"))
        .find(|prefix| !kernel.locals.iter().any(|local| local.name.starts_with(prefix)))
        .expect("there are more numbers than locals")
}
