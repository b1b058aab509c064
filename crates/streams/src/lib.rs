//! Random streams: one for each path of a simulation. They exist as fragments of kernels, and as plain
//! functions that define what the fragments compute.
//!
//! In: a seed and the number of a path. Out: the path's own stream of random bits, and from it integers below
//! a bound, numbers of the unit interval and exponential times. [`Stream`] writes these operations into a
//! kernel, whose locals hold the state. [`plain`] has the same operations in Rust, and the two agree bit for
//! bit on every back end. A stream depends only on seed and path number, so a path is the same whichever
//! thread or lane runs it.
//!
//! Everything is made of operations that vector units have: 32-bit additions, shifts and exclusive ors,
//! products of 32-bit halves in 64 bits, arithmetic on `f64`. [`math`] has the logarithm and the exponential
//! function as such arithmetic, with the bits that [`MathFn`](volvelle_kernel::MathFn) defines;
//! [`expand_math`] replaces the functions by it.
//!
//! ```
//! use volvelle_kernel::interp::Interpreter;
//! use volvelle_kernel::{Access, BufferMut, Compiler, Const, Exit, Kernel, Stmt, Type};
//! use volvelle_streams::{Generator, Stream, plain::PlainStream};
//!
//! // A kernel that rolls a die once.
//! let mut k = Kernel::new("die");
//! let (seed, path) = (k.param("seed", Type::U64), k.param("path", Type::U64));
//! let out = k.buffer("out", Type::U32, Access::Append);
//! let face = k.local("face", Type::U32);
//! let stream = Stream::declare(&mut k, Generator::default());
//! let (seed, path) = (k.get(seed), k.get(path));
//! let mut body = stream.seed(&mut k, seed, path);
//! let six = k.exprs.constant(Const::int(Type::U32, 6));
//! body.extend(stream.below32(&mut k, six, face));
//! let value = k.get(face);
//! body.push(Stmt::Emit { buffer: out, value });
//! k.body = body;
//!
//! let mut rolled = Vec::with_capacity(1);
//! let code = Interpreter.compile(&k).unwrap();
//! let exit = code.run(&[Const::u64(7), Const::u64(123)], &mut [BufferMut::AppendU32(&mut rolled)]);
//! assert_eq!(exit, Exit::Done);
//! assert_eq!(rolled, [PlainStream::new(Generator::default(), 7, 123).below32(6)]);
//! ```

mod bounded;
mod build;
mod expand;
mod generator;
pub mod math;
mod philox;
pub mod plain;
mod stream;
mod xoshiro;

pub use expand::expand_math;
pub use generator::{Generator, UnknownGenerator};
pub use stream::Stream;
