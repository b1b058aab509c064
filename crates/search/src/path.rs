//! Path reconstruction: the steps from a stored state to a stored successor, or to an error, through states inside atomic
//! sequences.

use crate::atomic::{AtomicExpander, Call, Origin};
use crate::atomic_queue::FROM_SOURCE;
use crate::report::{Fault, Trail};
use crate::successors::{Expander, TRANSIENT};
use crate::system::System;

/// The end of a path segment.
#[derive(Clone, Copy, Debug)]
pub enum Goal<'a> {
    /// A stored target.
    State(&'a [u64]),
    /// A stored target, on a path that begins with this step.
    StateBy(&'a [u64], u32),
    /// An error of this site.
    Site(u32),
}

/// A path segment: the steps from a stored state to the next stored state, or to an error.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PathSegment {
    /// The steps, each with the state that it leads to.
    pub path: Vec<(u32, Vec<u64>)>,
    /// For an error: the step that failed.
    pub error_step: u32,
    /// For an error: whether the path includes the step that failed.
    pub went_on: bool,
}

/// Finds path segments; reused from one to the next.
pub struct PathReconstruction<'a> {
    words: usize,
    expander: Box<dyn Expander + 'a>,
    atomic: AtomicExpander,
}

impl<'a> PathReconstruction<'a> {
    /// With an expander of its own.
    pub fn new(system: &'a dyn System) -> Self {
        let words = system.words();
        PathReconstruction { words, expander: system.expander(), atomic: AtomicExpander::new(words) }
    }

    /// The first segment to the goal in the order of the expander, with the fewest states in between. `None` if there
    /// is none, or where the layout overflows.
    pub fn segment(&mut self, source: &[u64], goal: &Goal<'_>) -> Option<PathSegment> {
        self.atomic.start();
        while self.atomic.next(&mut *self.expander, source) == Call::Expanded {
            if let Some(segment) = find(&self.atomic, self.words, goal) {
                return Some(segment);
            }
        }
        None
    }
}

/// The error of a site in the last of some stored states, each a successor of the one before; with the trail to it. Behind the first
/// states of a gap so many are missing. `None` where the layout overflows.
pub fn fault<'s>(
    system: &dyn System,
    mut states: impl Iterator<Item = &'s [u64]>,
    site: u32,
    gap: Option<(usize, u64)>,
) -> Option<Fault> {
    let mut last = states.next()?;
    let mut trail = Trail::starting(last);
    let mut paths = PathReconstruction::new(system);
    let mut depth = 0;
    for (at, state) in (1..).zip(states) {
        match gap {
            Some((head, missing)) if at == head => trail.skip(missing, state),
            _ => trail.append(paths.segment(last, &Goal::State(state))?.path),
        }
        last = state;
        depth += 1;
    }
    let PathSegment { path, error_step, went_on } = paths.segment(last, &Goal::Site(site))?;
    trail.append(path);
    Some(Fault { site, step: error_step, depth, went_on, trail: Some(trail) })
}

/// Searches the successors and errors of the last call.
fn find(atomic: &AtomicExpander, words: usize, goal: &Goal<'_>) -> Option<PathSegment> {
    let out = &atomic.out;
    let successor = |at: usize| (out.steps[at] & !TRANSIENT, &out.states[at * words..(at + 1) * words]);
    let (state, by) = match *goal {
        Goal::State(state) => (state, None),
        Goal::StateBy(state, step) => (state, Some(step)),
        Goal::Site(site) => {
            let error = out.errors.iter().find(|error| error.site == site)?;
            let mut path = inner_path(atomic, atomic.origin(error.source));
            if let Some(at) = error.successor {
                let (step, state) = successor(at as usize);
                path.push((step, state.to_vec()));
            }
            let error_step = error.step & !TRANSIENT;
            return Some(PathSegment { path, error_step, went_on: error.successor.is_some() });
        }
    };
    let mut first = 0;
    for (call, &end) in out.ends.iter().enumerate() {
        let origin = atomic.origin(call as u32);
        let begins = |at: usize| match origin {
            Origin::Source(_) => out.steps[at],
            Origin::Inner(index) => atomic.inner.first_step(index as usize),
        };
        let found = (first..end as usize).find(|&at| {
            out.steps[at] & TRANSIENT == 0
                && successor(at).1 == state
                && by.is_none_or(|step| step == begins(at))
        });
        if let Some(at) = found {
            let mut path = inner_path(atomic, origin);
            path.push((successor(at).0, state.to_vec()));
            return Some(PathSegment { path, ..PathSegment::default() });
        }
        first = end as usize;
    }
    None
}

/// The path from the source to a state inside an atomic sequence.
fn inner_path(atomic: &AtomicExpander, mut origin: Origin) -> Vec<(u32, Vec<u64>)> {
    let mut path = Vec::new();
    while let Origin::Inner(index) = origin {
        let (parent, step) = atomic.inner.parent(index as usize);
        path.push((step, atomic.inner.state(index as usize).to_vec()));
        origin = if parent == FROM_SOURCE { Origin::Source(0) } else { Origin::Inner(parent) };
    }
    path.reverse();
    path
}
