//! Modules as a transition system.

use super::machine::{Machine, ReducingMachine};
use super::system::Modules;
use volvelle_search::{Expander, System};

impl System for Modules<'_> {
    fn words(&self) -> usize {
        self.layout.words()
    }

    fn initial(&self) -> Vec<u64> {
        self.initial.clone()
    }

    fn expander(&self) -> Box<dyn Expander + '_> {
        Box::new(Machine::new(self))
    }

    fn partial_order_reducing_expander(&self) -> Box<dyn Expander + '_> {
        match &self.stubborn {
            Some(stubborn) => Box::new(ReducingMachine::new(Machine::new(self), stubborn)),
            None => self.expander(),
        }
    }
}
