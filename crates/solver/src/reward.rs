//! Reward structures, and expected reward until a set is reached.
//!
//! Infinite where the set is not reached almost surely: under the worst scheduler for a maximum, under
//! every scheduler for a minimum. For a minimum, end components without reward among the rest are collapsed:
//! a scheduler that stays in one for ever costs nothing but does not arrive, and would give too small a
//! solution (de Alfaro 1999; Bertsekas and Tsitsiklis 1991, whose condition on improper policies holds after
//! collapsing).

use volvelle_logic::{Optimum, RewardId};
use volvelle_space::{Accuracy, BitSet, Values};

use crate::context::Context;
use crate::error::CheckError;
use crate::graph::{EndComponents, end_components, members, reaches_surely_without};
use crate::numbers::Numbers;
use crate::reach::{opposite, prob01_until};
use crate::rounding::U;
use crate::solve::{Classes, Parts, System, solve};

/// The reward of every choice: state reward plus expected transition reward, per step, or per unit of time
/// for a CTMC.
pub fn choice_rewards(context: &Context, id: RewardId) -> Result<Vec<f64>, CheckError> {
    let space = context.space;
    let rewards = space.rewards.get(id.index()).ok_or_else(|| CheckError::MissingObservation {
        what: format!("reward structure number {}", id.0),
    })?;
    let mut result = match &rewards.choice {
        Some(choice) => choice.to_vec(),
        None => vec![0.0; space.num_choices()],
    };
    if let Some(state) = &rewards.state {
        for (s, reward) in state.iter().enumerate() {
            for choice in space.choices_of(s) {
                result[choice] += reward;
            }
        }
    }
    if result.iter().any(|r| !r.is_finite()) {
        return Err(CheckError::NotFinite { what: format!("a reward of \"{}\"", rewards.name) });
    }
    Ok(result)
}

/// The state part of a reward structure (for instantaneous rewards).
pub fn state_rewards(context: &Context, id: RewardId) -> Result<Vec<f64>, CheckError> {
    let space = context.space;
    let rewards = space.rewards.get(id.index()).ok_or_else(|| CheckError::MissingObservation {
        what: format!("reward structure number {}", id.0),
    })?;
    let result = rewards.state.as_ref().map_or_else(|| vec![0.0; space.num_states()], Values::to_vec);
    if result.iter().any(|r| !r.is_finite()) {
        return Err(CheckError::NotFinite { what: format!("a reward of \"{}\"", rewards.name) });
    }
    Ok(result)
}

/// Errors from here on stand for no bound.
pub const UNBOUNDED: f64 = 1e299;

/// Rewards with the errors of their doubles.
pub struct Rewards {
    /// The doubles.
    pub values: Vec<f64>,
    /// The largest error, relative to the reward.
    pub relative: f64,
    /// Where there is no bound of that kind: the largest error of each.
    pub errors: Option<Vec<f64>>,
}

impl Rewards {
    /// The reward of every choice, as [`choice_rewards`].
    pub fn of_choices(context: &Context, id: RewardId) -> Result<Self, CheckError> {
        let values = choice_rewards(context, id)?;
        let space = context.space;
        let rewards = &space.rewards[id.index()];
        let adds = if rewards.state.is_some() && rewards.choice.is_some() { U } else { 0.0 };
        Ok(match &rewards.accuracy {
            Accuracy::Exact => Rewards { values, relative: 0.0, errors: None },
            Accuracy::Relative(error) => Rewards { values, relative: error + 2.0 * adds, errors: None },
            Accuracy::Within { state, choice } => {
                let mut values = values;
                let mut errors: Vec<f64> = values.iter().map(|v| v.abs() * adds).collect();
                if let Some(choice) = choice {
                    errors.iter_mut().zip(choice.iter()).for_each(|(sum, error)| *sum += error);
                }
                if let Some(state) = state {
                    for (s, error) in state.iter().enumerate() {
                        space.choices_of(s).for_each(|choice| errors[choice] += error);
                    }
                }
                clear(&mut values, &mut errors);
                Rewards { values, relative: 0.0, errors: Some(errors) }
            }
        })
    }

