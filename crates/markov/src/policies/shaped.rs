//! Strategies for rewards that are shaped first: discounted ones, and those of both signs. Shaping changes no scheduler's rank.

use volvelle_logic::{Optimum, RewardId};
use volvelle_objectives::scheduler::{Objective, optimal};
use volvelle_objectives::strategy::Strategy;
use volvelle_solver::signed_reward::shape;
use volvelle_solver::{CheckError, Context};
use volvelle_space::BitSet;
use volvelle_transient::discounted::{Discount, raised, scaled};

/// The best strategy for a discounted reward for ever: it needs no memory (Puterman, *Markov Decision Processes*, theorem 6.2.7).
pub fn discounted_strategy(
    context: &Context,
    reward: &[f64],
    optimum: Optimum,
    discount: Discount,
    start: &BitSet,
) -> Result<Strategy, CheckError> {
    let n = context.states();
    let space = scaled(context.space, discount);
    context.control.check_memory(space.bytes() + 8 * space.num_choices() as u64)?;
    let inner = context.inner(&space, context.options, context.control);
    let end = BitSet::of(n + 1, [n]);
    let start = BitSet::of(n + 1, start.iter());
    let mut choices = until(&inner, raised(reward).0, end, optimum, start)?;
    choices.truncate(n);
    Ok(Strategy::memoryless(choices))
}

/// The best strategy for a reward of any sign until a set of states is reached.
///
/// # Errors
/// As [`volvelle_solver::signed_reward::reachability`].
pub fn signed_strategy(
    context: &Context,
    (id, reward): (RewardId, &[f64]),
    target: BitSet,
    optimum: Optimum,
    start: &BitSet,
) -> Result<Strategy, CheckError> {
    let shaped = shape(context, id, reward, &target, optimum)?;
    if let Some(state) = start.iter().find(|&s| shaped.endless.contains(s)) {
        // Schedulers lose more and more, and none is the best.
        let rewards = context.space.rewards.get(id.index()).map(|r| r.name.clone()).unwrap_or_default();
        return Err(CheckError::EndlessLoss { rewards, state: state as u32 });
    }
    Ok(Strategy::memoryless(until(context, shaped.most, target, optimum, start.clone())?))
}

fn until(
    context: &Context,
    reward: Vec<f64>,
    target: BitSet,
    optimum: Optimum,
    start: BitSet,
) -> Result<Vec<u32>, CheckError> {
    let left = BitSet::full(target.len());
    let reward = Some(reward);
    let objective = Objective { optimum, left, right: target, reward, negated: false, bound: None, start };
    Ok(optimal(context, &objective)?.choices)
}
