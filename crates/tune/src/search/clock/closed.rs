//! States that were reached at a smaller cost but for the clock.

use super::Keys;
use crate::search::states::StateSet;
use std::cmp::Ordering;

/// The keys of the states so far, each with the least cost, as long as that pays.
pub struct Closed<'s> {
    keys: Keys<'s>,
    found: StateSet,
    costs: Vec<i64>,
    /// States that were left out.
    pub dominated: u64,
    /// The same for others of the same cost.
    alike: u64,
    /// Whether nothing is kept any more.
    pub is_futile: bool,
}

/// What became of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entered {
    /// It has to be looked at.
    New,
    /// Another one stands for it that costs less.
    Dominated,
    /// Another one of the same cost does.
    Alike,
}

/// Keys from which on it is decided whether to go on. Where the clock matters, a state is left out for thousands of keys at first, and
/// for a few later.
const TRIAL: u64 = 1 << 12;
const FEW_PAY: u64 = 1 << 11;
const MANY: u64 = 1 << 17;
const MANY_PAY: u64 = 1 << 6;

impl<'s> Closed<'s> {
    /// No states.
    pub fn new(keys: Keys<'s>, words: usize) -> Self {
        let (found, costs) = (StateSet::new(words), Vec::new());
        Closed { keys, found, costs, dominated: 0, alike: 0, is_futile: false }
    }

    /// Whether the state was reached at a smaller cost.
    pub fn is_dominated(&mut self, state: &[u64], cost: i64) -> bool {
        if self.is_futile {
            return false;
        }
        let Some(key) = self.keys.key(state, cost) else { return false };
        let is_dominated = self.found.find(key).is_some_and(|number| self.costs[number] < cost);
        self.dominated += u64::from(is_dominated);
        is_dominated
    }

    /// What stands for the state; if nothing does, it stands for others from now on. No state comes twice.
    pub fn enter(&mut self, state: &[u64], cost: i64) -> Entered {
        if self.is_futile {
            return Entered::New;
        }
        let Some(key) = self.keys.key(state, cost) else { return Entered::New };
        let number = self.found.number(key);
        if number == self.costs.len() {
            self.costs.push(cost);
            self.decide();
            return Entered::New;
        }
        match self.costs[number].cmp(&cost) {
            Ordering::Less => {
                self.dominated += 1;
                Entered::Dominated
            }
            Ordering::Equal => {
                self.alike += 1;
                Entered::Alike
            }
            Ordering::Greater => {
                self.costs[number] = cost;
                Entered::New
            }
        }
    }

    /// Forgets everything where too few states are left out. All of it is counted, so that runs are alike.
    fn decide(&mut self) {
        let keys = self.costs.len() as u64;
        let expected = if keys < MANY { keys / FEW_PAY } else { keys / MANY_PAY };
        if keys >= TRIAL && keys.is_power_of_two() && self.dominated + self.alike < expected {
            self.is_futile = true;
            (self.found, self.costs) = (StateSet::new(1), Vec::new());
        }
    }

    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        self.found.bytes() + (size_of::<i64>() * self.costs.capacity()) as u64
    }
}
