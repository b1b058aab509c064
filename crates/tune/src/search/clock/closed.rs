//! The closed list: states that were reached at a smaller cost, compared without the clock.

use super::Keys;
use crate::search::states::StateSet;
use std::cmp::Ordering;

/// The keys of all states so far, each with its least cost, as long as this pays.
pub struct Closed<'s> {
    keys: Keys<'s>,
    found: StateSet,
    costs: Vec<i64>,
    /// Number of states left out because another costs less.
    pub dominated: u64,
    /// Number of states left out because another costs the same.
    alike: u64,
    /// Whether the list was given up.
    pub is_futile: bool,
}

/// The result of entering a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entered {
    /// The state must be expanded.
    New,
    /// Another state that costs less stands for it.
    Dominated,
    /// Another state of the same cost stands for it.
    Alike,
}

/// Number of keys from which on [`Closed::decide`] checks whether to continue: at first one state per
/// `FEW_PAY` keys must be left out, from `MANY` keys on one per `MANY_PAY`. Programs whose clock matters
/// leave out few states in the beginning.
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

    /// Whether the state was reached at a smaller cost before.
    pub fn is_dominated(&mut self, state: &[u64], cost: i64) -> bool {
        if self.is_futile {
            return false;
        }
        let Some(key) = self.keys.key(state, cost) else { return false };
        let is_dominated = self.found.find(key).is_some_and(|number| self.costs[number] < cost);
        self.dominated += u64::from(is_dominated);
        is_dominated
    }

    /// Finds the state that stands for this one. If there is none, this one stands for others from now on. A
    /// state must not be entered twice.
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

    /// Gives up if too few states are left out. The decision rests on counts alone, so that repeated runs
    /// agree.
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
