//! Refines the partition by propositions until, in each block, all states match every step of one.
//!
//! Let reach(t) be the pairs (W, B) such that a path through states of t's block ends in block B with weight
//! W. The partition is a bisimulation if each step (w, B) of a state is in reach(t) for all t of its block.
//! While the partition is coarser than bisimilarity, bisimilar states have equal sets reach(t). So splitting
//! blocks by reach(t), restricted to any pairs, never goes too far; restricted to the steps of the states in
//! the block, it goes far enough.
//!
//! A block remembers the pairs that all its *clean* states reach. When a block is split, its largest part
//! keeps its number. A state can reach more or less than before only if it reaches a part with a new number,
//! within the largest weight of its block's demands. These states, and those of new parts, become *dirty*,
//! and only their signatures are computed again. Clean states are unchanged: they reach the remembered pairs,
//! and no pair of a new part.

use super::block::{Buffers, DIVERGES, Part, signatures};
use super::{Options, Pair, Partition};
use crate::Failure;
use crate::paths::RadixHeap;
use std::collections::VecDeque;
use volvelle_control::{Control, ProgressEvent};
use volvelle_space::WeightedStructure;

/// A split, for explanations. It uses nodes of the tree of blocks, since numbers of blocks change.
#[derive(Debug)]
pub(super) struct Split {
    /// The block that was split.
    pub parent: u32,
    /// Its parts, each with the pairs that its states reach.
    pub children: Vec<(u32, Vec<Pair>)>,
}

/// Splits in their order.
#[derive(Debug, Default)]
pub(super) struct History {
    /// The node of each block.
    pub node_of: Vec<u32>,
    /// The split that made a node, and its index there; `None` for blocks by propositions.
    pub origin: Vec<Option<(u32, u32)>>,
    pub splits: Vec<Split>,
}

pub(super) struct Refiner<'a> {
    structure: &'a WeightedStructure,
    options: Options,
    back_starts: Vec<u32>,
    /// Sources and weights of the steps into each state.
    back: Vec<(u32, u64)>,
    pub block_of: Vec<u32>,
    /// States grouped by block; `place` has the position of each.
    members: Vec<u32>,
    place: Vec<u32>,
    ranges: Vec<(u32, u32)>,
    dirty: Vec<bool>,
    dirty_of: Vec<Vec<u32>>,
    /// The pairs that all clean states of a block reach, in increasing order; they include all steps of these
    /// states.
    reached: Vec<Vec<Pair>>,
    /// The largest weight of a demand in a block.
    most: Vec<u64>,
    queue: VecDeque<u32>,
    queued: Vec<bool>,
    local: Vec<u32>,
    distance: Vec<u64>,
    pub buffers: Buffers,
    pub history: Option<History>,
}

impl<'a> Refiner<'a> {
    /// The partition by propositions.
    pub fn new(structure: &'a WeightedStructure, options: Options, with_history: bool) -> Self {
        let states = structure.num_states();
        let mut back_starts = vec![0u32; states + 1];
        structure.steps().iter().for_each(|step| back_starts[step.target as usize + 1] += 1);
        (0..states).for_each(|state| back_starts[state + 1] += back_starts[state]);
        let mut places = back_starts.clone();
        let mut back = vec![(0, 0); structure.num_steps()];
        for state in 0..states as u32 {
            for step in structure.outgoing(state) {
                back[places[step.target as usize] as usize] = (state, step.weight);
                places[step.target as usize] += 1;
            }
        }
        // Blocks by valuations, in the order of their first states.
        let mut number = vec![u32::MAX; structure.valuations().len()];
        let mut dirty_of: Vec<Vec<u32>> = Vec::new();
        let mut block_of = Vec::with_capacity(states);
        for state in 0..states as u32 {
            let block = &mut number[structure.valuation_of(state) as usize];
            if *block == u32::MAX {
                *block = dirty_of.len() as u32;
                dirty_of.push(Vec::new());
            }
            dirty_of[*block as usize].push(state);
            block_of.push(*block);
        }
        let members: Vec<u32> = dirty_of.iter().flatten().copied().collect();
        let mut place = vec![0; states];
        members.iter().enumerate().for_each(|(at, &state)| place[state as usize] = at as u32);
        let mut end = 0;
        let ranges = dirty_of.iter().map(|all| {
            let begin = end;
            end += all.len() as u32;
            (begin, end)
        });
        let ranges: Vec<(u32, u32)> = ranges.collect();
        let blocks = dirty_of.len();
        let history = with_history.then(|| History {
            node_of: (0..blocks as u32).collect(),
            origin: vec![None; blocks],
            splits: Vec::new(),
        });
        Refiner {
            structure,
            options,
            back_starts,
            back,
            block_of,
            members,
            place,
            ranges,
            dirty: vec![true; states],
            dirty_of,
            reached: vec![Vec::new(); blocks],
            most: vec![0; blocks],
            queue: (0..blocks as u32).collect(),
            queued: vec![true; blocks],
            local: vec![u32::MAX; states],
            distance: vec![u64::MAX; states],
            buffers: Buffers::default(),
            history,
        }
    }

