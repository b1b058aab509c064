//! The steps behind one stored source: how to get from it to a stored target, or to an error, through states inside
//! atomic sequences.

use crate::report::{Fault, Trail};
use crate::system::{Expander, System, TRANSIENT};
use crate::transients::FROM_SOURCE;
use crate::unfold::{Call, Origin, Unfolder};

/// What to look for.
#[derive(Clone, Copy, Debug)]
pub enum Goal<'a> {
    /// A stored target.
    State(&'a [u64]),
    /// A stored target by a way that begins with this step.
    StateBy(&'a [u64], u32),
    /// An error of this site.
    Site(u32),
}

/// Steps from a source, and where each leads.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Way {
    /// Steps and states in order.
    pub path: Vec<(u32, Vec<u64>)>,
    /// For an error: the step that erred.
    pub error_step: u32,
    /// For an error: whether the path ends behind the step that erred.
    pub went_on: bool,
}

/// Finds ways; reused from one to the next.
pub struct Guide<'a> {
    words: usize,
    expander: Box<dyn Expander + 'a>,
    unfolder: Unfolder,
}

impl<'a> Guide<'a> {
    /// With a machine of its own.
    pub fn new(system: &'a dyn System) -> Self {
        let words = system.words();
        Guide { words, expander: system.expander(), unfolder: Unfolder::new(words) }
    }

    /// The first way to the goal in the order of the expander, with the fewest states in between. `None` if there
    /// is none, or if a state has no room.
    pub fn way(&mut self, source: &[u64], goal: &Goal<'_>) -> Option<Way> {
        self.unfolder.start();
        while self.unfolder.next(&mut *self.expander, source) == Call::Expanded {
            if let Some(way) = find(&self.unfolder, self.words, goal) {
                return Some(way);
            }
        }
        None
    }
}

/// The error of a site in the last of some stored states, each of which a step leads to from the one before; with the
/// trail there. `None` where a state has no room.
pub fn fault<'s>(
    system: &dyn System,
    mut states: impl Iterator<Item = &'s [u64]>,
    site: u32,
) -> Option<Fault> {
    let mut last = states.next()?;
    let mut trail = Trail { states: vec![last.to_vec()], steps: Vec::new() };
    let mut guide = Guide::new(system);
    let mut depth = 0;
    for state in states {
        trail.append(guide.way(last, &Goal::State(state))?.path);
        last = state;
        depth += 1;
    }
    let Way { path, error_step, went_on } = guide.way(last, &Goal::Site(site))?;
    trail.append(path);
    Some(Fault { site, step: error_step, depth, went_on, trail: Some(trail) })
}

/// Looks through what the last call found.
fn find(unfolder: &Unfolder, words: usize, goal: &Goal<'_>) -> Option<Way> {
    let out = &unfolder.out;
    let successor = |at: usize| (out.steps[at] & !TRANSIENT, &out.states[at * words..(at + 1) * words]);
    let (state, by) = match *goal {
        Goal::State(state) => (state, None),
        Goal::StateBy(state, step) => (state, Some(step)),
        Goal::Site(site) => {
            let error = out.errors.iter().find(|error| error.site == site)?;
            let mut path = inner_path(unfolder, unfolder.origin(error.source));
            if let Some(at) = error.successor {
                let (step, state) = successor(at as usize);
                path.push((step, state.to_vec()));
            }
            let error_step = error.step & !TRANSIENT;
            return Some(Way { path, error_step, went_on: error.successor.is_some() });
        }
    };
    let mut first = 0;
    for (call, &end) in out.ends.iter().enumerate() {
        let origin = unfolder.origin(call as u32);
        let begins = |at: usize| match origin {
            Origin::Source(_) => out.steps[at],
            Origin::Inner(index) => unfolder.inner.first_step(index as usize),
        };
        let found = (first..end as usize).find(|&at| {
            out.steps[at] & TRANSIENT == 0
                && successor(at).1 == state
                && by.is_none_or(|step| step == begins(at))
        });
        if let Some(at) = found {
            let mut path = inner_path(unfolder, origin);
            path.push((successor(at).0, state.to_vec()));
            return Some(Way { path, ..Way::default() });
        }
        first = end as usize;
    }
    None
}

/// The way from the source to a state inside an atomic sequence.
fn inner_path(unfolder: &Unfolder, mut origin: Origin) -> Vec<(u32, Vec<u64>)> {
    let mut path = Vec::new();
    while let Origin::Inner(index) = origin {
        let (parent, step) = unfolder.inner.parent(index as usize);
        path.push((step, unfolder.inner.state(index as usize).to_vec()));
        origin = if parent == FROM_SOURCE { Origin::Source(0) } else { Origin::Inner(parent) };
    }
    path.reverse();
    path
}
