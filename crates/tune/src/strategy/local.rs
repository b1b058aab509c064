//! Iterated local search: downhill over neighbours until none is faster, then from another place.
//!
//! Neighbours come in random order, those that differ by one step first; the first faster one is the next
//! place. From a local optimum, the search continues at a place that differs from the best one in some
//! parameters, or, every other time, at a random one (Lourenço, Martin and Stützle, *Iterated local search*,
//! doi:10.1007/0-306-48056-5_11).

use super::{Draw, Outcome, Random, Strategy};
use crate::space::{ConfigurationId, Neighbourhood, Space};
use rustc_hash::FxHashMap;

/// Iterated local search.
#[derive(Clone, Debug)]
pub struct Local {
    draw: Draw,
    /// Random places for restarts.
    elsewhere: Random,
    /// Times, infinite for failures.
    known: FxHashMap<ConfigurationId, f64>,
    here: Option<ConfigurationId>,
    /// Neighbours of `here` still to be tried, the next one last.
    ahead: Vec<ConfigurationId>,
    best: Option<(ConfigurationId, f64)>,
    restarts: u64,
    /// The place to which the search moves once its time is known.
    pending: Option<ConfigurationId>,
}

impl Local {
    /// With a seed.
    pub fn new(seed: u64) -> Self {
        Local {
            draw: Draw::new(seed),
            elsewhere: Random::new(seed ^ 0x5eed),
            known: FxHashMap::default(),
            here: None,
            ahead: Vec::new(),
            best: None,
            restarts: 0,
            pending: None,
        }
    }

    fn time(&self, configuration: ConfigurationId) -> f64 {
        self.known.get(&configuration).copied().unwrap_or(f64::INFINITY)
    }

    fn go_to(&mut self, space: &Space, place: ConfigurationId) {
        self.here = Some(place);
        let mut near = space.neighbours(place, Neighbourhood::Adjacent);
        let mut far = space.neighbours(place, Neighbourhood::Hamming);
        far.retain(|other| !near.contains(other));
        self.draw.shuffle(&mut near);
        self.draw.shuffle(&mut far);
        far.extend(near);
        self.ahead = far;
    }

    /// Another place to begin, without a time yet.
    fn restart(&mut self, space: &Space) -> Option<ConfigurationId> {
        self.restarts += 1;
        if let Some((best, _)) = self.best.filter(|_| self.restarts.is_multiple_of(2)) {
            let mut place = best;
            for _ in 0..2 + self.draw.below(2) {
                let near = space.neighbours(place, Neighbourhood::Hamming);
                if !near.is_empty() {
                    place = near[self.draw.below(near.len() as u64) as usize];
                }
            }
            if !self.known.contains_key(&place) {
                return Some(place);
            }
        }
        self.elsewhere.next(space)
    }
}

impl Strategy for Local {
    fn next(&mut self, space: &Space) -> Option<ConfigurationId> {
        loop {
            if let Some(place) = self.pending.take() {
                let is_better = self.here.is_none_or(|here| self.time(place) < self.time(here));
                if is_better {
                    self.go_to(space, place);
                }
            }
            match self.ahead.pop() {
                Some(place) => {
                    self.pending = Some(place);
                    if !self.known.contains_key(&place) {
                        return Some(place);
                    }
                }
                None => {
                    self.here = None;
                    let place = self.restart(space)?;
                    self.pending = Some(place);
                    if !self.known.contains_key(&place) {
                        return Some(place);
                    }
                }
            }
        }
    }

    fn tell(&mut self, space: &Space, configuration: ConfigurationId, outcome: &Outcome) {
        let time = outcome.time().unwrap_or(f64::INFINITY);
        self.known.insert(configuration, time);
        self.elsewhere.tell(space, configuration, outcome);
        if self.best.is_none_or(|(_, best)| time < best) {
            self.best = Some((configuration, time));
        }
    }
}
