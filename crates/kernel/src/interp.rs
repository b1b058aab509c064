//! The reference interpreter.

use crate::expr::{BinaryOp, CheckedOp, UnaryOp};
use crate::types::{Const, Type};

/// Applies a total operation to a constant of a fitting type.
pub fn unary(_op: UnaryOp, _arg: Const) -> Const {
    todo!()
}

/// Applies a total operation to two constants of one fitting type.
pub fn binary(_op: BinaryOp, _lhs: Const, _rhs: Const) -> Const {
    todo!()
}

/// Applies an operation that may fail.
pub fn checked(_op: CheckedOp, _lhs: Const, _rhs: Const) -> Option<Const> {
    todo!()
}

/// Total conversion.
pub fn convert(_to: Type, _arg: Const) -> Const {
    todo!()
}