    /// The state part, as [`state_rewards`].
    pub fn of_states(context: &Context, id: RewardId) -> Result<Self, CheckError> {
        let values = state_rewards(context, id)?;
        Ok(match &context.space.rewards[id.index()].accuracy {
            Accuracy::Exact => Rewards { values, relative: 0.0, errors: None },
            Accuracy::Relative(error) => Rewards { values, relative: *error, errors: None },
            Accuracy::Within { state, .. } => {
                let mut values = values;
                let mut errors = state.as_ref().map(Values::to_vec);
                if let Some(errors) = &mut errors {
                    clear(&mut values, errors);
                }
                Rewards { values, relative: 0.0, errors }
            }
        })
    }

    /// One bound of the relative error of all; infinite where there is none.
    pub fn relative_error(&self) -> f64 {
        let Some(errors) = &self.errors else { return self.relative };
        let pairs = self.values.iter().zip(errors);
        pairs.fold(self.relative, |largest, (value, &error)| match error {
            0.0 => largest,
            error if error < value.abs() => largest.max(error / (value.abs() - error)),
            _ => f64::INFINITY,
        })
    }
}

/// Rewards below zero that may as well be zero, such as those of terms that cancel, become zero with a larger error: nothing says
/// that they are negative.
fn clear(values: &mut [f64], errors: &mut [f64]) {
    for (value, error) in values.iter_mut().zip(errors) {
        if *value < 0.0 && -*value <= *error {
            *error = (*error - *value).next_up();
            *value = 0.0;
        }
    }
}

/// Refuses rewards below zero.
pub fn check_not_negative(context: &Context, id: RewardId, rewards: &[f64]) -> Result<(), CheckError> {
    let Some(choice) = rewards.iter().position(|&r| r < 0.0) else { return Ok(()) };
    let space = context.space;
    let state = match &space.choices {
        None => choice,
        Some(levels) => levels.start.partition_point(|&start| start as usize <= choice) - 1,
    };
    Err(CheckError::NegativeReward {
        rewards: space.rewards.get(id.index()).map(|r| r.name.clone()).unwrap_or_default(),
        state: state as u32,
        value: rewards[choice],
    })
}

/// Expected reward, not negative, accumulated until `target`; `reward` per choice.
pub fn reachability_reward(
    context: &Context,
    reward: &[f64],
    target: &BitSet,
    optimum: Optimum,
) -> Result<Numbers, CheckError> {
    let space = context.space;
    let everywhere = BitSet::full(space.num_states());
    // The worst scheduler for the reward is the worst for arriving too.
    let finite = prob01_until(context, &everywhere, target, opposite(optimum)).one;
    let mut unknown = finite.clone();
    unknown.subtract(target);
    if optimum == Optimum::Min && !context.is_chain() {
        // Where a scheduler arrives without reward, the minimum is zero. The equations alone would leave a cycle without
        // reward as good as the way out.
        let paid =
            BitSet::of(space.num_choices(), (0..space.num_choices()).filter(|&choice| reward[choice] > 0.0));
        unknown.subtract(&reaches_surely_without(space, &context.predecessors(), target, paid));
    }
    let value = |s: usize| if finite.contains(s) { [0.0; 2] } else { [f64::INFINITY; 2] };
    if unknown.count() == 0 {
        return Ok(Numbers::exact((0..space.num_states()).map(|s| value(s)[0]), "graph analysis"));
    }
    let mut allowed = None;
    let mut collapsed = Default::default();
    if optimum == Optimum::Min && !context.is_chain() {
        // Choices that may leave the finite states are never optimal.
        let mut stays = BitSet::new(space.num_choices());
        for s in unknown.iter() {
            for choice in space.choices_of(s) {
                if space.columns[space.row(choice)].iter().all(|&t| finite.contains(t as usize)) {
                    stays.insert(choice);
                }
            }
        }
        collapsed = end_components(space, &unknown, |c| stays.contains(c) && reward[c] == 0.0);
        allowed = Some(stays);
    }
    let classes = Classes::new(&unknown, collapsed.iter());
    let parts = Parts {
        space,
        classes: &classes,
        optimum,
        allowed: allowed.as_ref(),
        reward: |choice: usize| reward[choice],
        stay: &[],
        known: |_| [0.0; 2],
    };
    context.forget_predecessors();
    let system = System::new(&parts);
    drop(classes);
    let solution = solve(&system, false, &context.options, context)?;
    solution.note(&system, context);
    Ok(solution.numbers(&system, value))
}

