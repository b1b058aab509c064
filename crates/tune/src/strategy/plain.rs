//! Strategies that learn nothing.

use super::{Draw, Outcome, Strategy};
use crate::space::{ConfigurationId, Space};
use rustc_hash::{FxHashMap, FxHashSet};

/// All configurations, in the order of the space.
#[derive(Clone, Debug, Default)]
pub struct Exhaustive {
    next: u64,
    known: FxHashSet<ConfigurationId>,
}

impl Strategy for Exhaustive {
    fn next(&mut self, space: &Space) -> Option<ConfigurationId> {
        loop {
            let configuration = ConfigurationId(self.next);
            if self.next >= space.len() {
                return None;
            }
            self.next += 1;
            if self.known.insert(configuration) {
                return Some(configuration);
            }
        }
    }

    fn tell(&mut self, _: &Space, configuration: ConfigurationId, _: &Outcome) {
        self.known.insert(configuration);
    }
}

/// Configurations in a random order, each once.
#[derive(Clone, Debug)]
pub struct Random {
    draw: Draw,
    /// The entries of the permutation that differ from the identity: the algorithm of Fisher and Yates on an
    /// implicit table.
    moved: FxHashMap<u64, u64>,
    drawn: u64,
    known: FxHashSet<ConfigurationId>,
}

impl Random {
    /// With a seed.
    pub fn new(seed: u64) -> Self {
        Random { draw: Draw::new(seed), moved: FxHashMap::default(), drawn: 0, known: FxHashSet::default() }
    }
}

impl Strategy for Random {
    fn next(&mut self, space: &Space) -> Option<ConfigurationId> {
        loop {
            let left = space.len() - self.drawn;
            if left == 0 {
                return None;
            }
            let place = self.drawn + self.draw.below(left);
            let at = |moved: &FxHashMap<u64, u64>, place: u64| moved.get(&place).copied().unwrap_or(place);
            let chosen = at(&self.moved, place);
            let first = at(&self.moved, self.drawn);
            self.moved.insert(place, first);
            self.moved.remove(&self.drawn);
            self.drawn += 1;
            if self.known.insert(ConfigurationId(chosen)) {
                return Some(ConfigurationId(chosen));
            }
        }
    }

    fn tell(&mut self, _: &Space, configuration: ConfigurationId, _: &Outcome) {
        self.known.insert(configuration);
    }
}
