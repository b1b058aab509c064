//! Unbounded reachability and rewards until a set is reached, over rationals.
//!
//! The same graph algorithms as in floating point ([`volvelle_solver::reach`], [`volvelle_solver::reward`]) find the states where a value is
//! 0, 1 or infinite; the rest is a [`Task`].

use crate::model::Model;
use crate::policy::Task;
use dashu_ratio::RBig;
use volvelle_control::Stop;
use volvelle_logic::{Optimum, Ratio};
use volvelle_solver::graph::{end_components, members};
use volvelle_solver::reach::{opposite, prob01_until, until as rough_until};
use volvelle_solver::reward::{paying, reachability_reward as rough_reachability_reward};
use volvelle_solver::{CheckError, Numbers};
use volvelle_space::BitSet;

/// Values of all states, and the method that computed them.
pub type ExactValues = (Vec<Ratio>, String);

/// One minus each finite value.
pub fn complement((mut values, method): ExactValues) -> ExactValues {
    for value in &mut values {
        if let Ratio::Finite(x) = value {
            *value = Ratio::Finite(RBig::ONE - &*x);
        }
    }
    (values, method)
}

/// The probability of `left U right` for every state.
pub fn until(
    model: &Model<'_>,
    left: &BitSet,
    right: &BitSet,
    optimum: Optimum,
) -> Result<ExactValues, CheckError> {
    let context = model.context;
    let certain = prob01_until(context, left, right, optimum);
    let mut unknown = certain.zero.clone();
    unknown.unite(&certain.one);
    let unknown = unknown.complement();
    let known = |s: usize| if certain.one.contains(s) { RBig::ONE } else { RBig::ZERO };
    if unknown.count() == 0 {
        return Ok(((0..context.states()).map(|s| known(s).into()).collect(), graph()));
    }
    let guide = guide(model, || rough_until(context, left, right, optimum))?;
    let task = Task {
        model,
        unknown: &unknown,
        allowed: None,
        may_stop: None,
        reward: None,
        known: &known,
        optimum,
        guide,
    };
    solved(&task, None)
}

/// The expected value of the first state outside `unknown`, which is reached almost surely. For chains.
pub fn terminal(
    model: &Model<'_>,
    unknown: &BitSet,
    known: &dyn Fn(usize) -> RBig,
) -> Result<ExactValues, CheckError> {
    let optimum = Optimum::Max;
    let task =
        Task { model, unknown, allowed: None, may_stop: None, reward: None, known, optimum, guide: None };
    solved(&task, None)
}

/// Expected reward, not negative, accumulated until `target`; `reward` per choice and visit.
pub fn reachability_reward(
    model: &Model<'_>,
    reward: &[RBig],
    target: &BitSet,
    optimum: Optimum,
) -> Result<ExactValues, CheckError> {
    let context = model.context;
    let space = context.space;
    let everywhere = BitSet::full(space.num_states());
    let finite = prob01_until(context, &everywhere, target, opposite(optimum)).one;
    let mut unknown = finite.clone();
    unknown.subtract(target);
    let infinite = finite.complement();
    let mut allowed = None;
    if optimum == Optimum::Min && !context.is_chain() {
        let mut stays = BitSet::new(space.num_choices());
        for choice in unknown.iter().flat_map(|s| space.choices_of(s)) {
            if space.columns[space.row(choice)].iter().all(|&t| finite.contains(t as usize)) {
                stays.insert(choice);
            }
        }
        allowed = Some(stays);
    }
    let guide = guide(model, || {
        let doubles: Vec<f64> = reward.iter().map(|r| r.to_f64().value()).collect();
        rough_reachability_reward(context, &doubles, target, optimum)
    })?;
    let task = Task {
        model,
        unknown: &unknown,
        allowed: allowed.as_ref(),
        may_stop: None,
        reward: Some(reward),
        known: &|_| RBig::ZERO,
        optimum,
        guide,
    };
    solved(&task, Some(&infinite))
}

/// Expected reward for ever; `reward`, per choice and visit, is not negative.
pub fn total(model: &Model<'_>, reward: &[RBig], optimum: Optimum) -> Result<ExactValues, CheckError> {
    let context = model.context;
    let space = context.space;
    let n = space.num_states();
    let everywhere = BitSet::full(n);
    if !context.is_chain() && optimum == Optimum::Min {
        let free = end_components(space, &everywhere, |choice| reward[choice].is_zero());
        return reachability_reward(model, reward, &members(n, free.iter()), optimum);
    }
    let found = end_components(space, &everywhere, |_| true);
    let paying = paying(context, &found, |choice| !reward[choice].is_zero());
    let infinite = context.predecessors().reach(&paying, None);
    // A run that stays in one of the other end components earns nothing more.
    let free = members(n, found.iter().filter(|c| !infinite.contains(c[0] as usize)));
    let mut unknown = infinite.complement();
    let chain = context.is_chain();
    if chain {
        unknown.subtract(&free);
    }
    let task = Task {
        model,
        unknown: &unknown,
        allowed: None,
        may_stop: (!chain).then_some((&free, &|_| RBig::ZERO)),
        reward: Some(reward),
        known: &|_| RBig::ZERO,
        optimum: Optimum::Max,
        guide: None,
    };
    solved(&task, Some(&infinite))
}

fn graph() -> String {
    "graph analysis".to_string()
}

/// The solution of a task, with these states infinite.
pub(super) fn solved(task: &Task<'_>, infinite: Option<&BitSet>) -> Result<ExactValues, CheckError> {
    if task.unknown.count() == 0 {
        let value = |s| match infinite {
            Some(infinite) if infinite.contains(s) => Ratio::Infinity,
            _ => (task.known)(s).into(),
        };
        return Ok(((0..task.model.context.states()).map(value).collect(), graph()));
    }
    let (values, policies) = task.solve()?;
    let value = |(s, value): (usize, RBig)| match infinite {
        Some(infinite) if infinite.contains(s) => Ratio::Infinity,
        _ => value.into(),
    };
    let method = method(task.model.context.is_chain(), policies);
    Ok((values.into_iter().enumerate().map(value).collect(), method))
}

/// The name of the method that solved this number of policies.
pub(super) fn method(is_chain: bool, policies: usize) -> String {
    match policies {
        1 if is_chain => "rational arithmetic".to_string(),
        1 => "rational arithmetic (1 policy)".to_string(),
        n => format!("rational arithmetic ({n} policies)"),
    }
}

/// Values in floating point that choose the first policy of an MDP; where they cannot be computed, any policy is right.
pub(super) fn guide(
    model: &Model<'_>,
    rough: impl FnOnce() -> Result<Numbers, CheckError>,
) -> Result<Option<Vec<f64>>, CheckError> {
    if model.context.is_chain() {
        return Ok(None);
    }
    match rough() {
        Ok(numbers) => {
            let middle =
                |&[lo, hi]: &[f64; 2]| if hi.is_finite() { lo + 0.5 * (hi - lo) } else { f64::MAX / 1e9 };
            Ok(Some(numbers.bounds.iter().map(middle).collect()))
        }
        Err(CheckError::Limit(stop @ (Stop::Cancelled | Stop::Timeout))) => Err(stop.into()),
        Err(_) => Ok(None),
    }
}
