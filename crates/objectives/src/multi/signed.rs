//! Rewards of both signs as objectives, made positive: what is added does not depend on the scheduler.
//!
//! Over a number of steps every step earns the same in addition. On the way to the last state of the quotient rewards are shaped by a
//! potential as in [`volvelle_solver::signed_reward`], which adds its value at the beginning. Where an objective is to be large, it becomes a
//! cost: the quotient has end components only where nothing is gained, and a loss there is a cost.

use volvelle_logic::{Optimum, RewardId};
use volvelle_solver::interval::{self, Interval};
use volvelle_solver::rounding::U;
use volvelle_solver::signed_reward::{Shaped, shape};
use volvelle_solver::{CheckError, Context, Options};
use volvelle_space::BitSet;

use super::quotient::Quotient;

/// Raises rewards of some steps so that none is negative; returns what has to be added to the coordinate of the objective.
pub fn raise(reward: &mut [f64], steps: u64, cost: bool, options: &mut Options) -> Interval {
    let largest = reward.iter().fold(0.0, |most: f64, &r| most.max(-r));
    if largest == 0.0 {
        return [0.0; 2];
    }
    // Twice as much as necessary: the errors of rewards stay small against what is left of them.
    let added = 2.0 * largest;
    reward.iter_mut().for_each(|r| *r += added);
    *options = options.with_input(2.0 * options.input + 2.0 * U);
    let unknown = [f64::NEG_INFINITY, f64::INFINITY];
    let [lo, hi] = interval::mul([added; 2], [steps as f64; 2]).unwrap_or(unknown);
    if cost { [lo, hi] } else { [-hi, -lo] }
}

/// How rewards of the quotient were shaped.
pub struct Shaping {
    /// The potential of every state, whose value at the beginning has to be added to the coordinate.
    pub potential: Vec<f64>,
    /// The rewards before.
    pub before: Vec<f64>,
    /// Whether they became costs.
    pub negated: bool,
}

/// Replaces the reward of an objective of the quotient, some of which are negative, by a cost without negative ones. `None` where
/// nothing has to be done.
pub fn shaped(
    context: &Context,
    quotient: &mut Quotient,
    number: usize,
    (id, cost): (RewardId, bool),
    options: &mut Options,
) -> Result<Option<Shaping>, CheckError> {
    let reward = &quotient.rewards[number];
    if reward.iter().all(|&r| r >= 0.0) {
        return Ok(None);
    }
    let costs: Vec<f64> = if cost { reward.clone() } else { reward.iter().map(|r| -r).collect() };
    let space = &quotient.space;
    let inner = context.inner(space, *options, context.control);
    let end = BitSet::of(space.num_states(), [space.num_states() - 1]);
    let Shaped { potential, least, most, .. } = shape(&inner, id, &costs, &end, Optimum::Min)?;
    let before = reward.clone();
    let mut error = options.input;
    for (reward, (least, most)) in quotient.rewards[number].iter_mut().zip(least.iter().zip(&most)) {
        *reward = least + 0.5 * (most - least);
        if most > least {
            error = error.max((most - least) / least);
        }
    }
    *options = options.with_input(error);
    Ok(Some(Shaping { potential, before, negated: !cost }))
}
