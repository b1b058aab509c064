//! A depth-first search of one configuration for a run that reaches the goal within a cost.
//!
//! In: the first states of a configuration, the greatest cost allowed, and a budget. Out: the cost of the first run found; or that
//! there is none. Every state is kept, with its cost in it, so that an answer without a run is a proof where the budget was enough.
//! The order of successors is random, a stream for each search.

use super::random::Random;
use super::states::StateSet;
use super::unfolding::Unfolder;
use super::{Halt, decrease};
use volvelle_search::System;

/// States between two looks at the limits.
const CHECK_EVERY: u64 = 1 << 10;

/// The outcome of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Descent {
    /// A run reaches the goal with this cost.
    Found(i64),
    /// No run does within the cost.
    Impossible,
    /// The budget was used up.
    GivenUp,
}

/// Searches for a run that costs `most` at most, expanding `budget` states at most.
pub(super) fn descend(
    unfolder: &mut Unfolder<'_>,
    starts: &[(i64, Vec<u64>)],
    most: i64,
    budget: u64,
    random: &mut Random,
) -> Result<Descent, Halt> {
    let subject = unfolder.subject;
    let words = subject.system.words();
    let mut visited = StateSet::new(words);
    // States whose successors are not known yet, the next one last.
    let mut stack: Vec<u64> = Vec::new();
    let mut order: Vec<usize> = (0..starts.len()).collect();
    random.shuffle(&mut order);
    for &start in &order {
        let (cost, state) = &starts[start];
        if *cost > most {
            continue;
        }
        if subject.is_goal(state)? {
            return Ok(Descent::Found(*cost));
        }
        if visited.insert(state) {
            stack.extend_from_slice(state);
        }
    }
    let (mut expanded, mut targets, mut source) = (0, Vec::new(), Vec::new());
    while !stack.is_empty() {
        if expanded == budget {
            return Ok(Descent::GivenUp);
        }
        source.clear();
        source.extend(stack.drain(stack.len() - words..));
        let cost = subject.cost(&source)?;
        targets.clear();
        let mut found = None;
        unfolder.expand(&source, |target| {
            let reached = subject.cost(target.state)?;
            if reached < cost {
                return Err(decrease(&source, words, &target));
            }
            if reached <= most {
                if subject.is_goal(target.state)? {
                    found = Some(found.map_or(reached, |least: i64| least.min(reached)));
                }
                targets.extend_from_slice(target.state);
            }
            Ok(())
        })?;
        if let Some(cost) = found {
            return Ok(Descent::Found(cost));
        }
        expanded += 1;
        let count = targets.len() / words;
        order.clear();
        order.extend(0..count);
        random.shuffle(&mut order);
        for &target in &order {
            let state = &targets[target * words..(target + 1) * words];
            if visited.insert(state) {
                stack.extend_from_slice(state);
            }
        }
        if expanded % CHECK_EVERY == 0 {
            unfolder.check(visited.bytes() + 8 * stack.capacity() as u64)?;
        }
    }
    Ok(Descent::Impossible)
}
