//! Path reconstruction: the steps from a stored state to a stored successor or to an error, through states
//! inside atomic sequences.
//!
//! First, this goes step by step. If an atomic sequence turns out to be long, it is searched by an expander
//! that continues in loops and counts steps ([`System::counting_expander`]). Then the listed parts are
//! followed step by step, from the states that this search kept.

use crate::atomic::{AtomicExpander, Call, Origin};
use crate::atomic_queue::FROM_SOURCE;
use crate::report::{Fault, Trail, UNLISTED};
use crate::successors::{Exit, Expander, Successors, TRANSIENT};
use crate::system::System;
use crate::trail_builder::{Listing, PathSegment, TrailBuilder};

/// States inside atomic sequences from which on these are long.
const LONG: usize = 1 << 12;

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

/// Finds path segments; reused from one to the next.
pub struct PathReconstruction<'a> {
    system: &'a dyn System,
    words: usize,
    listing: Listing,
    expander: Box<dyn Expander + 'a>,
    /// For long atomic sequences; created when needed.
    counting: Option<Box<dyn Expander + 'a>>,
    atomic: AtomicExpander,
    found: Successors,
}

impl<'a> PathReconstruction<'a> {
    /// Of long segments, at least as much of the beginning and the end is listed as `listing` asks for.
    pub fn new(system: &'a dyn System, listing: Listing) -> Self {
        let words = system.words();
        PathReconstruction {
            system,
            words,
            listing,
            expander: system.expander(),
            counting: None,
            atomic: AtomicExpander::new(words),
            found: Successors::default(),
        }
    }

    /// The first segment to the goal in the order of the expander, with the fewest states in between unless
    /// it is long. `None` if there is none, or if the layout overflows.
    pub fn segment(&mut self, source: &[u64], goal: &Goal<'_>) -> Option<PathSegment> {
        let mut is_tried = false;
        self.atomic.start();
        while self.atomic.next(&mut *self.expander, source) == Call::Expanded {
            if let Some(found) = find(&self.atomic, self.words, goal) {
                return Some(self.listed(&found));
            }
            if self.atomic.inner.len() > LONG && !is_tried {
                is_tried = true;
                if let Some(segment) = self.long_segment(source, goal) {
                    return Some(segment);
                }
                self.atomic.start();
            }
        }
        None
    }

    /// A segment whose states are all in the queue.
    fn listed(&self, found: &Found) -> PathSegment {
        let mut path: Vec<(u32, Vec<u64>)> = chain(&self.atomic, found.origin)
            .into_iter()
            .map(|index| (self.atomic.inner.parent(index).1, self.atomic.inner.state(index).to_vec()))
            .collect();
        path.extend(found.last.clone().map(|(step, _, state)| (step, state)));
        let (error_step, went_on) = found.error.unwrap_or_default();
        PathSegment { path, gap: None, error_step, went_on }
    }

    /// The segment through a long atomic sequence. `None` also if the system has no counting expander.
    fn long_segment(&mut self, source: &[u64], goal: &Goal<'_>) -> Option<PathSegment> {
        if self.counting.is_none() {
            self.counting = self.system.counting_expander();
        }
        let counting = self.counting.as_mut()?;
        self.atomic.start();
        let found = loop {
            if self.atomic.next(&mut **counting, source) != Call::Expanded {
                return None;
            }
            if let Some(found) = find(&self.atomic, self.words, goal) {
                break found;
            }
        };
        let inner = chain(&self.atomic, found.origin);
        // Legs, from one kept state to the next. The last one leads to the goal, if that is a state.
        let mut legs: Vec<(u32, u32)> = inner
            .iter()
            .map(|&index| (self.atomic.inner.parent(index).1, self.atomic.inner.length(index)))
            .collect();
        let target = match (found.last, found.error) {
            (Some((step, length, state)), None) => {
                legs.push((step, length));
                Some(state)
            }
            _ => None,
        };
        let state = |this: &Self, leg: usize| match leg.checked_sub(1) {
            None => source.to_vec(),
            Some(before) => match inner.get(before) {
                Some(&index) => this.atomic.inner.state(index).to_vec(),
                None => target.clone().unwrap_or_default(),
            },
        };
        let total: u64 = legs.iter().map(|leg| u64::from(leg.1)).sum();
        let is_whole = total <= self.listing.longest as u64;
        let (listed, count) = (self.listing.listed as u64, legs.len());
        let (mut head, mut tail) = (0, count);
        let (mut first_steps, mut last_steps) = (0, 0);
        while head < count && (is_whole || first_steps < listed) {
            first_steps += u64::from(legs[head].1);
            head += 1;
        }
        while tail > head && last_steps < listed {
            tail -= 1;
            last_steps += u64::from(legs[tail].1);
        }
        let mut path = Vec::new();
        let mut gap = None;
        for leg in (0..head).chain(tail..count) {
            if leg == tail && tail > head {
                gap = Some((path.len(), total - first_steps - last_steps));
                path.push((UNLISTED, state(self, tail)));
            }
            let (from, to) = (state(self, leg), state(self, leg + 1));
            path.append(&mut self.walk(&from, legs[leg], &to)?);
        }
        let mut segment = PathSegment { path, gap, error_step: 0, went_on: false };
        if let Goal::Site(site) = *goal {
            let last = state(self, count);
            self.expand(&last)?;
            let error = self.found.errors.iter().find(|error| error.site == site)?;
            segment.error_step = error.step & !TRANSIENT;
            if let Some(at) = error.successor {
                segment.path.push(self.successor(at as usize));
                segment.went_on = true;
            }
        }
        Some(segment)
    }

