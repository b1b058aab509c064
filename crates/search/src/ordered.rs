//! The successors of a state in parts, in the order of a depth-first search.
//!
//! A search that continues from the first successor of a state does not need the others until it comes back.
//! So successors are found in parts; a part is found again from its [`Position`] when needed. A part may have
//! precedence: then the others may be left out, if the search makes sure that no step is ignored forever.

use crate::successors::{Exit, Expander, Successors};
use volvelle_store::hash;

/// The position of a part, which only the expander interprets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position(pub u32);

impl Position {
    /// The first part.
    pub const START: Position = Position(0);
    /// The first part, if no part has precedence.
    pub const START_IN_FULL: Position = Position(1);
    /// The position after the last part.
    pub const END: Position = Position(u32::MAX);
}

/// The order of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// From the process that was created last to the first, transitions as they are written: SPIN's order.
    Descending,
    /// The reverse order.
    Ascending,
    /// Random, for each state anew, by this seed.
    Shuffled(u64),
}

/// A part of the successors of a state.
#[derive(Clone, Debug)]
pub struct Part {
    /// Successors of one state, in the order of visiting. The observation is valid only for the first part.
    pub successors: Successors,
    /// The position of the next part; [`Position::END`] if there is none.
    pub next: Position,
    /// Whether it has precedence.
    pub precedes: bool,
}

impl Default for Part {
    fn default() -> Self {
        Part { successors: Successors::default(), next: Position::END, precedes: false }
    }
}

/// Generates the successors of a state part by part.
pub trait OrderedExpander {
    /// The part of a state at a position. A part is empty only if it is the last.
    fn part(&mut self, state: &[u64], at: Position, out: &mut Part) -> Exit;

    /// Sets how far a path-compressing expander may continue after the steps of states, as in
    /// [`Expander::expand_within`]. A part is reproducible only for the same number.
    fn set_reach(&mut self, reach: u64) {
        let _ = reach;
    }

    /// Confirms notes of the states expanded so far, because the search is part of the answer.
    fn confirm_notes(&mut self) {}
}

/// All successors in one part, for systems that have no parts.
pub struct WholeExpander<'a> {
    expander: Box<dyn Expander + 'a>,
    order: Order,
    reach: u64,
    found: Successors,
    /// The successors in their order.
    places: Vec<u32>,
}

impl<'a> WholeExpander<'a> {
    /// From an expander.
    pub fn new(expander: Box<dyn Expander + 'a>, order: Order) -> Self {
        WholeExpander { expander, order, reach: 0, found: Successors::default(), places: Vec::new() }
    }
}

impl OrderedExpander for WholeExpander<'_> {
    fn part(&mut self, state: &[u64], _: Position, out: &mut Part) -> Exit {
        out.next = Position::END;
        out.precedes = false;
        if self.order == Order::Descending {
            return self.expander.expand_within(state, &[self.reach], &mut out.successors);
        }
        let exit = self.expander.expand_within(state, &[self.reach], &mut self.found);
        if let Order::Shuffled(seed) = self.order {
            self.shuffle(seed ^ hash(state));
            rearrange(&self.found, state.len(), &self.places, &mut out.successors);
        } else {
            reverse(&self.found, state.len(), &mut out.successors);
        }
        exit
    }

    fn set_reach(&mut self, reach: u64) {
        self.reach = reach;
    }
}

impl WholeExpander<'_> {
    /// A random order, the same for the same number.
    fn shuffle(&mut self, mut number: u64) {
        self.places.clear();
        self.places.extend(0..self.found.steps.len() as u32);
        for left in (2..=self.places.len()).rev() {
            number = hash(&[number, left as u64]);
            self.places.swap(left - 1, (number % left as u64) as usize);
        }
    }
}

/// The successors of one state in another order: the places of all.
fn rearrange(from: &Successors, words: usize, places: &[u32], to: &mut Successors) {
    to.clear();
    for &place in places {
        let place = place as usize;
        to.steps.push(from.steps[place]);
        to.states.extend_from_slice(&from.states[place * words..(place + 1) * words]);
    }
    to.ends.extend_from_slice(&from.ends);
    to.observations.extend_from_slice(&from.observations);
    to.reduced.extend_from_slice(&from.reduced);
    to.errors.extend_from_slice(&from.errors);
    for error in &mut to.errors {
        let now = |at| places.iter().position(|&place| place == at).map(|now| now as u32);
        error.successor = error.successor.and_then(now);
    }
}

/// The successors of one state in reverse order.
pub fn reverse(from: &Successors, words: usize, to: &mut Successors) {
    let count = from.steps.len();
    to.clear();
    to.steps.extend(from.steps.iter().rev());
    from.states.chunks_exact(words).rev().for_each(|state| to.states.extend_from_slice(state));
    to.ends.extend_from_slice(&from.ends);
    to.observations.extend_from_slice(&from.observations);
    to.reduced.extend_from_slice(&from.reduced);
    to.errors.extend_from_slice(&from.errors);
    for error in &mut to.errors {
        error.successor = error.successor.map(|at| count as u32 - 1 - at);
    }
}
