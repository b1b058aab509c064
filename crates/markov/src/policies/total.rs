//! Policies for rewards that are collected for ever: memoryless ones, infinite values included.

use volvelle_logic::Optimum;
use volvelle_objectives::scheduler::{Objective, optimal};
use volvelle_objectives::strategy::Policy;
use volvelle_solver::collapsed::Kept;
use volvelle_solver::graph::end_components;
use volvelle_solver::reward::paying;
use volvelle_solver::{CheckError, Context};
use volvelle_space::BitSet;

use super::collapse::go_on_or_remain;

/// A policy for the optimal reward for ever.
pub fn total_policy(
    context: &Context,
    reward: &[f64],
    optimum: Optimum,
    start: &BitSet,
) -> Result<Policy, CheckError> {
    let space = context.space;
    let n = space.num_states();
    let everywhere = BitSet::full(n);
    if optimum == Optimum::Min && reward.iter().any(|&r| r < 0.0) {
        // It may go on from where staying is free, to earn less.
        let free = end_components(space, &everywhere, |choice| reward[choice] == 0.0);
        let mut policy = Policy::first(space);
        free.iter().for_each(|members| policy.stay(space, members, |choice| free.staying.contains(choice)));
        let remain = vec![0.0; free.iter().count()];
        let reward = |choice: usize| reward[choice];
        let kept = Kept { states: &everywhere, found: &free, remain: &remain, reward: &reward };
        go_on_or_remain(context, &kept, optimum, start, &mut policy)?;
        return Ok(policy);
    }
    if optimum == Optimum::Min {
        // A run with a finite sum ends where staying is free, and stays there.
        let free = end_components(space, &everywhere, |choice| reward[choice] == 0.0);
        let target = BitSet::of(n, free.states.iter().map(|&s| s as usize));
        let objective = Objective {
            optimum,
            left: everywhere,
            right: target,
            reward: Some(reward.to_vec()),
            negated: false,
            bound: None,
            start: start.clone(),
        };
        let mut policy = Policy::of_choices(optimal(context, &objective)?.choices);
        for members in free.iter() {
            policy.stay(space, members, |choice| free.staying.contains(choice));
        }
        return Ok(policy);
    }
    let found = end_components(space, &everywhere, |_| true);
    let staying = |choice: usize| found.staying.contains(choice);
    let mut policy = Policy::first(space);
    found.iter().for_each(|members| policy.stay(space, members, staying));
    // Where a choice pays that can be repeated for ever: back to it, again and again.
    let pays = |choice: &usize| staying(*choice) && reward[*choice] > 0.0;
    let payers: Vec<(usize, usize)> = (found.states.iter())
        .filter_map(|&s| Some((s as usize, space.choices_of(s as usize).find(pays)?)))
        .collect();
    payers.iter().for_each(|&(s, choice)| policy.set(s, choice as u32));
    let predecessors = context.predecessors();
    policy.lead(&predecessors, payers.iter().map(|&(s, _)| s as u32), staying);
    let endless = paying(context, &found, |choice| reward[choice] > 0.0);
    let mut leading = policy.clone();
    leading.lead(&predecessors, endless.iter().map(|s| s as u32), |_| true);
    let infinite = predecessors.reach(&endless, None);
    let mut towards = infinite.clone();
    towards.subtract(&endless);
    policy.take(&towards, &leading);
    let keep = infinite.complement();
    let remain = vec![0.0; found.iter().count()];
    let kept = Kept { states: &keep, found: &found, remain: &remain, reward: &|choice| reward[choice] };
    go_on_or_remain(context, &kept, Optimum::Max, start, &mut policy)?;
    Ok(policy)
}
