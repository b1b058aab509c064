//! Answers of the defender: a path whose weight is in a window, or the certainty that there is none.
//!
//! To a step `s -w-> s'` a state `t` answers with a path `t = t0 -> .. -> tk` with `(s, ti)` related for `i < k` and `(s', tk)` related.
//! The least weight of such a path is found by Dijkstra's algorithm. If it lies below the window, paths have to be told apart by their
//! exact weights: nodes of the search are then pairs of a state and a weight (pseudo-polynomial, as the problem is that of the knapsack).

use crate::Failure;
use rustc_hash::FxHashSet;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use volvelle_control::Control;
use volvelle_space::WeightedStructure;

/// A structure whose steps weigh something else for the attacker than for the defender: bounds of weights that are not known exactly.
#[derive(Clone, Debug)]
pub(crate) struct Arena<'a> {
    pub structure: &'a WeightedStructure,
    /// Weights by step, instead of those of the structure.
    pub relaxed: Option<Relaxed>,
}

/// Weights by step.
#[derive(Clone, Debug)]
pub(crate) struct Relaxed {
    pub attack: Vec<u64>,
    pub defend: Vec<u64>,
}

impl<'a> Arena<'a> {
    pub fn new(structure: &'a WeightedStructure) -> Self {
        Arena { structure, relaxed: None }
    }

    /// What a step weighs that is to be answered.
    pub fn attack(&self, step: usize) -> u64 {
        self.relaxed.as_ref().map_or_else(|| self.structure.steps()[step].weight, |r| r.attack[step])
    }

    /// What it weighs in an answer.
    fn defend(&self, step: usize) -> u64 {
        self.relaxed.as_ref().map_or_else(|| self.structure.steps()[step].weight, |r| r.defend[step])
    }
}

/// A step, and the weights that answer it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Question {
    /// The state `s` that the step leaves.
    pub source: u32,
    /// The state `s'` that it leads to.
    pub target: u32,
    /// The state that answers.
    pub from: u32,
    pub weight: u64,
    /// The least and the largest weight of an answer.
    pub window: (u64, u64),
}

const NONE: u32 = u32::MAX;
/// So many pairs of states and weights are searched for an answer that is nearer than the best so far.
const NEARER: usize = 4096;

/// Memory of searches, reused.
#[derive(Debug)]
pub(crate) struct Searcher {
    /// By state: the number of the search that reached it last.
    reached: Vec<u32>,
    search: u32,
    least: Vec<u64>,
    /// The step by which a state was reached, and the state that it leaves.
    by: Vec<(u32, u32)>,
    queue: BinaryHeap<Reverse<(u64, u32)>>,
    labels: Vec<Label>,
    seen: FxHashSet<(u32, u64)>,
    /// The path that was found: steps in their order.
    pub path: Vec<u32>,
}

/// A state, reached with an exact weight.
#[derive(Clone, Copy, Debug)]
struct Label {
    state: u32,
    parent: u32,
    step: u32,
}

impl Searcher {
    pub fn new(states: usize) -> Self {
        Searcher {
            reached: vec![0; states],
            search: 0,
            least: vec![0; states],
            by: vec![(0, 0); states],
            queue: BinaryHeap::new(),
            labels: Vec::new(),
            seen: FxHashSet::default(),
            path: Vec::new(),
        }
    }

    /// Finds an answer, if there is one: its weight, and the path in [`Self::path`]. Of several answers it is one with little deviation;
    /// for windows that begin at 0 it is one with the least weight.
    pub fn answer(
        &mut self,
        arena: &Arena,
        question: &Question,
        related: impl Fn(u32, u32) -> bool,
        control: &Control,
    ) -> Result<Option<u64>, Failure> {
        let Some(least) = self.least(arena, question, &related) else { return Ok(None) };
        if least >= question.weight || question.window.0 == 0 {
            return Ok(Some(least));
        }
        self.exact(arena, question, &related, control)
    }

    fn least(&mut self, arena: &Arena, q: &Question, related: &impl Fn(u32, u32) -> bool) -> Option<u64> {
        self.search += 1;
        self.queue.clear();
        self.reached[q.from as usize] = self.search;
        self.least[q.from as usize] = 0;
        self.by[q.from as usize] = (NONE, NONE);
        self.queue.push(Reverse((0, q.from)));
        while let Some(Reverse((weight, state))) = self.queue.pop() {
            if weight > self.least[state as usize] {
                continue;
            }
            if related(q.target, state) {
                self.path.clear();
                let mut at = state;
                while self.by[at as usize].0 != NONE {
                    let (step, source) = self.by[at as usize];
                    self.path.push(step);
                    at = source;
                }
                self.path.reverse();
                return Some(weight);
            }
            if !related(q.source, state) {
                continue;
            }
            for step in arena.structure.range(state) {
                let target = arena.structure.steps()[step].target;
                let sum = weight.saturating_add(arena.defend(step));
                let known = self.reached[target as usize] == self.search;
                if sum <= q.window.1 && !(known && self.least[target as usize] <= sum) {
                    self.reached[target as usize] = self.search;
                    self.least[target as usize] = sum;
                    self.by[target as usize] = (step as u32, state);
                    self.queue.push(Reverse((sum, target)));
                }
            }
        }
        None
    }

    fn exact(
        &mut self,
        arena: &Arena,
        q: &Question,
        related: &impl Fn(u32, u32) -> bool,
        control: &Control,
    ) -> Result<Option<u64>, Failure> {
        self.queue.clear();
        self.labels.clear();
        self.seen.clear();
        self.labels.push(Label { state: q.from, parent: NONE, step: NONE });
        self.seen.insert((q.from, 0));
        self.queue.push(Reverse((0, 0)));
        let mut best: Option<(u64, u32)> = None;
        let mut popped = 0usize;
        while let Some(Reverse((weight, number))) = self.queue.pop() {
            popped += 1;
            if popped.is_multiple_of(4096) {
                control.check()?;
                control.check_memory(self.labels.capacity() as u64 * 40)?;
            }
            // Weights only grow from here on.
            let settled = best.is_some_and(|(found, _)| weight.saturating_sub(q.weight) >= q.weight - found);
            if settled || (best.is_some() && popped > NEARER) {
                break;
            }
            let state = self.labels[number as usize].state;
            if weight >= q.window.0 && related(q.target, state) {
                best = Some((weight, number));
                if weight >= q.weight {
                    break;
                }
            }
            if !related(q.source, state) {
                continue;
            }
            for step in arena.structure.range(state) {
                let target = arena.structure.steps()[step].target;
                let sum = weight.saturating_add(arena.defend(step));
                if sum <= q.window.1 && self.seen.insert((target, sum)) {
                    let label = u32::try_from(self.labels.len()).map_err(|_| Failure::Overflow)?;
                    self.labels.push(Label { state: target, parent: number, step: step as u32 });
                    self.queue.push(Reverse((sum, label)));
                }
            }
        }
        let Some((weight, mut at)) = best else { return Ok(None) };
        self.path.clear();
        while self.labels[at as usize].parent != NONE {
            self.path.push(self.labels[at as usize].step);
            at = self.labels[at as usize].parent;
        }
        self.path.reverse();
        Ok(Some(weight))
    }
}
