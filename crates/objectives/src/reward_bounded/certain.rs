//! States from which the right side is reached within bounds almost surely: by the graph alone, epoch by epoch.

use rustc_hash::FxHashMap;
use volvelle_logic::{CostBound, Optimum};
use volvelle_solver::graph::{Predecessors, prob01};
use volvelle_solver::reach::prob01_until;
use volvelle_solver::{CheckError, Context};
use volvelle_space::BitSet;

use super::costs::Costs;
use super::layer::sure_space;
use super::require_discrete;
use super::schedule::Schedule;

/// The states in which the probability of `left U right` within bounds is one.
pub fn certain(
    context: &Context,
    left: &BitSet,
    right: &BitSet,
    bounds: &[CostBound],
    optimum: Optimum,
) -> Result<BitSet, CheckError> {
    require_discrete(context)?;
    let optimum = if context.is_chain() { Optimum::Max } else { optimum };
    let states = context.states();
    let mut relevant = left.clone();
    relevant.subtract(&prob01_until(context, left, right, optimum).zero);
    let costs = Costs::new(context, &[bounds], &relevant, None)?;
    let Some(start) = costs.start(bounds) else { return Ok(BitSet::new(states)) };
    let schedule = Schedule::new(&costs, [&start].into_iter(), context.control)?;
    let key = &schedule.key;
    let mut known: FxHashMap<u64, BitSet> = FxHashMap::default();
    for number in schedule.numbers() {
        context.control.check()?;
        context.control.check_memory((known.len() as u64 + 1) * states as u64 / 8)?;
        let sure = of_epoch(context, &costs, (left, right), optimum, &key.epoch(number), |rest| {
            known.get(&key.of(rest))
        });
        known.insert(number, sure);
    }
    Ok(known.remove(&key.of(&start)).unwrap_or_else(|| BitSet::new(states)))
}

/// The states of an epoch in which the probability is one; `known` gives those of earlier epochs.
pub fn of_epoch<'k>(
    context: &Context,
    costs: &Costs,
    (left, right): (&BitSet, &BitSet),
    optimum: Optimum,
    epoch: &[u32],
    known: impl Fn(&[u32]) -> Option<&'k BitSet>,
) -> BitSet {
    let met = costs.met(epoch);
    let after = costs.after_each(epoch, known);
    let accepts = costs.accepts(met);
    let mut via = left.clone();
    if accepts {
        via.subtract(right);
    }
    let space = sure_space(context, costs, met, &via, &after);
    let n = context.states();
    let reached = right.iter().filter(|_| accepts);
    let goal = BitSet::of(n + 2, reached.chain([n]));
    let inside = BitSet::of(n + 2, via.iter());
    let sure = prob01(&space, &Predecessors::new(&space), &inside, &goal, optimum).one;
    BitSet::of(n, sure.iter().filter(|&s| s < n))
}
