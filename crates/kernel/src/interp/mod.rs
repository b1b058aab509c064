//! The reference interpreter: the oracle for every other back end, obvious rather than fast.
//!
//! [`unary`], [`binary`], … apply operations to constants; [`eval`] evaluates one expression over
//! given locals; [`Interpreter`] runs kernels. Operands are evaluated from left to right; `Select`, `And`
//! and `Or` evaluate only the operand they choose; the first failure ends the run. `Store` evaluates
//! index and value before it looks at the length, `Emit` its value before it looks for room.
//!
//! The bits of a NaN are not part of the semantics (see the operations); comparing the outcome of two
//! back ends takes any two NaNs for equal.

mod buffers;
mod eval;
mod run;
mod shared;

pub use crate::scalar::{
    binary, checked, checked_convert, convert, in_range, math, mul_add, reinterpret, unary,
};
#[cfg(feature = "harness")]
pub(crate) use buffers::Element;
pub use eval::{EvalError, Evaluator, eval};
pub use run::{Interpreted, Interpreter, Recover};
