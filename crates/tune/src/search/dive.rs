//! A random run of a configuration, to the goal or a limit.

use super::random::Random;
use super::unfolding::Unfolder;
use super::{Halt, decrease};
use volvelle_search::System;

/// Steps between checks of the limits.
const CHECK_EVERY: u64 = 1 << 10;

/// Follows a random run until the goal holds, and returns its cost. `None` if the run ends before, costs more
/// than `most`, or exceeds the limit of steps.
pub(super) fn dive(
    unfolder: &mut Unfolder<'_>,
    starts: &[(i64, Vec<u64>)],
    most: i64,
    steps: u64,
    random: &mut Random,
) -> Result<Option<i64>, Halt> {
    let subject = unfolder.subject;
    let words = subject.system.words();
    let (mut cost, mut state) = starts[random.below(starts.len())].clone();
    let mut targets: Vec<u64> = Vec::new();
    for step in 0..steps {
        if cost > most {
            return Ok(None);
        }
        if subject.is_goal(&state)? {
            return Ok(Some(cost));
        }
        targets.clear();
        unfolder.expand_as_they_are(&state, |target| {
            if subject.cost(target.state)? < cost {
                return Err(decrease(&state, words, &target));
            }
            targets.extend_from_slice(target.state);
            Ok(())
        })?;
        if targets.is_empty() {
            return Ok(None);
        }
        let one = random.below(targets.len() / words);
        state.copy_from_slice(&targets[one * words..(one + 1) * words]);
        cost = subject.cost(&state)?;
        if step % CHECK_EVERY == 0 {
            unfolder.check(0)?;
        }
    }
    Ok(None)
}
