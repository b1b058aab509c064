//! The probability for amounts that grow without end.

use volvelle_logic::{Optimum, Quantile};
use volvelle_space::BitSet;

use super::CostBound;
use crate::context::Context;
use crate::error::CheckError;
use crate::graph::end_components;
use crate::numbers::Numbers;
use crate::reach;
use crate::reward::choice_rewards;
use crate::reward_bounded::probabilities;
use volvelle_logic::Counted;

/// The limit of the probability as the open amount of a quantile grows.
///
/// For a budget it is the probability without that bound: reaching the right side takes finitely many steps, and for a
/// minimum the schedulers are compact and the probability of an open event is semicontinuous.
pub fn probability(
    context: &Context,
    left: &BitSet,
    right: &BitSet,
    quantile: &Quantile,
    optimum: Optimum,
    needed: &BitSet,
) -> Result<Numbers, CheckError> {
    let mut bounds: Vec<CostBound> = quantile.bounds.clone();
    if quantile.upper {
        bounds[quantile.open].upper = None;
    } else {
        bounds[quantile.open].lower = None;
    }
    let unbounded = bounds.iter().all(|bound| bound.upper.is_none() && bound.lower.is_none());
    if quantile.upper {
        if unbounded {
            return reach::until(context, left, right, optimum);
        }
        let answered = probabilities(context, left, right, &[&bounds], optimum, Some(needed))?.pop();
        let answered = answered.ok_or(CheckError::EmptyFilter)?;
        let bounds = answered.bounds.expand(context.states());
        return Ok(Numbers { bounds, method: answered.method, stop: answered.stop });
    }
    if !unbounded {
        let what = "a quantile over a lower bound together with other bounds".to_string();
        return Err(CheckError::NotYetEvaluated { what });
    }
    let spent = match quantile.bounds[quantile.open].counted {
        Counted::Steps => vec![1.0; context.space.num_choices()],
        Counted::Reward(id) => choice_rewards(context, id)?,
    };
    endless(context, left, right, &spent, optimum)
}

/// The optimal probability of reaching `right` through `left` after any amount has been spent.
fn endless(
    context: &Context,
    left: &BitSet,
    right: &BitSet,
    spent: &[f64],
    optimum: Optimum,
) -> Result<Numbers, CheckError> {
    let space = context.space;
    let n = context.states();
    let members = |sets: &mut dyn Iterator<Item = &[u32]>| BitSet::of(n, sets.flatten().map(|&s| s as usize));
    if optimum == Optimum::Min {
        // Some amount is too much for a path that leaves `left`, or spends finitely much, or sees `right` finitely often.
        let mut fails = left.complement();
        let free = end_components(space, left, |choice| spent[choice] == 0.0);
        let mut missing = left.clone();
        missing.subtract(right);
        let without = end_components(space, &missing, |_| true);
        fails.unite(&members(&mut free.iter()));
        fails.unite(&members(&mut without.iter()));
        return Ok(reach::until(context, &BitSet::full(n), &fails, Optimum::Max)?.complement());
    }
    // Where spending can go on for ever, a scheduler spends what is asked for, and goes to the right side then.
    let found = end_components(space, left, |_| true);
    let pays = |component: &&[u32]| {
        let mut choices = component.iter().flat_map(|&s| space.choices_of(s as usize));
        choices.any(|choice| found.staying.contains(choice) && spent[choice] > 0.0)
    };
    let paying = members(&mut found.iter().filter(pays));
    let then = reach::until(context, left, right, optimum)?;
    let mut unknown = context.predecessors().reach(&paying, Some(left));
    unknown.subtract(&paying);
    let value = |s: usize| if paying.contains(s) { then.bounds[s] } else { [0.0; 2] };
    if unknown.count() == 0 {
        return Ok(Numbers { bounds: (0..n).map(value).collect(), method: then.method, stop: then.stop });
    }
    let mut reached = reach::terminal(context, &unknown, Optimum::Max, value)?;
    reached.stop = reached.stop.max(then.stop);
    Ok(reached)
}
