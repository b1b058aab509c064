//! Probabilities of path formulas over rationals, taken apart as in [`volvelle_objectives::path`].

use crate::automata;
use crate::model::Model;
use crate::reach::{ExactValues, complement, until as reach_until};
use crate::reward_bounded;
use crate::steps::{Step, backwards};
use dashu_ratio::RBig;
use volvelle_logic::{Optimum, Ratio, TimeBound};
use volvelle_objectives::path::Path;
use volvelle_solver::CheckError;
use volvelle_solver::reach::opposite;
use volvelle_solver::reach::prob01_until;
use volvelle_space::{BitSet, Kind};
use volvelle_transient::{Window, window};

/// The probability of a path formula in every state.
pub fn probability(
    model: &Model<'_>,
    path: &Path,
    negated: bool,
    optimum: Optimum,
) -> Result<ExactValues, CheckError> {
    if negated {
        return Ok(complement(probability(model, path, false, opposite(optimum))?));
    }
    match path {
        Path::Now(set) => Ok((indicator(set).into_iter().map(Ratio::from).collect(), graph())),
        Path::Next(set, bound) => next(model, set, bound, optimum),
        Path::Until(left, right, bound) => until(model, left, right, bound, optimum),
        Path::Weak(left, right, bound) => weak(model, left, right, bound, optimum),
        Path::Release(left, right, bound) => {
            if bound.lower > 0.0 || bound.lower_strict {
                let (not_left, not_right) = (left.complement(), right.complement());
                Ok(complement(until(model, &not_left, &not_right, bound, opposite(optimum))?))
            } else {
                weak(model, right, &both(left, right), bound, optimum)
            }
        }
        Path::Bounded(left, right, bounds) => {
            reward_bounded::probability(model, left, right, bounds, optimum)
        }
        Path::Ltl(formula) => automata::probability(model, formula, optimum),
    }
}

/// The error for a question about time on a CTMC, which has no rational answer.
pub fn about_time(model: &Model<'_>) -> Result<(), CheckError> {
    if model.context.space.kind == Kind::Ctmc {
        let what = "a time-bounded probability of a ctmc contains exponentials".to_string();
        return Err(CheckError::NotRational { what });
    }
    Ok(())
}

fn graph() -> String {
    "graph analysis".to_string()
}

/// One for members, zero for others.
pub fn indicator(set: &BitSet) -> Vec<RBig> {
    (0..set.len()).map(|s| if set.contains(s) { RBig::ONE } else { RBig::ZERO }).collect()
}

fn both(a: &BitSet, b: &BitSet) -> BitSet {
    let mut set = a.clone();
    set.intersect(b);
    set
}

fn constant(model: &Model<'_>, value: RBig) -> ExactValues {
    (vec![value.into(); model.context.states()], "empty time bound".to_string())
}

fn counted(values: Vec<RBig>) -> ExactValues {
    (values.into_iter().map(Ratio::from).collect(), "rational arithmetic, step by step".to_string())
}

fn until(
    model: &Model<'_>,
    left: &BitSet,
    right: &BitSet,
    bound: &TimeBound,
    optimum: Optimum,
) -> Result<ExactValues, CheckError> {
    let (lower, upper) = match window(model.context.space.kind, bound)? {
        Window::Empty => return Ok(constant(model, RBig::ZERO)),
        Window::Range { lower, upper } => (lower, upper),
    };
    if lower == 0.0 && upper.is_none() {
        return reach_until(model, left, right, optimum);
    }
    about_time(model)?;
    let everywhere = model.focused(if lower == 0.0 { model.focus } else { None });
    let mut values = match upper {
        Some(upper) => {
            let step = Step { inside: Some(left), goal: Some(right), reward: None };
            backwards(&everywhere, optimum, &indicator(right), (upper - lower) as u64, step)?
        }
        None => {
            let (values, _) = reach_until(&everywhere, left, right, optimum)?;
            values.iter().map(|v| v.finite().cloned().unwrap_or(RBig::ONE)).collect()
        }
    };
    let step = Step { inside: Some(left), ..Step::default() };
    values = backwards(model, optimum, &values, lower as u64, step)?;
    Ok(counted(values))
}

fn weak(
    model: &Model<'_>,
    left: &BitSet,
    right: &BitSet,
    bound: &TimeBound,
    optimum: Optimum,
) -> Result<ExactValues, CheckError> {
    let context = model.context;
    let fails = both(&left.complement(), &right.complement());
    let (lower, upper) = match window(context.space.kind, bound)? {
        Window::Empty => return Ok(constant(model, RBig::ONE)),
        Window::Range { lower, upper } => (lower, upper),
    };
    match (lower, upper) {
        (0.0, None) if !context.is_chain() && optimum == Optimum::Min => {
            // The worst scheduler makes it fail.
            Ok(complement(reach_until(model, &right.complement(), &fails, Optimum::Max)?))
        }
        (0.0, None) => {
            // Every other run ends where failing is impossible (for some scheduler).
            let mut good = prob01_until(context, &right.complement(), &fails, opposite(optimum)).zero;
            good.unite(right);
            reach_until(model, left, &good, optimum)
        }
        _ => Ok(complement(until(model, &right.complement(), &fails, bound, opposite(optimum))?)),
    }
}

fn next(
    model: &Model<'_>,
    set: &BitSet,
    bound: &TimeBound,
    optimum: Optimum,
) -> Result<ExactValues, CheckError> {
    let continuous = model.context.space.kind == Kind::Ctmc;
    let (lower, upper) = match window(model.context.space.kind, bound)? {
        Window::Empty => return Ok(constant(model, RBig::ZERO)),
        Window::Range { lower, upper } => (lower, upper),
    };
    if continuous && !bound.is_none() {
        about_time(model)?;
    }
    if !continuous && (lower > 1.0 || upper.is_some_and(|u| u < 1.0)) {
        return Ok(constant(model, RBig::ZERO));
    }
    let (values, _) = counted(backwards(model, optimum, &indicator(set), 1, Step::default())?);
    Ok((values, "one step in rational arithmetic".to_string()))
}