/// Expected reward for ever.
///
/// On a chain infinite where a bottom component that can be reached has a reward. On an MDP the same holds for end
/// components, and what matters for a minimum is whether a scheduler can reach those without reward for sure.
pub fn total(context: &Context, reward: &[f64], optimum: Optimum) -> Result<Numbers, CheckError> {
    let space = context.space;
    let n = space.num_states();
    let everywhere = BitSet::full(n);
    let found = end_components(space, &everywhere, |_| true);
    if !context.is_chain() && optimum == Optimum::Min {
        // A run with a finite sum ends where staying is free; from there on it need not pay any more.
        let free = end_components(space, &everywhere, |choice| reward[choice] == 0.0);
        return reachability_reward(context, reward, &members(n, free.iter()), optimum);
    }
    let infinite =
        context.predecessors().reach(&paying(context, &found, |choice| reward[choice] > 0.0), None);
    // In all other end components nothing is paid: they are collapsed, and where one is never left, it ends.
    let free = found.iter().filter(|c| !infinite.contains(c[0] as usize));
    let value = |s: usize| if infinite.contains(s) { [f64::INFINITY; 2] } else { [0.0; 2] };
    let unknown = infinite.complement();
    if unknown.count() == 0 {
        return Ok(Numbers::exact((0..n).map(|s| value(s)[0]), "graph analysis"));
    }
    let classes = Classes::new(&unknown, free.clone());
    let stay = vec![[0.0; 2]; free.count()];
    let parts = Parts {
        space,
        classes: &classes,
        optimum: Optimum::Max,
        allowed: None,
        reward: |choice: usize| reward[choice],
        stay: &stay,
        known: value,
    };
    context.forget_predecessors();
    let system = System::new(&parts);
    drop(classes);
    let solution = solve(&system, false, &context.options, context)?;
    solution.note(&system, context);
    Ok(solution.numbers(&system, value))
}

/// The states of end components in which a scheduler may earn something again and again.
pub fn paying(context: &Context, found: &EndComponents, pays: impl Fn(usize) -> bool) -> BitSet {
    let space = context.space;
    let pays = |component: &&[u32]| {
        let mut choices = component.iter().flat_map(|&s| space.choices_of(s as usize));
        choices.any(|choice| found.staying.contains(choice) && pays(choice))
    };
    members(space.num_states(), found.iter().filter(pays))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rewards_that_may_be_zero_are_not_negative() {
        let (mut values, mut errors) =
            (vec![-2e-16, -2e-16, -0.5, 0.0, 1.0], vec![3e-16, 1e-16, 1e-9, 1e-16, 0.0]);
        clear(&mut values, &mut errors);
        assert_eq!(values, [0.0, -2e-16, -0.5, 0.0, 1.0]);
        assert!(errors[0] >= 5e-16 && errors[0] < 6e-16, "covers what the reward may be: {errors:?}");
        assert_eq!(errors[1..], [1e-16, 1e-9, 1e-16, 0.0]);
    }
}
