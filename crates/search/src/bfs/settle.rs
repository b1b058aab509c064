//! That no step is put off for ever, where successors are left out.
//!
//! It is enough that from every state one is within reach of which all successors are visited (Valmari, *Stubborn sets
//! for reduced state space generation*, Petri Nets 1989: the terminal strong components decide): steps that are left
//! out remain possible on the way there, and are taken there at the latest. Whether that is so is looked at when the
//! search has run out of states. A state with a successor on the next level leaves the question to that; so only those
//! without one are looked at, the *bottoms*. From each, a depth-first search goes on until it meets a state of which the
//! answer is known, or has gone through a whole strong component without a way out (Tarjan, *Depth-first search and linear graph
//! algorithms*, SIAM J. Comput. 1, 1972). Of such a component the smallest state is expanded in full, and the search goes on
//! from there. Which components these are depends on nothing but the system.

use super::Shared;
use super::worker::Worker;
use crate::stack::Stack;
use crate::visited::Halt;
use rustc_hash::FxHashMap;

/// Expansions between two looks at the limits.
const CHECK_EVERY: u32 = 256;

/// A state to be expanded in full.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pick {
    /// Its number.
    pub state: u32,
    /// How many of its transitions were visited before.
    pub transitions: u64,
}

/// Looks at states, one after the other.
pub struct Settling<'w, 'a> {
    shared: &'a Shared<'a>,
    worker: &'w mut Worker<'a>,
    /// The way from the state that is looked at.
    path: Stack,
    /// Places on the way of the states on it.
    places: Vec<u32>,
    /// The states met on the way, in that order; how many transitions each has; the least place within reach, as in
    /// Tarjan's algorithm.
    met: Vec<u32>,
    transitions: Vec<u64>,
    least: Vec<u32>,
    place_of: FxHashMap<u32, u32>,
    targets: Vec<u32>,
    until_check: u32,
}

impl<'w, 'a> Settling<'w, 'a> {
    /// With the machine of a worker.
    pub fn new(worker: &'w mut Worker<'a>) -> Self {
        Settling {
            shared: worker.shared,
            worker,
            path: Stack::default(),
            places: Vec::new(),
            met: Vec::new(),
            transitions: Vec::new(),
            least: Vec::new(),
            place_of: FxHashMap::default(),
            targets: Vec::new(),
            until_check: 0,
        }
    }

    /// The states that have to be expanded in full, for the sake of these ones.
    pub fn picks(&mut self, bottoms: &[u32]) -> Result<Vec<Pick>, Halt> {
        let mut picks = Vec::new();
        for &bottom in bottoms {
            if !self.shared.settled.contains(bottom) {
                picks.extend(self.look(bottom)?);
            }
        }
        picks.sort_unstable();
        Ok(picks)
    }

    /// Settles a state and all that the search for it meets; gives the state to be expanded for that, if one has to be.
    fn look(&mut self, start: u32) -> Result<Option<Pick>, Halt> {
        self.path.clear();
        self.places.clear();
        self.met.clear();
        self.transitions.clear();
        self.least.clear();
        self.place_of.clear();
        let mut is_settled = !self.enter(start)?;
        let mut pick = None;
        // Everything met can reach the state on top, and so what that can reach.
        while let Some(&place) = self.places.last()
            && !is_settled
        {
            let place = place as usize;
            match self.path.next_target() {
                Some(target) if self.shared.settled.contains(target) => is_settled = true,
                Some(target) => match self.place_of.get(&target) {
                    Some(&other) => self.least[place] = self.least[place].min(other),
                    None => is_settled = !self.enter(target)?,
                },
                None if self.least[place] as usize == place => {
                    pick = self.smallest(place);
                    break;
                }
                None => {
                    self.path.pop();
                    self.places.pop();
                    if let Some(&below) = self.places.last() {
                        let least = self.least[place];
                        let below = &mut self.least[below as usize];
                        *below = least.min(*below);
                    }
                }
            }
        }
        for &state in &self.met {
            self.shared.settled.insert(state);
        }
        Ok(pick)
    }

    /// Puts a state on the way; gives whether successors are left out of it.
    fn enter(&mut self, state: u32) -> Result<bool, Halt> {
        if self.until_check == 0 {
            self.until_check = CHECK_EVERY;
            self.shared.visited.check(self.bytes())?;
        }
        self.until_check -= 1;
        self.targets.clear();
        let is_reduced = self.worker.reduced_targets(state, &mut self.targets)?;
        let place = self.met.len() as u32;
        self.path.push(state, &self.targets, 0);
        self.places.push(place);
        self.met.push(state);
        self.transitions.push(self.targets.len() as u64);
        self.least.push(place);
        self.place_of.insert(state, place);
        Ok(is_reduced)
    }

    /// Of the states met from a place on, the smallest: numbers are a matter of chance, states are not.
    fn smallest(&self, first: usize) -> Option<Pick> {
        let words = |at: usize| {
            let mut source = crate::store::Sources::default();
            let state = self.met[at];
            self.shared.visited.load(std::iter::once(state..state + 1), &mut source);
            source.words
        };
        let at = (first..self.met.len()).min_by_key(|&at| words(at))?;
        Some(Pick { state: self.met[at], transitions: self.transitions[at] })
    }

    fn bytes(&self) -> u64 {
        let met = 24 * self.met.capacity() + 16 * self.place_of.capacity();
        self.path.bytes() + (met + 4 * self.places.capacity()) as u64
    }
}
