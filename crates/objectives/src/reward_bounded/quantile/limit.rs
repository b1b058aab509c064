//! The probability for amounts that grow without end.

use volvelle_logic::{CostBound, Optimum, Quantile};
use volvelle_solver::graph::{end_components, members};
use volvelle_solver::{CheckError, Context, Numbers, reach};
use volvelle_space::BitSet;

use crate::reward_bounded::probabilities;

/// What the probability tends to as the open amount of a quantile grows.
///
/// For a budget it is the probability without that bound: reaching the right side takes finitely many steps, and for a
/// minimum the schedulers are compact and the probability of an open event is semicontinuous.
pub enum Large {
    /// The probability without any bound.
    Unbounded,
    /// That within the other bounds.
    Within(Vec<CostBound>),
    /// That of the runs which never get to these states, where some amount is too much: their least one.
    Avoids(BitSet),
    /// The largest one of getting to some states, where spending can go on for ever, and to the right side from there.
    Through(BitSet),
}

impl Large {
    /// The limit for a quantile; `spends` says which choices spend something of the open amount.
    pub fn new(
        context: &Context,
        left: &BitSet,
        right: &BitSet,
        quantile: &Quantile,
        optimum: Optimum,
        spends: &dyn Fn(usize) -> bool,
    ) -> Result<Self, CheckError> {
        let mut bounds: Vec<CostBound> = quantile.bounds.clone();
        if quantile.upper {
            bounds[quantile.open].upper = None;
        } else {
            bounds[quantile.open].lower = None;
        }
        let unbounded = bounds.iter().all(|bound| bound.upper.is_none() && bound.lower.is_none());
        if quantile.upper {
            return Ok(if unbounded { Large::Unbounded } else { Large::Within(bounds) });
        }
        if !unbounded {
            let what = "a quantile over a lower bound together with other bounds".to_string();
            return Err(CheckError::NotYetEvaluated { what });
        }
        Ok(Self::endless(context, left, right, optimum, spends))
    }

    /// Reaching `right` through `left` after any amount has been spent.
    fn endless(
        context: &Context,
        left: &BitSet,
        right: &BitSet,
        optimum: Optimum,
        spends: &dyn Fn(usize) -> bool,
    ) -> Self {
        let space = context.space;
        let n = context.states();
        if optimum == Optimum::Min {
            // A path that leaves `left`, or spends finitely much, or sees `right` finitely often.
            let mut fails = left.complement();
            let free = end_components(space, left, |choice| !spends(choice));
            let mut missing = left.clone();
            missing.subtract(right);
            let without = end_components(space, &missing, |_| true);
            fails.unite(&members(n, free.iter()));
            fails.unite(&members(n, without.iter()));
            return Large::Avoids(fails);
        }
        // There a scheduler spends what is asked for, and goes to the right side then.
        let found = end_components(space, left, |_| true);
        let pays = |component: &&[u32]| {
            let mut choices = component.iter().flat_map(|&s| space.choices_of(s as usize));
            choices.any(|choice| found.staying.contains(choice) && spends(choice))
        };
        Large::Through(members(n, found.iter().filter(pays)))
    }

    /// The states of `left` on the way to some others.
    pub fn on_the_way(context: &Context, left: &BitSet, paying: &BitSet) -> BitSet {
        let mut unknown = context.predecessors().reach(paying, Some(left));
        unknown.subtract(paying);
        unknown
    }
}

/// The limit of the probability.
pub fn probability(
    context: &Context,
    (left, right): (&BitSet, &BitSet),
    limit: &Large,
    optimum: Optimum,
    needed: &BitSet,
) -> Result<Numbers, CheckError> {
    let n = context.states();
    match limit {
        Large::Unbounded => reach::until(context, left, right, optimum),
        Large::Within(bounds) => {
            let answered = probabilities(context, left, right, &[bounds], optimum, Some(needed))?.pop();
            let answered = answered.ok_or(CheckError::EmptyFilter)?;
            let bounds = answered.bounds.expand(n);
            Ok(Numbers { bounds, method: answered.method, stop: answered.stop })
        }
        Large::Avoids(fails) => {
            Ok(reach::until(context, &BitSet::full(n), fails, Optimum::Max)?.complement())
        }
        Large::Through(paying) => {
            let then = reach::until(context, left, right, optimum)?;
            let unknown = Large::on_the_way(context, left, paying);
            let value = |s: usize| if paying.contains(s) { then.bounds[s] } else { [0.0; 2] };
            if unknown.count() == 0 {
                let bounds = (0..n).map(value).collect();
                return Ok(Numbers { bounds, method: then.method, stop: then.stop });
            }
            let mut reached = reach::terminal(context, &unknown, Optimum::Max, value)?;
            reached.stop = reached.stop.max(then.stop);
            Ok(reached)
        }
    }
}
