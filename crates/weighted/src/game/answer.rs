//! Answers of the defender: a path whose weight is in a window, or the certainty that there is none.
//!
//! A state `t` answers a step `s -w-> s'` by a path `t = t0 -> .. -> tk` with `(s, ti)` related for `i < k`,
//! and `(s', tk)` related. Dijkstra's algorithm finds the least weight of such a path. If it lies below the
//! window, paths must be distinguished by their exact weights. The nodes of the search are then pairs of a
//! state and a weight; if there are too many, [`crate::paths`] takes over (pseudo-polynomial, since this is a
//! knapsack problem).

use super::bound::{Kind, Ratio, deviation};
use super::rule::Rule;
use crate::Failure;
use crate::paths::{Edge, STAY, Walks, WeightedPath, path_on};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use volvelle_control::{Control, Stop};
use volvelle_space::WeightedStructure;

/// The relation that a search uses.
pub(crate) trait Pairs {
    fn related(&self, s: u32, t: u32) -> bool;

    /// How different two states are, in shape and in the weights of paths from them: a hint which of several
    /// answers will last.
    fn difference(&self, _: u32, _: u32) -> (u64, u64) {
        (0, 0)
    }
}

impl<F: Fn(u32, u32) -> bool> Pairs for F {
    fn related(&self, s: u32, t: u32) -> bool {
        self(s, t)
    }
}

/// A structure with its weights, or with intervals of unknown weights, from which both players choose in the
/// defender's favour.
#[derive(Clone, Debug)]
pub(crate) struct Arena<'a> {
    pub structure: &'a WeightedStructure,
    /// Replaces the weights of the structure.
    pub relaxed: Option<Relaxed>,
}

/// Intervals of weights, by step.
#[derive(Clone, Debug)]
pub(crate) struct Relaxed {
    pub low: Vec<u64>,
    pub high: Vec<u64>,
}

impl<'a> Arena<'a> {
    pub fn new(structure: &'a WeightedStructure) -> Self {
        Arena { structure, relaxed: None }
    }

    /// The least and the largest weight of a step that is to be answered.
    pub fn weights(&self, step: usize) -> (u64, u64) {
        let exact = || (self.structure.steps()[step].weight, self.structure.steps()[step].weight);
        self.relaxed.as_ref().map_or_else(exact, |relaxed| (relaxed.low[step], relaxed.high[step]))
    }

    /// The least deviation of an answer to a step; `None` if it is an answer at no bound.
    pub fn deviation(&self, kind: Kind, step: usize, path: &[u32]) -> Option<Ratio> {
        let (least, largest) = self.weights(step);
        let sum = |(low, high): (u64, u64), &step: &u32| {
            let (least, largest) = self.weights(step as usize);
            (low.saturating_add(least), high.saturating_add(largest))
        };
        let (low, high) = path.iter().fold((0, 0), sum);
        let above = deviation(Kind::Ebd, largest, low)?;
        match kind {
            Kind::Ebd => Some(above),
            Kind::Wbd => Some(above.max(deviation(Kind::Wbd, least, high.min(least))?)),
        }
    }

    /// The least and the largest weight of answers to a step.
    pub fn window(&self, rule: &Rule, step: usize) -> Result<(u64, u64), Failure> {
        let (least, largest) = self.weights(step);
        let window = rule.window(least)?;
        Ok(if least == largest { window } else { (window.0, rule.window(largest)?.1) })
    }

