//! Expected rewards of a chain under a condition over rationals: the counterpart of [`volvelle_solver::conditional_reward`], by the same
//! equations.

use crate::model::Model;
use crate::policy::Task;
use crate::reach::{ExactValues, reachability_reward, until};
use dashu_ratio::RBig;
use volvelle_logic::{Optimum, Ratio};
use volvelle_solver::CheckError;
use volvelle_solver::reach::prob01_until;
use volvelle_space::BitSet;

/// Expected reward until `target` under the condition `left U right`; `reward` per state and visit, not negative. Infinite where
/// the target is not reached almost surely under the condition.
///
/// # Errors
/// The condition has probability zero in a state that is requested.
pub fn until_given(
    model: &Model<'_>,
    reward: &[RBig],
    target: &BitSet,
    (left, right): (&BitSet, &BitSet),
) -> Result<ExactValues, CheckError> {
    let context = model.context;
    let n = context.states();
    let impossible = prob01_until(context, left, right, Optimum::Max).zero;
    if let Some(s) = impossible.iter().find(|&s| model.is_needed(s)) {
        return Err(CheckError::ImpossibleCondition { state: s as u32 });
    }
    let everywhere = model.focused(None);
    let (condition, _) = until(&everywhere, left, right, Optimum::Max)?;
    let condition: Vec<RBig> = condition.iter().map(|p| p.finite().cloned().unwrap_or(RBig::ZERO)).collect();
    let (plain, _) = reachability_reward(&everywhere, reward, target, Optimum::Max)?;
    let mut unknown = left.clone();
    for known in [right, target, &impossible] {
        unknown.subtract(known);
    }
    // The condition may be met where the target need not follow.
    let endless = right.iter().filter(|&s| plain[s].finite().is_none());
    let endless = context.predecessors().reach(&BitSet::of(n, endless), Some(&unknown));
    unknown.subtract(&endless);
    let weighted: Vec<RBig> = reward.iter().zip(&condition).map(|(r, p)| r * p).collect();
    let known = |s: usize| match plain[s].finite() {
        Some(value) if right.contains(s) => value.clone(),
        _ => RBig::ZERO,
    };
    let task = Task {
        model,
        unknown: &unknown,
        allowed: None,
        may_stop: None,
        reward: Some(&weighted),
        known: &known,
        optimum: Optimum::Max,
        guide: None,
    };
    let (values, _) = task.solve()?;
    let of_state = |(s, value): (usize, RBig)| {
        if endless.contains(s) {
            Ratio::Infinity
        } else if condition[s].is_zero() {
            Ratio::ZERO
        } else {
            Ratio::from(value / &condition[s])
        }
    };
    let values = values.into_iter().enumerate().map(of_state).collect();
    Ok((values, "rational arithmetic".to_string()))
}
