//! The least cost with which one configuration reaches the goal, by time slices.
//!
//! States are explored in the order of cost: all states of the least open cost, including successors of the
//! same cost, and then those of the next cost. A lower bound on the remaining cost is added if it is known
//! (module `remaining`). So the first goal state has the least cost, and the proof is that no earlier slice
//! has one (A. J. Wijs, B. Lisser, *Distributed extended beam search for quantitative model checking*,
//! MoChArt 2006; T. C. Ruys, *Optimal scheduling using branch and bound with SPIN 4.0*, SPIN 2003). No step
//! decreases the cost, so states of a finished slice never return in a later one. Finished slices are
//! dropped, which saves memory (S. Christensen, L. M. Kristensen, T. Mailund, *A sweep-line method for state
//! space exploration*, TACAS 2001).

use super::Halt;
use super::clock::{Closed, Entered};
use super::states::StateSet;
use super::subject::Subject;
use super::unfolding::Unfolder;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// States that are expanded at once.
const BATCH: usize = 256;

/// A second attempt without a closed list expands at most `MORE` times the states of the first, plus
/// `AT_LEAST`.
const MORE: u64 = 4;
const AT_LEAST: u64 = 1 << 12;

/// If nothing was found up to this cost, the partial result is worth reporting although the margin ended
/// there.
const FAR: i64 = 1 << 24;

/// How far a configuration is explored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Extent {
    /// All states up to a cost, or up to the least cost of a goal state found.
    UpTo(i64),
    /// All of them.
    Everything,
}

/// The results for a configuration.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Explored {
    /// The least cost of the goal states found.
    pub least: Option<i64>,
    /// The greatest.
    pub greatest: Option<i64>,
    /// Every state that costs less was expanded.
    pub below: i64,
    /// Whether states were left out because they cost too much.
    pub cut: bool,
    /// States without successors in which the goal does not hold.
    pub dead_ends: u64,
    /// Whether nothing is left to explore within the extent.
    pub complete: bool,
    /// Number of states left out because another state, alike except for the clock, costs less.
    pub dominated: u64,
    /// If set: the result says nothing about runs that cost more than this.
    pub most: Option<i64>,
}

impl Explored {
    fn reached(&mut self, cost: i64) {
        self.least = Some(self.least.map_or(cost, |least| least.min(cost)));
        self.greatest = Some(self.greatest.map_or(cost, |greatest| greatest.max(cost)));
    }

    /// Restricts the result to costs at which states and those that stand for them are equivalent: up to
    /// `most`.
    fn keep_margin(&mut self, most: i64, extent: Extent) -> Result<(), Halt> {
        let needed = match (self.least, extent) {
            (Some(least), _) => least,
            (None, Extent::UpTo(most)) if self.cut => most,
            // No run was found, so the result is about all costs.
            _ => i64::MAX,
        };
        if needed <= most {
            return Ok(());
        }
        if self.least.is_some() || most < FAR {
            return Err(Halt::NoMargin);
        }
        (self.most, self.cut) = (Some(most), true);
        Ok(())
    }
}

/// Explores a configuration from its first states, with their costs. If a limit ends this, `explored` has
/// what was found so far.
pub(super) fn explore(
    unfolder: &mut Unfolder<'_>,
    starts: &[(i64, Vec<u64>)],
    extent: Extent,
    explored: &mut Explored,
) -> Result<(), Halt> {
    let before = unfolder.states;
    let closed = unfolder.subject.closed();
    explore_within(unfolder, starts, extent, closed, u64::MAX, explored)?;
    if explored.most.is_some() {
        // No run was found up to the margin. If the state space is not much larger, a search without a closed
        // list decides whether there is any.
        let most = MORE * (unfolder.states - before) + AT_LEAST;
        let mut all = Explored::default();
        explore_within(unfolder, starts, extent, None, most, &mut all)?;
        if all.complete {
            *explored = all;
        }
    }
    Ok(())
}

