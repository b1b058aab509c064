//! Constant expressions.

use super::types::Mtypes;
use crate::ast::{BinaryOp, ExprId, ExprKind, Model, UnaryOp};

/// The value of an expression of constants; `None` for any other.
///
/// The parser limits the depth of the recursion.
pub(super) fn constant(model: &Model, mtypes: &Mtypes, expr: ExprId) -> Option<i64> {
    let value = |expr: ExprId| constant(model, mtypes, expr);
    let int = |v: i64| i64::from(v as i32);
    Some(match &model.exprs.get(expr).kind {
        ExprKind::Number(n) => int(*n),
        ExprKind::Name(name) => mtypes.values.get(&name.text)?.1,
        ExprKind::Unary { op, arg } => {
            let a = value(*arg)?;
            match op {
                UnaryOp::Neg => int(-a),
                UnaryOp::Not => i64::from(a == 0),
                UnaryOp::Complement => !a,
                _ => return None,
            }
        }
        ExprKind::Binary { op, lhs, rhs } => {
            let (a, b) = (value(*lhs)?, value(*rhs)?);
            use BinaryOp::*;
            match op {
                Add => int(a + b),
                Sub => int(a - b),
                Mul => int(a.wrapping_mul(b)),
                Div => int(a.checked_div(b)?),
                Rem => int(a.checked_rem(b)?),
                BitAnd => a & b,
                BitOr => a | b,
                BitXor => a ^ b,
                Shl => int(a << (b & 31)),
                Shr => a >> (b & 31),
                Lt => i64::from(a < b),
                Le => i64::from(a <= b),
                Gt => i64::from(a > b),
                Ge => i64::from(a >= b),
                Eq => i64::from(a == b),
                Ne => i64::from(a != b),
                And => i64::from(a != 0 && b != 0),
                Or => i64::from(a != 0 || b != 0),
                _ => return None,
            }
        }
        ExprKind::Conditional { cond, yes, no } => value(if value(*cond)? != 0 { *yes } else { *no })?,
        _ => return None,
    })
}