    /// The least weight of a step in an answer.
    pub(super) fn defend(&self, step: usize) -> u64 {
        self.weights(step).0
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
    /// The index of the step among those of `s`. Systems that were built alike have their steps in the same
    /// order.
    pub place: usize,
    pub weight: u64,
    /// The least and the largest weight of an answer; the largest number means no bound.
    pub window: (u64, u64),
}

pub(super) const NONE: u32 = u32::MAX;
/// Limit of pairs of states and weights that are searched one by one; then [`crate::paths`] is used.
const SPARSE: usize = 1 << 15;
/// Limit of steps of an answer.
const LONGEST: u64 = 1 << 26;

/// Memory of searches, reused.
#[derive(Debug)]
pub(crate) struct Searcher {
    /// By state: the number of the search that reached it last.
    pub(super) reached: Vec<u32>,
    pub(super) search: u32,
    pub(super) least: Vec<u64>,
    /// The step by which a state was reached, and its source.
    pub(super) by: Vec<(u32, u32)>,
    pub(super) queue: BinaryHeap<Reverse<(u64, u32)>>,
    pub(super) labels: Vec<Label>,
    pub(super) seen: FxHashSet<(u32, u64)>,
    /// By label: the largest weight with which it may be reached, capped where more does not matter.
    pub(super) highest: Vec<u64>,
    /// The path that was found: its steps in order.
    pub path: Vec<u32>,
    /// Parts of the path that are repeated: start, length, and number of repetitions.
    pub repeats: Vec<(u32, u32, u64)>,
    /// Number of states visited.
    pub work: u64,
    /// Limit of states visited for one answer.
    pub most: u64,
}

/// A state, reached with an exact weight.
#[derive(Clone, Copy, Debug)]
pub(super) struct Label {
    pub state: u32,
    pub parent: u32,
    pub step: u32,
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
            highest: Vec::new(),
            path: Vec::new(),
            repeats: Vec::new(),
            work: 0,
            most: u64::MAX,
        }
    }

    /// Finds an answer if there is one. Returns its weight; the path is in [`Self::path`]. Prefers single
    /// steps, and then paths with little deviation.
    pub fn answer(
        &mut self,
        arena: &Arena,
        question: &Question,
        related: &impl Pairs,
        control: &Control,
    ) -> Result<Option<u64>, Failure> {
        self.repeats.clear();
        self.work += 1;
        if arena.relaxed.is_some() && question.window.0 > 0 {
            return self.interval(arena, question, related, control);
        }
        if let Some(weight) = self.direct(arena, question, related) {
            return Ok(Some(weight));
        }
        if question.window.1 == u64::MAX && question.window.0 > 0 {
            return self.heavy(arena, question, related, control);
        }
        let Some(least) = self.least(arena, question, related) else { return Ok(None) };
        if least >= question.weight || question.window.0 == 0 {
            return Ok(Some(least));
        }
        self.exact(arena, question, related, control)
    }

    /// A single step of a near weight to a state similar to the target. In similar structures it leads to the
    /// counterpart of the target. The path of least weight would often just stay, and rely on pairs that are
    /// refuted much later.
    fn direct(&mut self, arena: &Arena, q: &Question, related: &impl Pairs) -> Option<u64> {
        let mut nearest: Option<((u64, bool, u64, u64), usize)> = None;
        for (place, step) in arena.structure.range(q.from).enumerate() {
            let weight = arena.defend(step);
            let target = arena.structure.steps()[step].target;
            if (q.window.0..=q.window.1).contains(&weight) && related.related(q.target, target) {
                let (shape, extremes) = related.difference(q.target, target);
                let apart = (shape, place != q.place, extremes, weight.abs_diff(q.weight));
                if nearest.is_none_or(|(least, _)| apart < least) {
                    nearest = Some((apart, step));
                }
            }
        }
        let (_, step) = nearest?;
        self.path.clear();
        self.path.push(step as u32);
        Some(arena.defend(step))
    }

    fn least(&mut self, arena: &Arena, q: &Question, related: &impl Pairs) -> Option<u64> {
        self.search += 1;
        let end = self.work.saturating_add(self.most);
        self.queue.clear();
        self.reached[q.from as usize] = self.search;
        self.least[q.from as usize] = 0;
        self.by[q.from as usize] = (NONE, NONE);
        self.queue.push(Reverse((0, q.from)));
        while let Some(Reverse((weight, state))) = self.queue.pop() {
            if weight > self.least[state as usize] {
                continue;
            }
            if self.work == end {
                break;
            }
            self.work += 1;
            if related.related(q.target, state) {
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
            if !related.related(q.source, state) {
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
        related: &impl Pairs,
        control: &Control,
    ) -> Result<Option<u64>, Failure> {
        self.begin(q.from);
        self.seen.insert((q.from, 0));
        self.queue.push(Reverse((0, 0)));
        let mut best: Option<(u64, u32)> = None;
        let mut popped = 0usize;
        while let Some(Reverse((weight, number))) = self.queue.pop() {
            popped += 1;
            self.work += 1;
            if popped.is_multiple_of(4096) {
                control.check()?;
                control.check_memory(self.labels.capacity() as u64 * 40)?;
            }
            if popped as u64 > self.most {
                break;
            }
            // From here on, weights only move away from that of the step.
            let settled = best.is_some_and(|(found, _)| weight.saturating_sub(q.weight) >= q.weight - found);
            if settled {
                break;
            }
            if popped > SPARSE {
                return self.by_weights(arena, q, related, control);
            }
            let state = self.labels[number as usize].state;
            if weight >= q.window.0 && related.related(q.target, state) {
                best = Some((weight, number));
                if weight >= q.weight {
                    break;
                }
            }
            if !related.related(q.source, state) {
                continue;
            }
            for step in arena.structure.range(state) {
                let target = arena.structure.steps()[step].target;
                let sum = weight.saturating_add(arena.defend(step));
                if sum <= q.window.1 && self.seen.insert((target, sum)) {
                    let label = self.label(target, number, step)?;
                    self.queue.push(Reverse((sum, label)));
                }
            }
        }
        Ok(best.map(|(weight, label)| {
            self.trace(label);
            weight
        }))
    }

    /// The nearest answer, or the certainty that there is none, by tables of weights or residues.
    fn by_weights(
        &mut self,
        arena: &Arena,
        q: &Question,
        related: &impl Pairs,
        control: &Control,
    ) -> Result<Option<u64>, Failure> {
        let walks = self.region(arena, q, related);
        let path_near = |apart: u64| {
            let low = q.window.0.max(q.weight.saturating_sub(apart));
            let high = q.window.1.min(q.weight.saturating_add(apart));
            path_on(&walks, 0, low, Some(high), control)
        };
        let Some(mut path) = path_near(q.weight)? else { return Ok(None) };
        let apart =
            |path: &WeightedPath| path.weight().map(|sum| sum.abs_diff(q.weight)).ok_or(Failure::Overflow);
        let (mut least, mut largest) = (0, apart(&path)?);
        while least < largest {
            let middle = least + (largest - least) / 2;
            match path_near(middle)? {
                Some(nearer) => {
                    largest = apart(&nearer)?;
                    path = nearer;
                }
                None => least = middle + 1,
            }
        }
        if path.num_steps() > LONGEST {
            return Err(Failure::Stopped(Stop::Memory));
        }
        let weight = path.weight().ok_or(Failure::Overflow)?;
        self.take(arena, &path, false);
        Ok(Some(weight))
    }

    /// The part of the structure that answers may use, as a graph; node 0 is the state that answers.
    pub(super) fn region(&mut self, arena: &Arena, q: &Question, related: &impl Pairs) -> Walks {
        let mut states = vec![q.from];
        let mut number: FxHashMap<u32, u32> = FxHashMap::from_iter([(q.from, 0)]);
        let (mut edges, mut outside, mut node) = (Vec::new(), FxHashSet::default(), 0);
        while let Some(&state) = states.get(node as usize) {
            if related.related(q.target, state) {
                edges.push((node, Edge { weight: 0, node: NONE, state: STAY }));
            }
            for step in arena.structure.outgoing(state) {
                let (weight, target) = (step.weight, step.target);
                let next = match number.get(&target) {
                    Some(&next) => next,
                    None if related.related(q.source, target) => {
                        states.push(target);
                        number.insert(target, states.len() as u32 - 1);
                        states.len() as u32 - 1
                    }
                    None => {
                        number.insert(target, NONE);
                        if related.related(q.target, target) {
                            outside.insert(target);
                        }
                        NONE
                    }
                };
                // A step out of the region ends the path.
                if next != NONE || outside.contains(&target) {
                    edges.push((node, Edge { weight, node: next, state: target }));
                }
            }
            node += 1;
        }
        self.work += 4 * u64::from(node);
        let sink = states.len() as u32;
        for (_, edge) in edges.iter_mut().filter(|(_, edge)| edge.node == NONE) {
            edge.node = sink;
        }
        Walks::new(states, &edges)
    }

    /// Sets the path, either step by step, or with its repetitions.
    pub(super) fn take(&mut self, arena: &Arena, path: &WeightedPath, repeats: bool) {
        self.path.clear();
        let mut at = path.start;
        for part in &path.parts {
            let start = self.path.len() as u32;
            let times = if repeats { 1 } else { part.times };
            for _ in 0..times {
                for taken in &part.steps {
                    let mut range = arena.structure.range(at);
                    let step = range.find(|&step| arena.structure.steps()[step] == *taken);
                    self.path.push(step.expect("paths consist of steps") as u32);
                    at = taken.target;
                }
            }
            if repeats && part.times > 1 {
                self.repeats.push((start, part.steps.len() as u32, part.times));
            }
        }
    }

    /// Finds a path whose least weight is not above the window, and whose largest weight is not below it.
    /// Largest weights are capped at the lower end of the window. Of paths to the same state with the same
    /// largest weight, the one of least weight is best.
    fn interval(
        &mut self,
        arena: &Arena,
        q: &Question,
        related: &impl Pairs,
        control: &Control,
    ) -> Result<Option<u64>, Failure> {
        self.begin(q.from);
        self.highest.push(0);
        self.queue.push(Reverse((0, 0)));
        let mut popped = 0usize;
        while let Some(Reverse((weight, number))) = self.queue.pop() {
            let (state, high) = (self.labels[number as usize].state, self.highest[number as usize]);
            if !self.seen.insert((state, high)) {
                continue;
            }
            popped += 1;
            self.work += 1;
            if popped.is_multiple_of(4096) {
                control.check()?;
                control.check_memory(self.labels.capacity() as u64 * 48)?;
            }
            if high == q.window.0 && related.related(q.target, state) {
                self.trace(number);
                return Ok(Some(weight));
            }
            if !related.related(q.source, state) {
                continue;
            }
            for step in arena.structure.range(state) {
                let target = arena.structure.steps()[step].target;
                let (least, largest) = arena.weights(step);
                let sum = weight.saturating_add(least);
                let reached = high.saturating_add(largest).min(q.window.0);
                if sum <= q.window.1 && !self.seen.contains(&(target, reached)) {
                    let label = self.label(target, number, step)?;
                    self.highest.push(reached);
                    self.queue.push(Reverse((sum, label)));
                }
            }
        }
        Ok(None)
    }

    /// Begins a search from a state, which gets the first label.
    pub(super) fn begin(&mut self, from: u32) {
        self.queue.clear();
        self.labels.clear();
        self.highest.clear();
        self.seen.clear();
        self.labels.push(Label { state: from, parent: NONE, step: NONE });
    }

    /// Adds a label for a state reached from another label.
    pub(super) fn label(&mut self, state: u32, parent: u32, step: usize) -> Result<u32, Failure> {
        let label = u32::try_from(self.labels.len()).map_err(|_| Failure::Overflow)?;
        self.labels.push(Label { state, parent, step: step as u32 });
        Ok(label)
    }

    /// Sets the path to the one that leads to a label.
    pub(super) fn trace(&mut self, mut at: u32) {
        self.path.clear();
        while self.labels[at as usize].parent != NONE {
            self.path.push(self.labels[at as usize].step);
            at = self.labels[at as usize].parent;
        }
        self.path.reverse();
    }
}