    /// Expands a state step by step.
    fn expand(&mut self, state: &[u64]) -> Option<()> {
        match self.expander.expand(state, &mut self.found) {
            Exit::Done | Exit::Full => Some(()),
            Exit::LayoutOverflow { .. } => None,
        }
    }

    fn successor(&self, at: usize) -> (u32, Vec<u64>) {
        let state = &self.found.states[at * self.words..(at + 1) * self.words];
        (self.found.steps[at] & !TRANSIENT, state.to_vec())
    }

    /// Follows `length` steps from one state to another: a first step with this number, then the only
    /// possible ones.
    fn walk(&mut self, from: &[u64], (step, length): (u32, u32), to: &[u64]) -> Option<Vec<(u32, Vec<u64>)>> {
        self.expand(from)?;
        let firsts = (0..self.found.steps.len()).map(|at| self.successor(at));
        let firsts: Vec<(u32, Vec<u64>)> = firsts.filter(|first| first.0 == step).collect();
        for first in firsts {
            let mut path = vec![first];
            while path.len() < length as usize {
                let last = path.last().map(|last| last.1.clone()).unwrap_or_default();
                self.expand(&last)?;
                if self.found.steps.len() != 1 {
                    break;
                }
                path.push(self.successor(0));
            }
            if path.len() == length as usize && path.last().is_some_and(|last| last.1 == to) {
                return Some(path);
            }
        }
        None
    }
}

/// The error of a site in the last of some stored states, with the trail through them. A gap gives the number
/// of states missing after its first ones. `None` if the layout overflows.
pub fn fault<'s>(
    system: &dyn System,
    mut states: impl Iterator<Item = &'s [u64]>,
    site: u32,
    gap: Option<(usize, u64)>,
    listing: Listing,
) -> Option<Fault> {
    let mut last = states.next()?;
    let mut trail = TrailBuilder::starting(last, 0, listing);
    let mut paths = PathReconstruction::new(system, listing);
    let mut depth = 0;
    for (at, state) in (1..).zip(states) {
        match gap {
            Some((head, missing)) if at == head => trail.skip(missing, state, 0),
            _ => trail.append(paths.segment(last, &Goal::State(state))?, 0, 0),
        }
        last = state;
        depth += 1;
    }
    let segment = paths.segment(last, &Goal::Site(site))?;
    let (step, went_on) = (segment.error_step, segment.went_on);
    trail.append(segment, 0, 0);
    let trail: Trail = trail.finish().0;
    Some(Fault { site, step, depth, went_on, trail: Some(trail) })
}

/// The place where a goal was found.
struct Found {
    /// The state that leads to it, or that has the error.
    origin: Origin,
    /// The step from there, the number of steps it stands for, and the state that it reached.
    last: Option<(u32, u32, Vec<u64>)>,
    /// For an error: the step that failed, and whether it is the last one.
    error: Option<(u32, bool)>,
}

/// Searches the successors and errors of the last call.
fn find(atomic: &AtomicExpander, words: usize, goal: &Goal<'_>) -> Option<Found> {
    let out = &atomic.out;
    let successor = |at: usize| {
        let length = out.lengths.get(at).copied().unwrap_or(1);
        (out.steps[at] & !TRANSIENT, length, out.states[at * words..(at + 1) * words].to_vec())
    };
    let (state, by) = match *goal {
        Goal::State(state) => (state, None),
        Goal::StateBy(state, step) => (state, Some(step)),
        Goal::Site(site) => {
            let error = out.errors.iter().find(|error| error.site == site)?;
            let last = error.successor.map(|at| successor(at as usize));
            let error_step = (error.step & !TRANSIENT, error.successor.is_some());
            return Some(Found { origin: atomic.origin(error.source), last, error: Some(error_step) });
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
                && out.states[at * words..(at + 1) * words] == *state
                && by.is_none_or(|step| step == begins(at))
        });
        if let Some(at) = found {
            return Some(Found { origin, last: Some(successor(at)), error: None });
        }
        first = end as usize;
    }
    None
}

/// The states of the queue on the path to one of them.
fn chain(atomic: &AtomicExpander, mut origin: Origin) -> Vec<usize> {
    let mut path = Vec::new();
    while let Origin::Inner(index) = origin {
        path.push(index as usize);
        let parent = atomic.inner.parent(index as usize).0;
        origin = if parent == FROM_SOURCE { Origin::Source(0) } else { Origin::Inner(parent) };
    }
    path.reverse();
    path
}
