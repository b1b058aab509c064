//! The states of a region that have a path through the region into a goal, of a weight in a window.

use super::quotient::Quotient;
use super::sets::Set;
use crate::Failure;
use crate::paths::{Edge, Method, STAY, Walks, exact};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use volvelle_control::Control;

const NONE: u32 = u32::MAX;

/// Arrays that are reused between questions. In all answers, members of the region are numbered in increasing
/// order.
pub(super) struct Answers<'a> {
    quotient: &'a Quotient,
    /// The members of the region.
    pub(super) members: Vec<u32>,
    /// By class: its number in the region, or `NONE`. Between two regions, all are `NONE`.
    local: Vec<u32>,
    heap: BinaryHeap<Reverse<(u64, u32)>>,
    search: Search,
}

/// Arrays of the search for components.
#[derive(Default)]
struct Search {
    order: Vec<u32>,
    low: Vec<u32>,
    stack: Vec<u32>,
    calls: Vec<(u32, u32)>,
}

impl<'a> Answers<'a> {
    pub(super) fn new(quotient: &'a Quotient) -> Self {
        Answers {
            quotient,
            members: Vec::new(),
            local: vec![NONE; quotient.len()],
            heap: BinaryHeap::new(),
            search: Search::default(),
        }
    }

    /// Chooses the region of the following questions.
    pub(super) fn enter(&mut self, region: &Set) {
        self.members.iter().for_each(|&class| self.local[class as usize] = NONE);
        self.members.clear();
        self.members.extend(region.iter());
        for (number, &class) in self.members.iter().enumerate() {
            self.local[class as usize] = number as u32;
        }
    }

    /// The least weights of paths; `u64::MAX` if there is no path. Weights above the bound may be missing.
    /// Sums saturate: a saturated sum exceeds every bound.
    ///
    /// States of the goal need no path, so the search (Dijkstra's, backwards from the goal) runs over the
    /// other states only.
    pub(super) fn least(&mut self, goal: &Set, bound: u64, values: &mut Vec<u64>) {
        values.clear();
        self.heap.clear();
        for (number, &class) in self.members.iter().enumerate() {
            let mut value = u64::MAX;
            if goal.contains(class) {
                value = 0;
            } else {
                for step in self.quotient.steps.row(class) {
                    if step.weight < value && goal.contains(step.target) {
                        value = step.weight;
                    }
                }
                if value <= bound && value < u64::MAX {
                    self.heap.push(Reverse((value, number as u32)));
                }
            }
            values.push(value);
        }
        while let Some(Reverse((value, number))) = self.heap.pop() {
            if values[number as usize] < value {
                continue;
            }
            for source in self.quotient.sources.row(self.members[number as usize]) {
                let at = self.local[source.target as usize];
                if at == NONE {
                    continue;
                }
                let sum = value.saturating_add(source.weight).min(u64::MAX - 1);
                if sum <= bound && sum < values[at as usize] {
                    values[at as usize] = sum;
                    self.heap.push(Reverse((sum, at)));
                }
            }
        }
    }

    /// One more than the suprema of the weights of paths; 0 if there is no path. For `lo < u64::MAX`, a path
    /// of weight at least `lo` exists exactly if this value is larger than `lo`. Sums saturate, which means
    /// infinity.
    ///
    /// A component of the region that contains a positive step and reaches the goal has infinity. Any other
    /// component has one value, that of the best way out (Tarjan's search gives components after those that
    /// they reach).
    pub(super) fn largest(&mut self, goal: &Set, values: &mut Vec<u64>) {
        const UNSEEN: u32 = u32::MAX;
        const DONE: u32 = u32::MAX - 1;
        let Search { order, low, stack, calls } = &mut self.search;
        let count = self.members.len();
        values.clear();
        values.resize(count, 0);
        order.clear();
        order.resize(count, UNSEEN);
        low.clear();
        low.resize(count, 0);
        let mut discovered = 0;
        for root in 0..count as u32 {
            if order[root as usize] != UNSEEN {
                continue;
            }
            calls.push((root, 0));
            order[root as usize] = discovered;
            low[root as usize] = discovered;
            discovered += 1;
            stack.push(root);
            while let Some(&mut (at, ref mut next)) = calls.last_mut() {
                let steps = self.quotient.steps.row(self.members[at as usize]);
                let mut child = NONE;
                while let Some(step) = steps.get(*next as usize) {
                    *next += 1;
                    let target = self.local[step.target as usize];
                    if target == NONE {
                        continue;
                    }
                    if order[target as usize] == UNSEEN {
                        child = target;
                        break;
                    } else if order[target as usize] != DONE {
                        low[at as usize] = low[at as usize].min(order[target as usize]);
                    }
                }
                if child != NONE {
                    calls.push((child, 0));
                    order[child as usize] = discovered;
                    low[child as usize] = discovered;
                    discovered += 1;
                    stack.push(child);
                    continue;
                }
                calls.pop();
                if let Some(&(parent, _)) = calls.last() {
                    low[parent as usize] = low[parent as usize].min(low[at as usize]);
                }
                if low[at as usize] != order[at as usize] {
                    continue;
                }
                let bottom = stack.iter().rposition(|&member| member == at).expect("it is on the stack");
                let (mut best, mut grows) = (0u64, false);
                for &member in &stack[bottom..] {
                    let class = self.members[member as usize];
                    if goal.contains(class) {
                        best = best.max(1);
                    }
                    for step in self.quotient.steps.row(class) {
                        if goal.contains(step.target) {
                            best = best.max(step.weight.saturating_add(1));
                        }
                        let target = self.local[step.target as usize];
                        if target == NONE {
                            continue;
                        }
                        if order[target as usize] != DONE {
                            grows |= step.weight > 0;
                        } else if values[target as usize] > 0 {
                            best = best.max(step.weight.saturating_add(values[target as usize]));
                        }
                    }
                }
                if best > 0 && grows {
                    best = u64::MAX;
                }
                for &member in &stack[bottom..] {
                    values[member as usize] = best;
                    order[member as usize] = DONE;
                }
                stack.truncate(bottom);
            }
        }
    }

    /// Whether there is a path of a weight from `lo` to `hi`, where `0 < lo <= hi`; one entry more than the
    /// region has members.
    ///
    /// # Errors
    /// A limit was reached, or a sum does not fit into 64 bits.
    pub(super) fn between(
        &mut self,
        goal: &Set,
        (lo, hi): (u64, u64),
        control: &Control<'_>,
    ) -> Result<Vec<bool>, Failure> {
        let sink = self.members.len() as u32;
        let mut edges = Vec::new();
        for (node, &class) in self.members.iter().enumerate() {
            let node = node as u32;
            if goal.contains(class) {
                edges.push((node, Edge { weight: 0, node: sink, state: STAY }));
            }
            for step in self.quotient.steps.row(class) {
                let at = self.local[step.target as usize];
                let edge = Edge { weight: step.weight, node: at, state: step.target };
                if at != NONE {
                    edges.push((node, edge));
                } else if goal.contains(step.target) {
                    edges.push((node, Edge { node: sink, ..edge }));
                }
            }
        }
        exact(&Walks::new(self.members.clone(), &edges), lo, hi, Method::Automatic, control)
    }
}
