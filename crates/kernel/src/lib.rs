//! The typed kernel IR: what every machine runs.
//!
//! Takes arithmetic on typed buffers, written through the builder methods of [`Exprs`] and [`Kernel`]
//! or as text ([`text::parse`]); gives a verified [`Kernel`] that back ends compile and the reference
//! interpreter ([`interp`]) runs. Knows nothing of states, models or devices.
//!
//! The IR is structured (no jumps but `break`, and `goto` between the blocks of a machine), side effects are statements, expressions only read.
//! Failing is an outcome: a fallible expression names a [`Site`], and a kernel that fails exits with it.
//! There are no calls into the host and no pointers.
//!
//! ```
//! use volvelle_kernel::{BufferMut, Code, Compiler, Const, Exit, interp::Interpreter, text::parse};
//!
//! let text = "
//!     kernel halves(least: i64) {
//!         buffer numbers: read i64;
//!         buffer out: append i64;
//!         site @0: division, tag 0;
//!         local i: u64;
//!         for i in 0u64..len(numbers) {
//!             if numbers[i] >= least { emit out, numbers[i] /@0 2i64; }
//!         }
//!     }";
//! let kernel = parse(text).unwrap().remove(0);
//! let code = Interpreter.compile(&kernel).unwrap();
//! let mut out = Vec::with_capacity(8);
//! let buffers = &mut [BufferMut::ReadI64(&[4, -9, 7]), BufferMut::AppendI64(&mut out)];
//! assert_eq!(code.run(&[Const::i64(0)], buffers), Exit::Done);
//! assert_eq!(out, [2, 3]);
//! ```

mod canonical;
pub mod code;
mod entities;
pub mod expr;
#[cfg(feature = "filetest")]
pub mod filetest;
#[cfg(feature = "generate")]
pub mod generate;
#[cfg(feature = "harness")]
pub mod harness;
pub mod interp;
pub mod kernel;
pub mod magnitude;
pub mod math;
mod operations;
mod scalar;
pub mod text;
pub mod types;
pub mod verify;

pub use canonical::{map_block, map_operands};
pub use code::{BufferMut, Code, CompileError, Compiler, Effort, Exit, RawParts};
pub use entities::{Buffer, ExprId, Local, Site};
pub use expr::{Exprs, Node};
pub use kernel::{Access, Block, BufferDecl, FailKind, Kernel, LocalDecl, MAX_COPY, SiteDecl, Stmt};
pub use operations::{BinaryOp, CheckedOp, MathFn, UnaryOp};
pub use types::{Const, Type};
pub use volvelle_entity::{Entity, EntityMap, EntityVec, entity};
