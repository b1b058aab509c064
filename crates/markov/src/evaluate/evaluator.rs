//! The evaluator of formulas.

use super::values::StateValues;
use std::rc::Rc;
use volvelle_entity::EntityVec;
use volvelle_logic::{FormulaId, Formulas, StopReason};
use volvelle_solver::interval::{self};
use volvelle_solver::{CheckError, Context, Numbers, Options};
use volvelle_space::BitSet;

/// Whether an answer is as precise as the options require.
pub(super) type IsPrecise = Box<dyn Fn(&Options) -> bool>;

pub(super) struct Evaluator<'a> {
    pub(super) context: &'a Context<'a>,
    pub(super) formulas: &'a Formulas,
    pub(super) root: FormulaId,
    pub(super) numbers: &'a [Vec<f64>],
    pub(super) is_path: EntityVec<FormulaId, bool>,
    pub(super) values: EntityVec<FormulaId, Option<Rc<StateValues>>>,
    /// The states in which formulas that are evaluated state by state, from the root down, are needed.
    pub(super) focus: Option<BitSet>,
    pub(super) focused: EntityVec<FormulaId, bool>,
    pub(super) methods: Vec<String>,
    pub(super) stop: StopReason,
}

/// The difference of two numbers, for rewards of both signs.
pub(super) fn difference(plus: &Numbers, minus: &Numbers) -> Result<Numbers, CheckError> {
    let bounds = plus
        .bounds
        .iter()
        .zip(&minus.bounds)
        .map(|(&p, &m)| {
            interval::sub(p, m)
                .ok_or_else(|| CheckError::Undefined { what: "infinity minus infinity".to_string() })
        })
        .collect::<Result<_, _>>()?;
    Ok(Numbers { bounds, method: plus.method.clone(), stop: plus.stop.max(minus.stop) })
}
