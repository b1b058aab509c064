//! Reachability within bounds on what is accumulated on the way: rewards and steps, several at once, from above and below.
//!
//! The state space is not unfolded. An *epoch* says how much of each bound is left; a choice that spends nothing stays in its
//! epoch, any other leads to an earlier one. So epochs are solved one after another, each over the states of the model alone,
//! and only the values that later ones need are kept (Hartmanns, Junges, Katoen and Quatmann, *Multi-cost bounded
//! reachability in MDP*, TACAS 2018, doi:10.1007/978-3-319-89963-3_19; for one cost Klein, Baier et al., *Advances in symbolic
//! probabilistic model checking with PRISM*, TACAS 2016). Differences from their method: all bounds belong to one until, so that
//! spending more than a budget is failing; the structure of an epoch is shared by all with the same demands met
//! (`layer`); components without choices between them and cycles are substituted, and only cycles that spend nothing are
//! solved as equations; and bounds include rounding (`engine`).
//!
//! Rewards that are accumulated within budgets take the same way (`accumulated`).
//!
//! In: sets of states, bounds with amounts as rationals (`costs` turns them into integers), an optimum. Out: bounds of the
//! probability for each state and each list of amounts; or the amount with which it meets a threshold ([`quantile`]). For schedulers,
//! whose memory is the epoch, the model is unfolded after all ([`unfolded`]).

mod accumulated;
mod certain;
mod costs;
mod engine;
mod layer;
mod quantile;
mod schedule;
mod unfolded;

pub use accumulated::accumulated;
pub use certain::certain;
pub use costs::{Costs, Spent};
pub use layer::{EpochGraph, Origin, Problem, budget_space};
pub use quantile::{Decided, Large, Question, Search, quantile, search};
pub use schedule::{Schedule, Solver};
pub use unfolded::{LOST, Unfolded, unfolded, unfolded_by_budgets};

use std::collections::hash_map::Entry;

use rustc_hash::FxHashMap;
use volvelle_control::Fact;
use volvelle_logic::{CostBound, Optimum};
use volvelle_space::{BitSet, Kind};

use engine::Engine;
use layer::Layer;
use schedule::Keys;
use volvelle_solver::cost_cache::{Answered, Key};
use volvelle_solver::horizon_cache::Bounds;
use volvelle_solver::reach::prob01_until;
use volvelle_solver::{CheckError, Context, Numbers};

/// The probability of `left U right` within bounds in every state; precise in the states of `needed` (`None`: all).
///
/// Where the context knows other amounts that will be asked for, one run gives the values for all of them.
pub fn probability(
    context: &Context,
    left: &BitSet,
    right: &BitSet,
    bounds: &[CostBound],
    optimum: Optimum,
    needed: Option<&BitSet>,
) -> Result<Numbers, CheckError> {
    let states = context.states();
    let numbers = |answered: Answered| Numbers {
        bounds: answered.bounds.expand(states),
        method: answered.method,
        stop: answered.stop,
    };
    let Some(cache) = context.costs() else {
        let answered = probabilities(context, left, right, &[bounds], optimum, None)?.pop();
        return answered.map(numbers).ok_or(CheckError::EmptyFilter);
    };
    let needed = needed.cloned();
    let problem = Key { left: left.clone(), right: right.clone(), optimum, needed };
    if let Some(answered) = cache.find(&problem, bounds) {
        return Ok(numbers(answered));
    }
    let all = cache.companions(bounds);
    let queries: Vec<&[CostBound]> = all.iter().map(Vec::as_slice).collect();
    let answered = probabilities(context, left, right, &queries, optimum, problem.needed.as_ref())?;
    let found = all.iter().zip(&answered).find(|(known, _)| known.as_slice() == bounds);
    let found = found.map(|(_, answered)| answered.clone());
    cache.keep(problem, all.into_iter().zip(answered).collect());
    found.map(numbers).ok_or(CheckError::EmptyFilter)
}

/// The values for several lists of amounts.
fn probabilities(
    context: &Context,
    left: &BitSet,
    right: &BitSet,
    queries: &[&[CostBound]],
    optimum: Optimum,
    needed: Option<&BitSet>,
) -> Result<Vec<Answered>, CheckError> {
    require_discrete(context)?;
    let optimum = if context.is_chain() { Optimum::Max } else { optimum };
    let states = context.states();
    let zero = prob01_until(context, left, right, optimum).zero;
    let mut relevant = left.clone();
    relevant.subtract(&zero);
    let costs = Costs::new(context, queries, &relevant, None)?;
    let starts: Vec<Option<Vec<u32>>> = queries.iter().map(|bounds| costs.start(bounds)).collect();
    let schedule = Schedule::new(&costs, starts.iter().flatten(), context.control)?;
    let problem = Problem::new(context, (left, right), zero, optimum, costs);
    let layers = layers(&problem, schedule.met(&problem.costs))?;
    let chain: u64 = problem.costs.dimensions.iter().map(|d| u64::from(d.limit)).sum();
    let mut engine = Engine::new(&problem, &layers, &context.options, chain.min(schedule.epochs()), 1.0);
    engine.total = schedule.epochs();
    context.note(Fact::count("epochs", schedule.epochs()).because("amounts that can be left of the bounds"));
    let of_epochs = problem.entries.len() as u64;
    context.note(Fact::count("states in which epochs are entered", of_epochs));
    let mut found: FxHashMap<u64, Bounds> = FxHashMap::default();
    schedule.run(&problem.costs, &mut engine, |engine, number, epoch| {
        let solved = engine.last(epoch);
        let bounds = match needed {
            None => Bounds::All(solved.all(states)),
            Some(needed) => Bounds::Listed {
                otherwise: [0.0, 1.0],
                listed: needed.iter().map(|s| (s as u32, solved.bounds(s))).collect(),
            },
        };
        found.insert(number, bounds);
        Ok(())
    })?;
    let key = &schedule.key;
    let (method, stop) = (engine.method(), engine.stop());
    let answered = starts.iter().map(|start| {
        let bounds = start.as_ref().and_then(|start| found.get(&key.of(start)).cloned());
        let bounds = bounds.unwrap_or(Bounds::Listed { otherwise: [0.0; 2], listed: Vec::new() });
        Answered { bounds, method: method.clone(), stop }
    });
    Ok(answered.collect())
}

/// Refuses models whose steps take time.
pub fn require_discrete(context: &Context) -> Result<(), CheckError> {
    match context.space.kind {
        Kind::Dtmc | Kind::Mdp => Ok(()),
        kind => Err(CheckError::WrongKind {
            what: "a bound on a reward or on steps of a path".to_string(),
            kind: kind.name(),
        }),
    }
}

/// The layers for some sets of demands that are met.
fn layers(problem: &Problem, met: impl Iterator<Item = u32>) -> Result<FxHashMap<u32, Layer>, CheckError> {
    let mut layers = FxHashMap::default();
    for met in met {
        if let Entry::Vacant(place) = layers.entry(met) {
            place.insert(Layer::new(problem, met)?);
        }
    }
    Ok(layers)
}