    fn incoming(&self, state: u32) -> std::ops::Range<usize> {
        self.back_starts[state as usize] as usize..self.back_starts[state as usize + 1] as usize
    }

    /// Refines until nothing can be split, or `done` returns true.
    pub fn run(&mut self, control: &Control, done: impl Fn(&[u32]) -> bool) -> Result<(), Failure> {
        // Arrays by state and by step, which exist already.
        let held = (64 * self.block_of.len() + 16 * self.back.len()) as u64;
        control.check_memory(held)?;
        let mut rounds = 0u64;
        while let Some(block) = self.queue.pop_front() {
            self.queued[block as usize] = false;
            if done(&self.block_of) {
                return Ok(());
            }
            if rounds.is_multiple_of(256) {
                control.check()?;
                let lists: usize = self.reached.iter().map(Vec::len).sum();
                control.check_memory(held + 16 * lists as u64 + self.buffers.bytes())?;
                let (classes, states) = (self.ranges.len() as u64, self.block_of.len() as u64);
                control.progress.report(ProgressEvent::Refining { rounds, classes, states });
            }
            rounds += 1;
            self.process(block, control)?;
        }
        Ok(())
    }

    /// The classes, numbered by their least states.
    pub fn partition(&self) -> Partition {
        let mut number = vec![u32::MAX; self.ranges.len()];
        let mut count = 0;
        let block_of = self.block_of.iter().map(|&block| {
            let number = &mut number[block as usize];
            if *number == u32::MAX {
                *number = count;
                count += 1;
            }
            *number
        });
        Partition { block_of: block_of.collect(), count: count as usize }
    }

