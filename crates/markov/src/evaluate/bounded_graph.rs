//! Time-bounded until by the graph alone: where its probability is zero, and where it is one.
//!
//! In continuous time any step may take longer than any bound, and may be as quick as one likes: the probability is one only
//! where the target is, and zero only where it cannot be reached at all. In discrete time, sets of states that can (must)
//! reach the target within k steps grow with k.

use volvelle_logic::{Optimum, TimeBound};
use volvelle_space::{BitSet, Kind};

use crate::context::Context;
use crate::error::CheckError;
use crate::graph::Prob01;
use crate::reach::prob01_until;
use crate::transient::{Window, window};

/// Transitions that are looked at, over all steps, before numbers are the better way.
const MOST_WORK: f64 = 2e8;

/// States where `left U right` within a bound has probability zero, and where one; `None` where this is not known.
pub fn until(
    context: &Context,
    left: &BitSet,
    right: &BitSet,
    bound: &TimeBound,
    optimum: Optimum,
) -> Result<Option<Prob01>, CheckError> {
    let n = context.states();
    if bound.lower > 0.0 || bound.lower_strict {
        return Ok(None);
    }
    let upper = match window(context.space.kind, bound)? {
        Window::Empty => return Ok(Some(Prob01 { zero: BitSet::full(n), one: BitSet::new(n) })),
        Window::Range { upper: Some(upper), .. } => upper,
        Window::Range { upper: None, .. } => return Ok(None),
    };
    if upper == 0.0 {
        return Ok(Some(Prob01 { zero: right.complement(), one: right.clone() }));
    }
    if context.space.kind == Kind::Ctmc {
        let reachable = prob01_until(context, left, right, optimum);
        return Ok(Some(Prob01 { zero: reachable.zero, one: right.clone() }));
    }
    let (mut may, mut must) = (right.clone(), right.clone());
    let mut work = 0.0;
    let mut done = 0.0;
    while done < upper {
        work += context.space.num_transitions() as f64;
        if work > MOST_WORK {
            return Ok(None);
        }
        context.control.check()?;
        let more = back(context, left, right, &may, optimum, |targets, set| {
            targets.iter().any(|&t| set.contains(t as usize))
        });
        let surely = back(context, left, right, &must, optimum, |targets, set| {
            targets.iter().all(|&t| set.contains(t as usize))
        });
        let is_fixed = more == may && surely == must;
        (may, must) = (more, surely);
        done += 1.0;
        if is_fixed {
            break;
        }
    }
    Ok(Some(Prob01 { zero: may.complement(), one: must }))
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
