//! How large floats can get: what is bounded is neither infinite nor NaN.
//!
//! Takes an arena, gives a bound for every node, in one pass. Locals and buffers have no bound; bounds come from
//! conversions from integers, constants and arithmetic. That suffices for what random streams compute from
//! integer bits. Back ends need no code for NaN where a bound exists.

use crate::expr::{Exprs, Node};
use crate::operations::{BinaryOp, UnaryOp};
use crate::types::Type;

/// An upper bound of the magnitude for every `f64` node, infinite where nothing is known: where it is finite, the
/// node is a finite number. (Nodes of other types have an infinite one.)
///
/// The bounds are computed in the same arithmetic: rounding to nearest is monotonic, so `|x| <= a` and `|y| <= b`
/// give `|x + y| <= a + b` and `|x * y| <= a * b` after rounding as well.
pub fn magnitudes(exprs: &Exprs) -> Vec<f64> {
    const UNKNOWN: f64 = f64::INFINITY;
    let mut bounds: Vec<f64> = Vec::with_capacity(exprs.len());
    for id in exprs.ids() {
        let bound = if exprs.ty(id) != Type::F64 {
            UNKNOWN
        } else {
            let of = |operand: crate::ExprId| bounds[operand.index()];
            match exprs.node(id) {
                Node::Const(c) => c.as_f64().map_or(UNKNOWN, f64::abs),
                Node::Convert { arg, .. } if !exprs.ty(arg).is_float() => {
                    let ty = exprs.ty(arg);
                    2f64.powi(if ty.is_signed() { ty.bits() as i32 - 1 } else { ty.bits() as i32 })
                }
                Node::Unary { op: UnaryOp::Neg | UnaryOp::Abs, arg } => of(arg),
                Node::Unary { op: UnaryOp::Floor | UnaryOp::Ceil | UnaryOp::Trunc, arg } => of(arg) + 1.0,
                Node::Binary { op: BinaryOp::Add | BinaryOp::Sub, lhs, rhs } => of(lhs) + of(rhs),
                Node::Binary { op: BinaryOp::Mul, lhs, rhs } => of(lhs) * of(rhs),
                // The exact sum is as bounded as the rounded one.
                Node::MulAdd { args: [x, y, z] } => (of(x) * of(y) + of(z)).next_up(),
                Node::Binary { op: BinaryOp::Min | BinaryOp::Max, lhs, rhs } => of(lhs).max(of(rhs)),
                Node::Select { yes, no, .. } => of(yes).max(of(no)),
                _ => UNKNOWN,
            }
        };
        // Infinity times zero has no bound either.
        bounds.push(if bound.is_nan() { UNKNOWN } else { bound });
    }
    bounds
}