/// Like [`explore`], with or without a closed list. Stops when more than `states` states were expanded.
fn explore_within<'s>(
    unfolder: &mut Unfolder<'s>,
    starts: &[(i64, Vec<u64>)],
    extent: Extent,
    closed: Option<(Closed<'s>, i64)>,
    states: u64,
    explored: &mut Explored,
) -> Result<(), Halt> {
    let before = unfolder.states;
    unfolder.start();
    let subject = unfolder.subject;
    let words = volvelle_search::System::words(subject.system);
    let mut slices = Slices { words, open: BTreeMap::new(), bytes: 0, spare: None };
    let (mut closed, margin) = closed.unzip();
    let first = starts.iter().map(|start| start.0).min().unwrap_or(0);
    // Up to this cost, states and those that stand for them are equivalent.
    let most = first.saturating_add(margin.unwrap_or(i64::MAX));
    let mut remaining = match extent {
        Extent::UpTo(limit) => subject.remaining((first, limit.min(most))),
        Extent::Everything => None,
    };
    // A lower bound on the cost of the goal for runs through a state; never below that of its predecessors.
    let mut total = |state: &[u64], cost: i64, least: i64| {
        remaining.as_mut().map_or(cost, |remaining| remaining.total(state, cost)).max(least)
    };
    for (cost, state) in starts {
        if subject.is_goal(state)? {
            explored.reached(*cost);
        } else {
            slices.insert(total(state, *cost, *cost), state);
        }
    }
    let (mut sources, mut costs) = (Vec::new(), Vec::new());
    while let Some((least, mut slice)) = slices.open.pop_first() {
        let limit = |explored: &Explored| match extent {
            Extent::UpTo(most) => most.min(explored.least.unwrap_or(most)),
            Extent::Everything => i64::MAX,
        };
        explored.below = if explored.dominated > 0 { least.min(most) } else { least };
        if least > limit(explored) {
            explored.cut = true;
            break;
        }
        if let Some(closed) = &mut closed {
            slice = slices.without_dominated(subject, slice, closed)?;
            explored.dominated = closed.dominated;
        }
        if unfolder.states - before > states {
            return Ok(());
        }
        let mut at = 0;
        while at < slice.len() {
            sources.clear();
            sources.extend_from_slice(slice.batch(at, BATCH));
            let first = at;
            at += sources.len() / words;
            costs.clear();
            for source in sources.chunks_exact(words) {
                costs.push(subject.cost(source)?);
            }
            // Costs are computed beforehand, since the unfolder is borrowed while it calls the closure.
            let (slices_now, slice_now) = (&mut slices, &mut slice);
            let mut targets =
                Targets { slices: slices_now, slice: slice_now, least, explored, closed: closed.as_mut() };
            let expanded = unfolder.expand_some(&sources, |target| {
                let reached = subject.cost(target.state)?;
                if reached < costs[target.source] {
                    return Err(super::decrease(&sources, words, &target));
                }
                if subject.is_goal(target.state)? {
                    debug_assert!(least <= reached, "the bound of a state exceeds what the goal costs");
                    targets.explored.reached(reached);
                    return Ok(true);
                }
                if reached > limit(targets.explored) {
                    targets.explored.cut = true;
                    return Ok(true);
                }
                if targets.is_dominated(target.state, reached) {
                    return Ok(true);
                }
                let total = total(target.state, reached, least);
                if total > limit(targets.explored) {
                    targets.explored.cut = true;
                    return Ok(true);
                }
                Ok(targets.insert(total, reached, target.state, first + target.source))
            });
            expanded?;
            explored.dead_ends += unfolder.dead_ends();
            explored.dominated = closed.as_ref().map_or(0, |closed| closed.dominated);
            let kept = closed.as_ref().map_or(0, |closed| closed.bytes());
            unfolder.check(slices.bytes + slice.bytes() + kept)?;
        }
        slices.recycle(slice);
    }
    explored.complete = true;
    if explored.dominated > 0 { explored.keep_margin(most, extent) } else { Ok(()) }
}

/// States still to be expanded, by cost.
struct Slices {
    words: usize,
    open: BTreeMap<i64, StateSet>,
    /// Approximate size of the open slices in bytes.
    bytes: u64,
    /// The memory of a finished slice, for reuse.
    spare: Option<StateSet>,
}

impl Slices {
    fn insert(&mut self, cost: i64, state: &[u64]) {
        let words = self.words;
        let spare = &mut self.spare;
        let slice =
            self.open.entry(cost).or_insert_with(|| spare.take().unwrap_or_else(|| StateSet::new(words)));
        let before = slice.bytes();
        slice.insert(state);
        self.bytes += slice.bytes() - before;
    }

    /// The states of a new slice that no other state stands for.
    fn without_dominated(
        &mut self,
        subject: &Subject<'_>,
        slice: StateSet,
        closed: &mut Closed<'_>,
    ) -> Result<StateSet, Halt> {
        let mut kept = self.spare.take().unwrap_or_else(|| StateSet::new(self.words));
        for state in slice.batch(0, slice.len()).chunks_exact(self.words) {
            if closed.enter(state, subject.cost(state)?) == Entered::New {
                kept.insert(state);
            }
        }
        self.recycle(slice);
        Ok(kept)
    }

    fn recycle(&mut self, mut slice: StateSet) {
        self.bytes = self.open.values().map(StateSet::bytes).sum();
        slice.clear();
        self.spare = Some(slice);
    }
}

/// Receives the successors of a slice.
struct Targets<'a, 'c> {
    slices: &'a mut Slices,
    slice: &'a mut StateSet,
    /// The key of the slice: a lower bound on the cost of the goal for runs through its states.
    least: i64,
    explored: &'a mut Explored,
    closed: Option<&'a mut Closed<'c>>,
}

impl Targets<'_, '_> {
    /// Whether an equivalent state was reached at a smaller cost.
    fn is_dominated(&mut self, state: &[u64], cost: i64) -> bool {
        self.closed.as_mut().is_some_and(|closed| closed.is_dominated(state, cost))
    }

    /// Adds a state. Returns whether it will be expanded after the state `source` of the slice.
    fn insert(&mut self, total: i64, cost: i64, state: &[u64], source: usize) -> bool {
        if total > self.least {
            self.slices.insert(total, state);
            return true;
        }
        if let Some(closed) = &mut self.closed
            && !closed.is_futile
            && self.slice.find(state).is_none()
        {
            match closed.enter(state, cost) {
                Entered::New => {}
                Entered::Dominated => return true,
                Entered::Alike => return false,
            }
        }
        self.slice.number(state) > source
    }
}