    /// Computes the signatures of the dirty states of a block, and splits it.
    fn process(&mut self, block: u32, control: &Control) -> Result<(), Failure> {
        let wanted = std::mem::take(&mut self.dirty_of[block as usize]);
        let size = (self.ranges[block as usize].1 - self.ranges[block as usize].0) as usize;
        if wanted.is_empty() {
            return Ok(());
        }
        let mut demands = std::mem::take(&mut self.reached[block as usize]);
        let has_clean = wanted.len() < size;
        if !has_clean {
            demands.clear();
        }
        let clean = demands.clone();
        for &state in &wanted {
            self.dirty[state as usize] = false;
            let steps = self.structure.outgoing(state).iter();
            let pairs = steps.map(|step| (self.block_of[step.target as usize], step.weight));
            demands.extend(pairs.filter(|&pair| pair != (block, 0)));
        }
        if self.options.divergence {
            demands.push((DIVERGES, 0));
        }
        demands.sort_unstable();
        demands.dedup();
        let most = demands.iter().map(|&(_, weight)| weight).max().unwrap_or(0);
        let states = self.part(block, &wanted, has_clean, most);
        states.iter().enumerate().for_each(|(at, &(state, _))| self.local[state as usize] = at as u32);
        let part = Part {
            structure: self.structure,
            options: self.options,
            block_of: &self.block_of,
            block,
            states: &states,
            local: &self.local,
            wanted: wanted.len(),
            demands: &demands,
        };
        let found = signatures(&part, &mut self.buffers, control);
        states.iter().for_each(|&(state, _)| self.local[state as usize] = u32::MAX);
        let found = found?;
        // Group 0 has the clean states, if there are any.
        let clean: Vec<u32> =
            clean.iter().filter_map(|pair| demands.binary_search(pair).ok()).map(|at| at as u32).collect();
        // The list of each group; `None` for that of the clean states.
        let mut signature_of: Vec<Option<u32>> = Vec::new();
        let mut sizes: Vec<usize> = Vec::new();
        let mut group_of_list = vec![u32::MAX; found.num_lists()];
        if has_clean {
            signature_of.push(None);
            sizes.push(size - wanted.len());
            if let Some(list) = found.find(&clean) {
                group_of_list[list as usize] = 0;
            }
        }
        let mut group_of = Vec::with_capacity(wanted.len());
        for &list in &found.list_of[..wanted.len()] {
            let group = &mut group_of_list[list as usize];
            if *group == u32::MAX {
                *group = sizes.len() as u32;
                signature_of.push(Some(list));
                sizes.push(0);
            }
            sizes[*group as usize] += 1;
            group_of.push(*group);
        }
        let kept = (0..sizes.len()).max_by_key(|&group| (sizes[group], usize::MAX - group)).unwrap_or(0);
        let pairs = |group: usize| -> Vec<Pair> {
            let list = signature_of[group].map(|list| found.list(list));
            list.as_ref().unwrap_or(&clean).iter().map(|&demand| demands[demand as usize]).collect()
        };
        let reached = pairs(kept);
        self.most[block as usize] = most_of(&reached);
        self.reached[block as usize] = reached;
        if sizes.len() == 1 {
            return Ok(());
        }
        // The states of the groups that leave the block.
        let mut leaving: Vec<Vec<u32>> = vec![Vec::new(); sizes.len()];
        for (&state, &group) in wanted.iter().zip(&group_of) {
            if group as usize != kept {
                leaving[group as usize].push(state);
            }
        }
        if has_clean && kept != 0 {
            wanted.iter().for_each(|&state| self.local[state as usize] = 0);
            let (begin, end) = self.ranges[block as usize];
            let all = self.members[begin as usize..end as usize].iter();
            leaving[0].extend(all.filter(|&&state| self.local[state as usize] == u32::MAX));
            wanted.iter().for_each(|&state| self.local[state as usize] = u32::MAX);
        }
        let first_new = self.ranges.len() as u32;
        let numbers = (0..sizes.len()).scan(first_new, |next, group| {
            let number = if group == kept { block } else { *next };
            *next += u32::from(group != kept);
            Some(number)
        });
        let numbers: Vec<u32> = numbers.collect();
        let children: Vec<Vec<Pair>> =
            if self.history.is_some() { (0..sizes.len()).map(pairs).collect() } else { Vec::new() };
        self.record(block, &numbers, children);
        for states in leaving.into_iter().filter(|states| !states.is_empty()) {
            self.leave(block, states);
        }
        self.spread(first_new);
        Ok(())
    }

    /// The wanted states and all that they reach inside the block within a weight, each with the least such
    /// weight.
    fn part(&mut self, block: u32, wanted: &[u32], has_clean: bool, most: u64) -> Vec<(u32, u64)> {
        let mut states: Vec<(u32, u64)> = wanted.iter().map(|&state| (state, 0)).collect();
        if !has_clean {
            return states;
        }
        let mut heap = RadixHeap::new();
        for &state in wanted {
            self.distance[state as usize] = 0;
            heap.push(0, state);
        }
        while let Some((weight, state)) = heap.pop() {
            if weight > self.distance[state as usize] {
                continue;
            }
            for step in self.structure.outgoing(state) {
                let target = step.target as usize;
                if self.block_of[target] != block || step.weight > most - weight {
                    continue;
                }
                let sum = weight + step.weight;
                if self.distance[target] == u64::MAX {
                    states.push((step.target, 0));
                }
                if sum < self.distance[target] {
                    self.distance[target] = sum;
                    heap.push(sum, step.target);
                }
            }
        }
        for (state, weight) in &mut states {
            *weight = std::mem::replace(&mut self.distance[*state as usize], u64::MAX);
        }
        states
    }

