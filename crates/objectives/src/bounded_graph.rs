//! Time-bounded until by the graph alone: where its probability is zero, and where it is one.
//!
//! In continuous time any step may take longer than any bound, and may be as quick as one likes: within a bound the probability
//! is one only where the target is, and zero only where it cannot be reached at all; and a time before which the target does
//! not count may end in any state that can be reached. In discrete time, sets of states that can (must) reach the target
//! within k steps grow with k, and steps before it counts are made backwards, one by one.

use volvelle_logic::{Optimum, TimeBound};
use volvelle_solver::graph::Prob01;
use volvelle_solver::reach::prob01_until;
use volvelle_solver::{CheckError, Context};
use volvelle_space::{BitSet, Kind};
use volvelle_transient::{Window, window};

/// Transitions that are looked at, over all steps, before numbers are the better way.
const MOST_WORK: f64 = 2e8;

/// What a step costs besides its transitions.
const OVERHEAD: usize = 50;

/// States where `left U right` within a bound has probability zero, and where one; `None` where this is not known.
pub fn until(
    context: &Context,
    left: &BitSet,
    right: &BitSet,
    bound: &TimeBound,
    optimum: Optimum,
) -> Result<Option<Prob01>, CheckError> {
    let n = context.states();
    let Window::Range { lower, upper } = window(context.space.kind, bound)? else {
        return Ok(Some(Prob01 { zero: BitSet::full(n), one: BitSet::new(n) }));
    };
    if context.space.kind == Kind::Ctmc {
        // At time zero, an open bound makes a difference where the target is outside of `left`.
        let is_open = bound.lower_strict && lower == 0.0 && right.iter().any(|s| !left.contains(s));
        return Ok((!is_open).then(|| in_time(context, left, right, lower, upper, optimum)));
    }
    let mut work = 0.0;
    let Some(Prob01 { mut zero, mut one }) = (match upper {
        Some(upper) => within_steps(context, left, right, upper - lower, optimum, &mut work)?,
        None => Some(prob01_until(context, left, right, optimum)),
    }) else {
        return Ok(None);
    };
    // The sets come in a circle in the end (Brent, BIT 20, 1980, finds its length).
    let (nothing, mut done) = (BitSet::new(n), 0.0);
    let (mut seen, mut seen_at, mut next) = ((zero.clone(), one.clone()), 0.0, 1.0);
    while done < lower {
        work += (context.space.num_transitions() + OVERHEAD) as f64;
        if work > MOST_WORK {
            return Ok(None);
        }
        context.control.check()?;
        let may = zero.complement();
        zero = back(context, left, &nothing, &may, optimum, any_in).complement();
        one = back(context, left, &nothing, &one, optimum, all_in);
        done += 1.0;
        if seen.0 == zero && seen.1 == one {
            let period = done - seen_at;
            done += ((lower - done) / period).floor() * period;
        } else if done == next {
            (seen, seen_at, next) = ((zero.clone(), one.clone()), done, 2.0 * done);
        }
    }
    Ok(Some(Prob01 { zero, one }))
}

/// In continuous time, from `lower` on.
fn in_time(
    context: &Context,
    left: &BitSet,
    right: &BitSet,
    lower: f64,
    upper: Option<f64>,
    optimum: Optimum,
) -> Prob01 {
    let mut target = right.clone();
    if upper == Some(lower) {
        // The target cannot be entered at one given moment.
        match lower {
            0.0 => return Prob01 { zero: right.complement(), one: right.clone() },
            _ => target.intersect(left),
        }
    }
    let unbounded = prob01_until(context, left, &target, optimum);
    // Where it is reached for certain if it counts from now on.
    let now = if upper.is_some() { target } else { unbounded.one };
    if lower == 0.0 {
        return Prob01 { zero: unbounded.zero, one: now };
    }
    // Every state that can be reached may be the one in which it begins to count.
    let mut zero = left.complement();
    zero.unite(&unbounded.zero);
    let mut safe = now;
    safe.intersect(left);
    let one = context.predecessors().reach(&safe.complement(), None).complement();
    Prob01 { zero, one }
}

