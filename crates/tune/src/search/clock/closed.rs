//! States that were reached at a smaller cost but for the clock.

use super::Keys;
use crate::search::states::StateSet;

/// The keys of the states of all slices so far, each with the least cost, as long as that pays.
pub struct Closed<'s> {
    keys: Keys<'s>,
    found: StateSet,
    costs: Vec<i64>,
    /// States that were left out.
    pub dominated: u64,
    /// Since it was last decided: keys that were new, and those that were found again.
    new: u32,
    again: u32,
    is_futile: bool,
}

/// New keys after which it is decided whether to go on, and one of how many has to be found again.
const TRIAL: u32 = 1 << 14;
const PAYS: u32 = 32;

impl<'s> Closed<'s> {
    /// No states.
    pub fn new(keys: Keys<'s>, words: usize) -> Self {
        let (found, costs) = (StateSet::new(words), Vec::new());
        Closed { keys, found, costs, dominated: 0, new: 0, again: 0, is_futile: false }
    }

    /// Whether the state was reached at a smaller cost.
    pub fn is_dominated(&mut self, state: &[u64], cost: i64) -> bool {
        if self.is_futile {
            return false;
        }
        let Some(key) = self.keys.key(state, cost) else { return false };
        let is_dominated = self.found.find(key).is_some_and(|number| self.costs[number] < cost);
        self.count(is_dominated);
        is_dominated
    }

    /// The same; if it was not, it is now. Costs never decrease from call to call.
    pub fn enter(&mut self, state: &[u64], cost: i64) -> bool {
        if self.is_futile {
            return false;
        }
        let Some(key) = self.keys.key(state, cost) else { return false };
        let number = self.found.number(key);
        if number == self.costs.len() {
            self.costs.push(cost);
            self.new += 1;
            if self.new == TRIAL {
                self.is_futile = self.again * PAYS < self.new;
                (self.new, self.again) = (0, 0);
                if self.is_futile {
                    (self.found, self.costs) = (StateSet::new(1), Vec::new());
                }
            }
            return false;
        }
        let is_dominated = self.costs[number] < cost;
        self.count(is_dominated);
        is_dominated
    }

    fn count(&mut self, is_dominated: bool) {
        self.dominated += u64::from(is_dominated);
        self.again += u32::from(is_dominated);
    }

    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        self.found.bytes() + (size_of::<i64>() * self.costs.capacity()) as u64
    }
}
