//! A depth-first search in one configuration for a run that reaches the goal within a cost.
//!
//! In: the first states of a configuration, the greatest cost allowed, and a budget of states. Out: the cost
//! of the first run found, or that there is none. Every state is stored together with its cost, so within the
//! budget, "none" is a proof. Successors are taken in random order, from a random stream for each search.
//!
//! Where only differences of the clock matter (module `clock`), a state is left out if an equivalent one was
//! found at a smaller cost: that one is or will be expanded, and reaches whatever this one reaches within the
//! cost allowed. A state that is found again at a smaller cost is expanded again.

use super::clock::Entered;
use super::random::Random;
use super::states::StateSet;
use super::unfolding::Unfolder;
use super::{Halt, decrease};
use serde::{Deserialize, Serialize};
use volvelle_search::System;

/// States between checks of the limits.
const CHECK_EVERY: u64 = 1 << 10;

/// The outcome of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Descent {
    /// A run reaches the goal with this cost.
    Found(i64),
    /// No run reaches the goal within the cost.
    Impossible,
    /// The budget was used up.
    GivenUp,
}

/// Searches for a run that costs at most `most`, expanding at most `budget` states.
pub(super) fn descend(
    unfolder: &mut Unfolder<'_>,
    starts: &[(i64, Vec<u64>)],
    most: i64,
    budget: u64,
    random: &mut Random,
) -> Result<Descent, Halt> {
    unfolder.start();
    let subject = unfolder.subject;
    let words = subject.system.words();
    let mut visited = StateSet::new(words);
    let (mut closed, margin) = subject.closed().unzip();
    let first = starts.iter().map(|start| start.0).min().unwrap_or(0);
    // Numbers of states still to be expanded, the next one last.
    let mut stack: Vec<usize> = Vec::new();
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
        let known = visited.len();
        if visited.number(state) == known {
            stack.push(known);
        }
    }
    let (mut expanded, mut targets, mut source) = (0, Vec::new(), Vec::new());
    while let Some(number) = stack.pop() {
        if expanded == budget {
            return Ok(Descent::GivenUp);
        }
        source.clear();
        source.extend_from_slice(visited.batch(number, 1));
        let cost = subject.cost(&source)?;
        targets.clear();
        let mut found = None;
        unfolder.expand_some(&source, |target| {
            let reached = subject.cost(target.state)?;
            if reached < cost {
                return Err(decrease(&source, words, &target));
            }
            if reached > most {
                return Ok(true);
            }
            if subject.is_goal(target.state)? {
                found = Some(found.map_or(reached, |least: i64| least.min(reached)));
            }
            if let Some(closed) = &mut closed
                && !closed.is_futile
                && visited.find(target.state).is_none()
            {
                match closed.enter(target.state, reached) {
                    Entered::New => {}
                    Entered::Dominated => return Ok(true),
                    Entered::Alike => return Ok(false),
                }
            }
            let known = visited.len();
            let target = visited.number(target.state);
            if target == known {
                targets.push(target);
            }
            Ok(target > number)
        })?;
        if let Some(cost) = found {
            return Ok(Descent::Found(cost));
        }
        expanded += 1;
        random.shuffle(&mut targets);
        stack.extend_from_slice(&targets);
        if expanded % CHECK_EVERY == 0 {
            let kept = closed.as_ref().map_or(0, |closed| closed.bytes());
            unfolder.check(visited.bytes() + (size_of::<usize>() * stack.capacity()) as u64 + kept)?;
        }
    }
    let dominated = closed.map_or(0, |closed| closed.dominated);
    if dominated > 0 && margin.is_some_and(|margin| most > first.saturating_add(margin)) {
        return Err(Halt::NoMargin);
    }
    Ok(Descent::Impossible)
}