/// In discrete time, within some steps; `None` where that takes too much work.
fn within_steps(
    context: &Context,
    left: &BitSet,
    right: &BitSet,
    steps: f64,
    optimum: Optimum,
    work: &mut f64,
) -> Result<Option<Prob01>, CheckError> {
    let (mut may, mut must) = (right.clone(), right.clone());
    let mut done = 0.0;
    while done < steps {
        *work += context.space.num_transitions() as f64;
        if *work > MOST_WORK {
            return Ok(None);
        }
        context.control.check()?;
        let more = back(context, left, right, &may, optimum, any_in);
        let surely = back(context, left, right, &must, optimum, all_in);
        let is_fixed = more == may && surely == must;
        (may, must) = (more, surely);
        done += 1.0;
        if is_fixed {
            break;
        }
    }
    Ok(Some(Prob01 { zero: may.complement(), one: must }))
}

fn any_in(targets: &[u32], set: &BitSet) -> bool {
    targets.iter().any(|&t| set.contains(t as usize))
}

fn all_in(targets: &[u32], set: &BitSet) -> bool {
    targets.iter().all(|&t| set.contains(t as usize))
}

/// One step backwards: the states of `right`, and those of `left` where the choice that the optimum asks for leads to `set` as
/// `leads` says.
fn back(
    context: &Context,
    left: &BitSet,
    right: &BitSet,
    set: &BitSet,
    optimum: Optimum,
    leads: impl Fn(&[u32], &BitSet) -> bool,
) -> BitSet {
    let space = context.space;
    let mut result = right.clone();
    for s in left.iter().filter(|&s| !right.contains(s)) {
        let mut choices = space.choices_of(s).map(|choice| leads(&space.columns[space.row(choice)], set));
        let holds = match optimum {
            Optimum::Max => choices.any(|holds| holds),
            Optimum::Min => choices.all(|holds| holds),
        };
        if holds {
            result.insert(s);
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use volvelle_control::Control;
    use volvelle_reference::{Random, random_rows, random_set, space, within};
    use volvelle_solver::Options;

    use super::*;
    use crate::path::{Path, probability};

    #[test]
    fn numbers_agree() {
        let mut random = Random(77);
        let (mut zeros, mut ones, mut others) = (0, 0, 0);
        for round in 0..600 {
            let kind = [Kind::Ctmc, Kind::Dtmc, Kind::Mdp][round % 3];
            let n = 2 + random.below(5);
            // Equal weights, so that what is possible is no rarity.
            let mut rows = random_rows(&mut random, n, if kind == Kind::Mdp { 2 } else { 1 });
            for row in rows.iter_mut().flatten() {
                let share = 1.0 / row.len() as f64;
                row.iter_mut().for_each(|entry| entry.1 = share);
            }
            let space = space(kind, &rows);
            let left = match random.below(3) {
                0 => random_set(&mut random, n, 3).complement(),
                _ => BitSet::full(n),
            };
            let right = random_set(&mut random, n, 2);
            let lower =
                [0.0, 1.0, 2.0, 3.0, 37.0, 1000.0][random.below(if kind == Kind::Ctmc { 4 } else { 6 })];
            let upper = [None, Some(lower), Some(lower + 1.0 + random.below(3) as f64)][random.below(3)];
            let bound = within(lower, upper);
            if bound.is_none() {
                continue;
            }
            let control = Control::unlimited();
            let options = Options { precision: 1e-10, ..Options::default() };
            let context = Context::new(&space, options, &control);
            for optimum in [Optimum::Min, Optimum::Max] {
                let found = until(&context, &left, &right, &bound, optimum).unwrap().unwrap();
                let path = Path::Until(left.clone(), right.clone(), bound);
                let numbers = probability(&context, &path, false, optimum, None).unwrap();
                for (s, &[lo, hi]) in numbers.bounds.iter().enumerate() {
                    let what =
                        format!("round {round} {kind:?} {optimum:?} {lower} {upper:?} {s}: [{lo}, {hi}]");
                    match (found.zero.contains(s), found.one.contains(s)) {
                        (true, _) => assert!(hi < 1e-30, "{what}"),
                        (_, true) => assert!(lo > 1.0 - 1e-9 && hi == 1.0, "{what}"),
                        // After many steps, what is possible may be too rare to see.
                        _ => assert!((lo > 0.0 && hi < 1.0) || lower > 30.0, "{what}"),
                    }
                    zeros += usize::from(found.zero.contains(s));
                    ones += usize::from(found.one.contains(s));
                    others += usize::from(lo > 0.0 && hi < 1.0);
                }
            }
        }
        assert!(zeros > 300 && ones > 300 && others > 300, "{zeros} {ones} {others}");
    }
}