    fn record(&mut self, block: u32, numbers: &[u32], children: Vec<Vec<Pair>>) {
        let Some(history) = &mut self.history else { return };
        let parent = history.node_of[block as usize];
        let split = history.splits.len() as u32;
        // All pairs refer to blocks as they were before the split.
        let node = |block: u32| if block == DIVERGES { DIVERGES } else { history.node_of[block as usize] };
        let children: Vec<Vec<Pair>> = children
            .into_iter()
            .map(|pairs| {
                let mut pairs: Vec<Pair> =
                    pairs.into_iter().map(|(block, weight)| (node(block), weight)).collect();
                pairs.sort_unstable();
                pairs
            })
            .collect();
        let mut all = Vec::with_capacity(children.len());
        for (place, (pairs, &number)) in children.into_iter().zip(numbers).enumerate() {
            let node = history.origin.len() as u32;
            history.origin.push(Some((split, place as u32)));
            if number as usize >= history.node_of.len() {
                history.node_of.push(node);
            } else {
                history.node_of[number as usize] = node;
            }
            all.push((node, pairs));
        }
        history.splits.push(Split { parent, children: all });
    }

    /// Moves states of a block to a new block, all of them dirty.
    fn leave(&mut self, block: u32, states: Vec<u32>) {
        let new = self.ranges.len() as u32;
        for &state in &states {
            let end = &mut self.ranges[block as usize].1;
            *end -= 1;
            let (from, to) = (self.place[state as usize], *end);
            let other = self.members[to as usize];
            self.members.swap(from as usize, to as usize);
            self.place[other as usize] = from;
            self.place[state as usize] = to;
            self.block_of[state as usize] = new;
            self.dirty[state as usize] = true;
        }
        let begin = self.ranges[block as usize].1;
        self.ranges.push((begin, begin + states.len() as u32));
        self.dirty_of.push(states);
        self.reached.push(Vec::new());
        self.most.push(0);
        self.queued.push(true);
        self.queue.push_back(new);
    }

    /// Marks states as dirty that reach a new block within the largest weight of their block's demands.
    fn spread(&mut self, first_new: u32) {
        let mut heap = RadixHeap::new();
        let mut touched: Vec<u32> = Vec::new();
        for new in first_new..self.ranges.len() as u32 {
            let (begin, end) = self.ranges[new as usize];
            for at in begin..end {
                for place in self.incoming(self.members[at as usize]) {
                    let (source, weight) = self.back[place];
                    self.touch(source, weight, first_new, &mut touched, &mut heap);
                }
            }
        }
        while let Some((weight, state)) = heap.pop() {
            if weight > self.distance[state as usize] {
                continue;
            }
            let block = self.block_of[state as usize];
            let most = self.most[block as usize];
            for place in self.incoming(state) {
                let (source, step) = self.back[place];
                if self.block_of[source as usize] == block && weight <= most && step <= most - weight {
                    self.touch(source, weight + step, first_new, &mut touched, &mut heap);
                }
            }
        }
        for state in touched {
            self.distance[state as usize] = u64::MAX;
            let block = self.block_of[state as usize];
            if !std::mem::replace(&mut self.dirty[state as usize], true) {
                self.dirty_of[block as usize].push(state);
                if !std::mem::replace(&mut self.queued[block as usize], true) {
                    self.queue.push_back(block);
                }
            }
        }
    }

    fn touch(
        &mut self,
        state: u32,
        weight: u64,
        first_new: u32,
        touched: &mut Vec<u32>,
        heap: &mut RadixHeap<u32>,
    ) {
        let block = self.block_of[state as usize];
        let (begin, end) = self.ranges[block as usize];
        // All of it is dirty already.
        if block >= first_new || self.dirty_of[block as usize].len() == (end - begin) as usize {
            return;
        }
        let distance = &mut self.distance[state as usize];
        if *distance == u64::MAX {
            touched.push(state);
        }
        if weight < *distance {
            *distance = weight;
            heap.push(weight, state);
        }
    }
}

fn most_of(pairs: &[Pair]) -> u64 {
    pairs.iter().map(|&(_, weight)| weight).max().unwrap_or(0)
}
