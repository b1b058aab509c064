//! The runs of a program in which the schedule matters for a while.

use super::{Run, Work, steps};
use crate::branches::{Outcome, Paths};
use crate::needed;
use crate::path::End;
use rustc_hash::FxHashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

impl Work<'_> {
    /// Follows the runs without a certificate, branching over the choices of the schedule that matter. `None`
    /// if there are too many of these, or if the runs disagree.
    pub(super) fn branches(&self, certified: &[Run], others: &[Run]) -> Option<Vec<Run>> {
        // Endless runs need a bound instead.
        let is_whole = |run: &Run| run.end == End::Stuck || run.end == End::Unknown;
        if others.is_empty() || !others.iter().all(is_whole) {
            return None;
        }
        let needed = needed::fields(self.compiled.program, &self.asked.roots);
        let (compiled, asked, goal_fields) = (self.compiled, self.asked, self.goal_fields);
        let has_failed = AtomicBool::new(false);
        let is_cancelled = || has_failed.load(Ordering::Relaxed) || self.control.check().is_err();
        let most = self.limits.events_of_run;
        let paths =
            Paths { compiled, asked, goal_fields, needed: &needed, most, is_cancelled: &is_cancelled };
        let beginnings = paths.beginnings(self.limits.runs).ok()?;
        let (next, executed) = (AtomicUsize::new(0), AtomicU64::new(0));
        let found = Mutex::new(Vec::new());
        let take_part = || {
            while let Some(begin) = beginnings.get(next.fetch_add(1, Ordering::Relaxed)) {
                let runs = branched(&paths, begin, certified, others, &executed);
                // Whether this limit is exceeded does not depend on the number of threads.
                let is_known = runs.is_some() && executed.load(Ordering::Relaxed) <= self.limits.events;
                found.lock().unwrap_or_else(PoisonError::into_inner).push(runs.filter(|_| is_known));
                if !is_known {
                    has_failed.store(true, Ordering::Relaxed);
                    return;
                }
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..self.control.threads.max(1) {
                scope.spawn(take_part);
            }
            take_part();
        });
        let found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
        let runs: Vec<Run> = found.into_iter().collect::<Option<Vec<_>>>()?.into_iter().flatten().collect();
        (!runs.is_empty() && agree(&runs)).then_some(runs)
    }
}

/// Whether a run has the same end as some paths.
fn is_end(run: &Run, outcome: &Outcome) -> bool {
    match &outcome.reached {
        Some(_) => run.reached == outcome.reached,
        None => run.end == End::Stuck && run.reached.is_none() && run.observed == outcome.observed,
    }
}

/// Whether runs with the same observations have the same cost, and reach the goal either all or not at all.
fn agree(runs: &[Run]) -> bool {
    let told = |run: &Run| match &run.reached {
        Some(reached) => (Some(reached.observed.clone()), Some(reached.cost)),
        None => (run.observed.clone(), None),
    };
    let mut costs: FxHashMap<Option<Vec<i64>>, Option<i64>> = FxHashMap::default();
    runs.iter().map(told).all(|(observed, cost)| *costs.entry(observed).or_insert(cost) == cost)
}

/// The runs that begin with some choices, whatever the schedule does.
fn branched(
    paths: &Paths<'_, '_>,
    begin: &[u32],
    certified: &[Run],
    others: &[Run],
    executed: &AtomicU64,
) -> Option<Vec<Run>> {
    let begun = certified.iter().filter(|run| run.choices.starts_with(begin));
    // A run that could not be followed may have stopped before these choices.
    let is_lacking = |run: &Run| run.choices.starts_with(begin) || begin.starts_with(&run.choices);
    if begun.clone().next().is_some() && !others.iter().any(is_lacking) {
        return Some(begun.cloned().collect());
    }
    let branches = paths.follow(begin).ok()?;
    executed.fetch_add(branches.executed, Ordering::Relaxed);
    let mut runs = Vec::with_capacity(branches.outcomes.len());
    for outcome in branches.outcomes {
        // Paths need not be runs; so a run with this end must be known.
        let known = certified.iter().chain(others).find(|run| is_end(run, &outcome)).cloned();
        let run = known.or_else(|| taken(paths, begin).filter(|run| is_end(run, &outcome)))?;
        runs.push(Run { certificate: Ok(()), ..run });
    }
    Some(runs)
}

/// A run that begins with some choices.
fn taken(paths: &Paths<'_, '_>, choices: &[u32]) -> Option<Run> {
    let (mut path, executed) = paths.run(choices)?;
    Some(Run {
        choices: choices.to_vec(),
        observed: path.observed(),
        end: End::Stuck,
        steps: steps(&path.items),
        executed,
        locations: path.machine.locations(),
        certificate: Ok(()),
        above: None,
        reached: path.reached,
    })
}
