//! Trails of a probe, from its stack.

use super::stack::Stack;
use super::{Goal, Options};
use crate::liveness::{self, Lasso};
use crate::path::{self, PathReconstruction};
use crate::prefix;
use crate::product::Product;
use crate::report::{Fault, Trail};
use crate::system::System;
use crate::trail_builder::{Listing, TrailBuilder};

/// The error of the state on top of the stack.
pub(super) enum Error {
    /// Of this site.
    Site(u32),
    /// The claim accepts, whatever follows.
    Accepted,
    /// It leads to this state, which is on the stack.
    Cycle(Vec<u64>),
}

/// An error with its trail.
pub(super) enum Explained {
    Fault(Fault),
    Lasso(Lasso),
}

/// The stored states on a stack: all of them, or the first and the last ones.
pub(super) struct Chain {
    /// From the initial state up, with the claim's word.
    pub states: Vec<Vec<u64>>,
    /// The number of stored states.
    pub len: usize,
    /// Number of states at the beginning, if states after them are missing.
    pub head: Option<usize>,
    /// Where a cycle to a wanted state begins: the position of that state among all, or of the next one if it
    /// lies inside an atomic sequence; with the state there.
    pub start: Option<(usize, Vec<u64>)>,
}

impl Chain {
    /// Of a stack.
    fn new(stack: &Stack, words: usize, options: &Options<'_>, wanted: Option<&[u64]>) -> Self {
        let is_stored = |state: &[u64]| state[words] & super::INSIDE == 0;
        let mut len = 0;
        stack.each_down(|_, state| len += usize::from(is_stored(state)));
        let half = options.listed.max(1);
        let is_cut = len > options.longest_trail.max(2 * half);
        let mut states = Vec::with_capacity(if is_cut { 2 * half } else { len });
        let (mut at, mut start) = (len, None);
        let mut above: Vec<u64> = Vec::new();
        stack.each_down(|_, state| {
            if is_stored(state) {
                at -= 1;
                if wanted.is_some() {
                    above.clear();
                    above.extend_from_slice(state);
                }
                if !is_cut || at < half || at >= len - half {
                    states.push(state.to_vec());
                }
            }
            if wanted == Some(state) && at < len {
                start = Some((at, above.clone()));
            }
        });
        states.reverse();
        Chain { states, len, head: is_cut.then_some(half), start }
    }

    /// Stored states that are missing.
    fn missing(&self) -> u64 {
        (self.len - self.states.len()) as u64
    }
}

/// The error of the state on top, as a run from an initial state. `None` if the system has no such run.
pub(super) fn explain(
    system: &dyn System,
    options: &Options<'_>,
    stack: &Stack,
    error: Error,
) -> Option<Explained> {
    let words = system.words();
    let wanted = match &error {
        Error::Cycle(state) => Some(&state[..]),
        _ => None,
    };
    let mut chain = Chain::new(stack, words, options, wanted);
    let depth = chain.len as u64 - 1;
    let gap = chain.head.map(|head| (head, chain.missing()));
    let listing = Listing { longest: options.longest_trail, listed: options.listed };
    match error {
        Error::Site(site) => {
            let states = chain.states.iter().map(|state| &state[..words]);
            path::fault(system, states, site, gap, listing)
                .map(|fault| Fault { depth, ..fault })
                .map(Explained::Fault)
        }
        Error::Accepted => {
            let trail = without_stutter(system, &chain, gap, listing)?;
            let fault = Fault { site: prefix::ACCEPTED, step: 0, depth, went_on: false, trail: Some(trail) };
            Some(Explained::Fault(fault))
        }
        Error::Cycle(_) => {
            let Goal::Cycles(goal) = options.goal else { return None };
            let (place, state) = chain.start.take()?;
            chain.states.push(state);
            // A cycle that begins among the missing states is reported to begin at the gap.
            let start = match chain.head {
                Some(head) if place >= head => (place as u64).saturating_sub(chain.missing()) as usize,
                _ => place,
            };
            let start = start.max(chain.head.filter(|_| place != start).unwrap_or(0));
            let (claim, accepting_states, stutter) = goal.parts();
            let claim = &*claim;
            let product =
                Product { system, claim, accepting_states, stutter, processes: None, reduce: false };
            let states: Vec<&[u64]> = chain.states.iter().map(Vec::as_slice).collect();
            liveness::explain(&product, &states, start, gap, listing).map(Explained::Lasso)
        }
    }
}

/// The trail through the states of a chain, without steps in which only the claim moved.
fn without_stutter(
    system: &dyn System,
    chain: &Chain,
    gap: Option<(usize, u64)>,
    listing: Listing,
) -> Option<Trail> {
    let words = system.words();
    let mut paths = PathReconstruction::new(system, listing);
    let mut trail = TrailBuilder::starting(&chain.states.first()?[..words], 0, listing);
    for (at, pair) in chain.states.windows(2).enumerate() {
        let (from, to) = (&pair[0][..words], &pair[1][..words]);
        if let Some((head, missing)) = gap
            && at + 1 == head
        {
            trail.skip(missing, to, 0);
        } else {
            match paths.segment(from, &path::Goal::State(to)) {
                Some(segment) => trail.append(segment, 0, 0),
                None if from == to => {}
                None => return None,
            }
        }
    }
    Some(trail.finish().0)
}
