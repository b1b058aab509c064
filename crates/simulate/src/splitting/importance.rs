//! The importance of states: the distance in a projection of the model if that can be computed, else a
//! distance in the conjuncts of the target.

use super::{conjuncts, fields};
use crate::importance::Importance;
use crate::path::Plan;
use volvelle_kernel::ExprId;

/// The importance for `left U right` (not later than `upper`) in the program of a plan.
pub fn importance(plan: &mut Plan, left: ExprId, right: ExprId, upper: Option<f64>) -> Importance {
    match fields::table(plan, left, right, upper) {
        Some(table) => Importance::Table(table),
        None => by_conjuncts(plan, right),
    }
}

/// The distance in the conjuncts of the target.
pub fn by_conjuncts(plan: &mut Plan, right: ExprId) -> Importance {
    Importance::Expression(conjuncts::importance(&mut plan.program, right))
}
