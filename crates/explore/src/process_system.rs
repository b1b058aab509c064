//! Processes as a system that is searched on the fly.

use crate::ordered::OrderedMachine;
use crate::processes::{Processes, ReducingMachine};
use crate::reduction::Reducer;
use volvelle_model::PoolId;
use volvelle_search::{Expander, Order, OrderedExpander, Successors, System, WholeExpander};

impl Processes<'_> {
    /// Finds the steps of one process. Returns whether it has any. If it is unknown whether all were found,
    /// it counts as having none.
    pub fn expand_process(&self, state: &[u64], slot: usize, out: &mut Successors) -> bool {
        let Some(engine) = self.ordered(false) else { return false };
        OrderedMachine::new(self, engine, Order::Descending).process(state, slot, out)
    }
}

impl System for Processes<'_> {
    fn words(&self) -> usize {
        self.layout.words()
    }

    fn initial(&self) -> Vec<u64> {
        self.initial.clone()
    }

    fn expander(&self) -> Box<dyn Expander + '_> {
        self.sorted(Box::new(self.machine(self.stepwise())))
    }

    fn path_compressing_expander(&self) -> Box<dyn Expander + '_> {
        self.sorted(Box::new(self.machine(&self.swift)))
    }

    fn counting_expander(&self) -> Option<Box<dyn Expander + '_>> {
        Some(self.sorted(Box::new(self.machine(self.counting()?))))
    }

    fn partial_order_reducing_expander(&self) -> Box<dyn Expander + '_> {
        let Some(independence) = &self.independence else { return self.path_compressing_expander() };
        let machine = self.machine(&self.swift);
        let reducer = Reducer::new(self.program, &self.layout, independence);
        let all = Successors::default();
        self.sorted(Box::new(ReducingMachine { machine, reducer, all, movers: Vec::new() }))
    }

    fn ordered_expander(&self, order: Order) -> Box<dyn OrderedExpander + '_> {
        // Processes in a random order are all found first.
        let engine = if matches!(order, Order::Shuffled(_)) { None } else { self.ordered(true) };
        match engine {
            Some(engine) => Box::new(OrderedMachine::new(self, engine, order)),
            None => Box::new(WholeExpander::new(self.path_compressing_expander(), order)),
        }
    }

    fn num_processes(&self) -> usize {
        self.layout.shape().slots.get(PoolId(0)).map_or(1, |slots| slots.len().max(1))
    }

    fn process_of(&self, step: u32) -> u32 {
        step >> 16 & 0x7fff
    }
}
