//! The ignoring proviso: where successors are left out, no step is ignored forever.
//!
//! It suffices that a fully expanded state is reachable from every state (Valmari, *Stubborn sets for reduced
//! state space generation*, Petri Nets 1989: the terminal strong components decide). Steps that are left out
//! stay enabled on the path there, and are taken there at the latest. The proviso is checked when the search
//! has no states left. A state with a successor on the next level satisfies it if that successor does. So the
//! check starts only at states without one, the *terminal* states. From each, a depth-first search runs until
//! it reaches a state that satisfies the proviso, or has explored a terminal strong component (Tarjan,
//! *Depth-first search and linear graph algorithms*, SIAM J. Comput. 1, 1972). The smallest state of such a
//! component is expanded in full, and the search continues from there. The choice of components depends on
//! the system alone.

use super::Shared;
use super::worker::Worker;
use crate::stack::Stack;
use crate::visited::Halt;
use rustc_hash::FxHashMap;

/// Expansions between two checks of the limits.
const CHECK_EVERY: u32 = 256;

/// A state to be expanded in full.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FullExpansion {
    /// Its number.
    pub state: u32,
    /// The number of its transitions that were visited before.
    pub transitions: u64,
}

/// The check of the proviso, state by state.
pub struct IgnoringCheck<'w, 'a> {
    shared: &'a Shared<'a>,
    worker: &'w mut Worker<'a>,
    /// The path from the terminal state that is checked.
    path: Stack,
    /// The positions in `visited` of the states on the path.
    places: Vec<u32>,
    /// The visited states in order; `transitions`: the number of each state's transitions; `least`: the least
    /// reachable position (the low-link of Tarjan's algorithm).
    visited: Vec<u32>,
    transitions: Vec<u64>,
    least: Vec<u32>,
    place_of: FxHashMap<u32, u32>,
    targets: Vec<u32>,
    until_check: u32,
}

impl<'w, 'a> IgnoringCheck<'w, 'a> {
    /// With the expanders of a worker.
    pub fn new(worker: &'w mut Worker<'a>) -> Self {
        IgnoringCheck {
            shared: worker.shared,
            worker,
            path: Stack::default(),
            places: Vec::new(),
            visited: Vec::new(),
            transitions: Vec::new(),
            least: Vec::new(),
            place_of: FxHashMap::default(),
            targets: Vec::new(),
            until_check: 0,
        }
    }

    /// The states to be expanded in full so that these terminal states satisfy the proviso.
    pub fn expansions(&mut self, terminals: &[u32]) -> Result<Vec<FullExpansion>, Halt> {
        let mut expansions = Vec::new();
        for &terminal in terminals {
            if !self.shared.satisfied.contains(terminal) {
                expansions.extend(self.check(terminal)?);
            }
        }
        expansions.sort_unstable();
        Ok(expansions)
    }

    /// Checks a state and all that its search visits. Returns the state to be expanded in full, if necessary.
    fn check(&mut self, start: u32) -> Result<Option<FullExpansion>, Halt> {
        self.path.clear();
        self.places.clear();
        self.visited.clear();
        self.transitions.clear();
        self.least.clear();
        self.place_of.clear();
        let mut is_satisfied = !self.enter(start)?;
        let mut expansion = None;
        // Every visited state reaches the state on top, and so the states that it reaches.
        while let Some(&place) = self.places.last()
            && !is_satisfied
        {
            let place = place as usize;
            match self.path.next_target() {
                Some(target) if self.shared.satisfied.contains(target) => is_satisfied = true,
                Some(target) => match self.place_of.get(&target) {
                    Some(&other) => self.least[place] = self.least[place].min(other),
                    None => is_satisfied = !self.enter(target)?,
                },
                None if self.least[place] as usize == place => {
                    expansion = self.smallest(place);
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
        for &state in &self.visited {
            self.shared.satisfied.insert(state);
        }
        Ok(expansion)
    }

    /// Puts a state on the path. Returns whether some of its successors were left out.
    fn enter(&mut self, state: u32) -> Result<bool, Halt> {
        if self.until_check == 0 {
            self.until_check = CHECK_EVERY;
            self.shared.visited.check(self.bytes())?;
        }
        self.until_check -= 1;
        self.targets.clear();
        let is_reduced = self.worker.reduced_targets(state, &mut self.targets)?;
        let place = self.visited.len() as u32;
        self.path.push(state, &self.targets, 0);
        self.places.push(place);
        self.visited.push(state);
        self.transitions.push(self.targets.len() as u64);
        self.least.push(place);
        self.place_of.insert(state, place);
        Ok(is_reduced)
    }

    /// The smallest state visited from a position on. Numbers of states depend on the threads, but their
    /// contents do not.
    fn smallest(&self, first: usize) -> Option<FullExpansion> {
        let words = |at: usize| {
            let mut source = crate::store::Sources::default();
            let state = self.visited[at];
            self.shared.visited.load(std::iter::once(state..state + 1), &mut source);
            source.words
        };
        let at = (first..self.visited.len()).min_by_key(|&at| words(at))?;
        Some(FullExpansion { state: self.visited[at], transitions: self.transitions[at] })
    }

    fn bytes(&self) -> u64 {
        let visited = 24 * self.visited.capacity() + 16 * self.place_of.capacity();
        self.path.bytes() + (visited + 4 * self.places.capacity()) as u64
    }
}
