//! Expressions given from outside, whose values in states are wanted: goals, costs, parameters.
//!
//! Each keeps what it reads in the state: it becomes a label, which holds where a condition does, and everywhere for a number.

use super::builder::Builder;
use super::code::{Code, Context};
use super::environment::Environment;
use super::symbols::Scope;
use crate::ast;
use volvelle_kernel::{BinaryOp, ExprId};
use volvelle_model::Label;

/// An expression whose values are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Observed {
    /// The expression, in the arena of the model.
    pub expr: ast::ExprId,
    /// Whether it is a condition (`bool`) rather than a number (`i64`).
    pub is_condition: bool,
}

/// The expressions of the program, in the order of `observed`; those that are refused are missing, and reported.
pub(super) fn observed<'a>(
    env: &Environment<'a>,
    out: &mut Builder<'a>,
    observed: &[Observed],
) -> Vec<ExprId> {
    let mut exprs = Vec::new();
    for one in observed {
        let (scope, place) = (Scope::global(), env.place(one.expr));
        let mut code = Code::new(env, out, place);
        let lowered = match one.is_condition {
            true => code.condition(Context::of(&scope), one.expr),
            false => code.expr(Context::of(&scope), one.expr).map(|value| value.id),
        };
        let Some(lowered) = lowered else { continue };
        let exprs_of_program = &mut out.program.exprs;
        let expr = match one.is_condition {
            true => lowered,
            false => {
                let none = exprs_of_program.i64(i64::MIN);
                exprs_of_program.binary(BinaryOp::Ne, lowered, none)
            }
        };
        let origin = Some(out.origin(place));
        out.program.labels.push(Label { name: None, expr, origin });
        exprs.push(lowered);
    }
    exprs
}
