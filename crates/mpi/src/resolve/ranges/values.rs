//! Intervals of expressions and of what is assigned.

use super::super::graph::Step;
use super::super::intervals::{Interval, clamped, operation};
use crate::system::{Access, Expr, LocalId, NodeKind, Operation, System, Unary};

/// The local that a step assigns to, and the values that it may get.
pub(super) fn assigned(
    step: &Step,
    found: &[Option<Interval>],
    system: &System,
) -> Option<(LocalId, Interval)> {
    match step {
        Step::Kind(NodeKind::Assign(local, value, _)) => Some((*local, interval(value, found)?)),
        Step::Kind(NodeKind::Access(Access { operation, variable, result: Some(local), .. })) => {
            let variable = &system.variables[variable.base.index()];
            let values = match operation {
                Operation::CompareAndSwap(..) => (0, 1),
                _ => (i128::from(variable.lo), i128::from(variable.hi)),
            };
            Some((*local, values))
        }
        _ => None,
    }
}

/// The values of an expression; `None` if it has none yet.
pub(super) fn interval(expr: &Expr, found: &[Option<Interval>]) -> Option<Interval> {
    Some(match expr {
        Expr::Constant(value) => (i128::from(*value), i128::from(*value)),
        Expr::Local(local) => found[local.index()]?,
        Expr::Unary(Unary::Negate, a) => {
            let (lo, hi) = interval(a, found)?;
            clamped((-hi, -lo))
        }
        Expr::Unary(Unary::Not, a) => {
            interval(a, found)?;
            (0, 1)
        }
        Expr::Binary(operator, a, b) => {
            let (a, b) = (interval(a, found)?, interval(b, found)?);
            operation(*operator, a, b)?
        }
    })
}
