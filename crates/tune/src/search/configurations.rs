//! The configurations of a program: all values that its runs give to the parameters.
//!
//! States are expanded from the initial ones until no process may write a parameter any more (module
//! `writers`). The first such states are grouped by the values of the parameters; each group is a search of
//! its own.

use super::states::StateSet;
use super::unfolding::Unfolder;
use super::writers::Writers;
use super::{Halt, decrease};
use std::collections::BTreeMap;
use volvelle_search::System;

/// States that are expanded at once.
const BATCH: usize = 64;

/// A configuration, with the states in which it is settled and their costs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Configuration {
    /// Values of the parameters.
    pub values: Vec<i64>,
    /// Packed states, each with its cost.
    pub starts: Vec<(i64, Vec<u64>)>,
}

/// The configurations, ordered by their values; and the number of states without successors in which neither
/// the goal holds nor the configuration is settled.
pub(super) fn configurations(
    unfolder: &mut Unfolder<'_>,
    writers: &Writers,
) -> Result<(Vec<Configuration>, u64), Halt> {
    let subject = unfolder.subject;
    let words = subject.system.words();
    let mut open = StateSet::new(words);
    let mut settled = StateSet::new(words);
    let mut found: BTreeMap<Vec<i64>, Vec<(i64, Vec<u64>)>> = BTreeMap::new();
    let mut enter = |state: &[u64], open: &mut StateSet, settled: &mut StateSet| {
        let is_open = subject.locations(state).any(|location| writers.may_write(location));
        if is_open && !subject.is_goal(state)? {
            open.insert(state);
        } else if settled.insert(state) {
            let start = (subject.cost(state)?, state.to_vec());
            found.entry(subject.parameters(state)?).or_default().push(start);
        }
        Ok(())
    };
    for state in subject.system.initial().chunks_exact(words) {
        enter(state, &mut open, &mut settled)?;
    }
    let (mut at, mut dead_ends, mut sources, mut costs) = (0, 0, Vec::new(), Vec::new());
    while at < open.len() {
        sources.clear();
        sources.extend_from_slice(open.batch(at, BATCH));
        at += sources.len() / words;
        costs.clear();
        for state in sources.chunks_exact(words) {
            costs.push(subject.cost(state)?);
        }
        unfolder.expand(&sources, |target| {
            if subject.cost(target.state)? < costs[target.source] {
                return Err(decrease(&sources, words, &target));
            }
            enter(target.state, &mut open, &mut settled)
        })?;
        dead_ends += unfolder.dead_ends();
        unfolder.check(open.bytes() + settled.bytes())?;
    }
    let configurations = found.into_iter().map(|(values, starts)| Configuration { values, starts });
    Ok((configurations.collect(), dead_ends))
}
