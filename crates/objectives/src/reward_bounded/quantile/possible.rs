//! Amounts with which the right side is possible: where the probability within bounds is positive, by the graph alone, since no
//! bound on a probability tells a small number from zero.

use volvelle_logic::Optimum;
use volvelle_solver::graph::Predecessors;
use volvelle_solver::{CheckError, Context};
use volvelle_space::BitSet;

use super::amounts::Search;
use crate::reward_bounded::costs::{Costs, NONE};

/// Searches the least amount with which the probability is positive or, where `positive` is false, zero; or the largest.
///
/// The states with a positive probability grow with a budget, and shrink with a demand.
pub fn search(
    search: &mut Search,
    left: &BitSet,
    right: &BitSet,
    optimum: Optimum,
    positive: bool,
) -> Result<(), CheckError> {
    let (context, costs) = (search.context, search.costs);
    let predecessors = context.predecessors();
    search.by_sets(positive, |epoch, known| {
        of_epoch(context, &predecessors, costs, (left, right), optimum, epoch, |rest| known.get(rest))
    })
}

/// The states of an epoch from which the right side is reached within the bounds with positive probability: under some
/// scheduler for a maximum, under all of them for a minimum. `known` gives those of earlier epochs.
fn of_epoch<'k>(
    context: &Context,
    predecessors: &Predecessors,
    costs: &Costs,
    (left, right): (&BitSet, &BitSet),
    optimum: Optimum,
    epoch: &[u32],
    known: impl Fn(&[u32]) -> Option<&'k BitSet>,
) -> BitSet {
    let (space, n) = (context.space, context.states());
    let met = costs.met(epoch);
    // The states that a step leads to, if it does not exceed a budget.
    let after = costs.after_each(epoch, known);
    let mut possible = if costs.accepts(met) { right.clone() } else { BitSet::new(n) };
    let mut work: Vec<u32> = possible.iter().map(|s| s as u32).collect();
    // For a minimum, the choices of a state that are not known to be possible.
    let mut missing: Vec<u32> = match optimum {
        Optimum::Max => vec![1; n],
        Optimum::Min => (0..n).map(|s| space.choices_of(s).len() as u32).collect(),
    };
    let mut counted = BitSet::new(space.num_choices());
    let leads_into = |choice: usize, set: &BitSet| {
        space.transitions(choice).any(|(t, probability)| probability > 0.0 && set.contains(t))
    };
    let stays = |choice: usize| costs.step_of[choice] == NONE || !costs.counts(costs.step_of[choice], met);
    for s in left.iter().filter(|&s| !possible.contains(s)).collect::<Vec<_>>() {
        for choice in space.choices_of(s).filter(|&choice| !stays(choice)) {
            let set = after[costs.step_of[choice] as usize];
            if set.is_some_and(|set| leads_into(choice, set)) && counted.insert(choice) {
                missing[s] = missing[s].saturating_sub(1);
            }
        }
        if missing[s] == 0 && possible.insert(s) {
            work.push(s as u32);
        }
    }
    while let Some(state) = work.pop() {
        for &choice in predecessors.of(state as usize) {
            let (choice, source) = (choice as usize, predecessors.owner(choice));
            if !left.contains(source) || possible.contains(source) || !stays(choice) {
                continue;
            }
            if leads_into(choice, &possible) && counted.insert(choice) {
                missing[source] = missing[source].saturating_sub(1);
                if missing[source] == 0 && possible.insert(source) {
                    work.push(source as u32);
                }
            }
        }
    }
    possible
}
