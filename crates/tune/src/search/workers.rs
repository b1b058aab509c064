//! Independent searches on all threads, and on those of other processes.

use super::unfolding::Unfolder;
use super::{Halt, Shared, Subject};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::sync::atomic::Ordering;
use volvelle_control::TaskQueue;
use volvelle_control::tasks::{Tasks, compute_all, encoded};

/// The result of a task (`None` if it was not begun), and how it ended.
pub(super) type Piece<T> = (Option<T>, Result<(), Halt>);

/// The result of a task, as sent between processes.
#[derive(Serialize, Deserialize)]
struct Done<T> {
    found: T,
    outcome: Result<(), Halt>,
    failures: BTreeSet<u32>,
    states: u64,
    transitions: u64,
}

/// Runs the tasks with numbers below `count`. Returns their results in this order, and the sites at which
/// steps failed. When a task ends with an error, no further task begins: the rest get [`Halt::Elsewhere`].
pub(super) fn each<T: Serialize + DeserializeOwned>(
    subject: &Subject<'_>,
    shared: &Shared<'_>,
    count: usize,
    work: impl Fn(&mut Unfolder<'_>, usize) -> (T, Result<(), Halt>) + Sync,
) -> (Vec<Piece<T>>, BTreeSet<u32>) {
    let control = shared.control;
    let before = (shared.states.load(Ordering::Relaxed), shared.transitions.load(Ordering::Relaxed));
    let worker = |queue: &dyn TaskQueue| {
        let mut unfolder = Unfolder::new(subject, shared);
        while let Some(number) = queue.next() {
            let (states, transitions) = (unfolder.states, unfolder.transitions);
            let (found, outcome) = work(&mut unfolder, number as usize);
            let done = Done {
                found,
                outcome,
                failures: std::mem::take(&mut unfolder.failures),
                states: unfolder.states - states,
                transitions: unfolder.transitions - transitions,
            };
            queue.deliver(number, encoded(&done));
        }
    };
    let ends = |done: &Done<T>| done.outcome.is_err();
    let tasks = Tasks { count, ends: Some(&ends), completes: false };
    let done = match compute_all(&tasks, control, &worker) {
        Ok(done) => done,
        Err(stop) => return (vec![(None, Err(Halt::Stopped(stop)))], BTreeSet::new()),
    };
    // All processes must continue with the same counts, so the work of other processes is included.
    let sum = |of: fn(&Done<T>) -> u64| done.iter().flatten().map(of).sum::<u64>();
    shared.states.store(before.0 + sum(|done| done.states), Ordering::Relaxed);
    shared.transitions.store(before.1 + sum(|done| done.transitions), Ordering::Relaxed);
    let mut failures = BTreeSet::new();
    let is_stopped = control.check().map_err(Halt::Stopped);
    let has_ended = done.iter().flatten().any(|done| done.outcome.is_err());
    let pieces = done.into_iter().map(|done| match done {
        Some(mut done) => {
            failures.append(&mut done.failures);
            (Some(done.found), done.outcome)
        }
        None if has_ended => (None, Err(Halt::Elsewhere)),
        None => (None, Err(is_stopped.clone().err().unwrap_or(Halt::Elsewhere))),
    });
    (pieces.collect(), failures)
}

/// The reason why some tasks ended early. Halts that are answers come before limits, so the choice does not
/// depend on threads.
pub(super) fn first_halt<'h>(outcomes: impl Iterator<Item = &'h Result<(), Halt>>) -> Option<Halt> {
    let halts: Vec<&Halt> = outcomes.filter_map(|outcome| outcome.as_ref().err()).collect();
    let weight = |halt: &Halt| match halt {
        Halt::LayoutOverflow(_) | Halt::NoMargin => 0,
        Halt::Decrease(_) | Halt::Undefined(_) => 1,
        Halt::Stopped(_) => 2,
        Halt::Elsewhere => 3,
    };
    halts.into_iter().min_by_key(|halt| weight(halt)).cloned()
}
