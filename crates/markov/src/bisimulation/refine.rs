//! The coarsest strong bisimulation by partition refinement.
//!
//! In: a space and a key for every state and every choice, equal where their observations are equal. Out: the
//! coarsest partition of the states, and of the choices, such that
//!
//! - the choices of a block have the same key and the same probability (or rate) of going to each block of states,
//! - the states of a block have the same key and choices of the same blocks.
//!
//! A chain is the case of one choice for each state. The choices are split by one block of states at a time, the
//! *splitter*, and of the parts of a block all but the largest become splitters (Valmari and Franceschinis, *Simple
//! O(m log n) time Markov chain lumping*, TACAS 2010); the two levels are those of Groote, Verduzco and de Vink, *An
//! efficient algorithm to determine probabilistic bisimulation*, Algorithms 11, 2018. We deviate in sorting the weights
//! of a splitter instead of looking for their majority, which costs another logarithm at most.

use rustc_hash::FxHashMap;
use volvelle_control::{Control, Stop};
use volvelle_solver::graph::Backwards;
use volvelle_space::Space;

use super::partition::Partition;
use super::sums::{Key, Short, Wide};

/// The result of [`coarsest`].
#[derive(Debug)]
pub struct Bisimulation {
    /// States.
    pub states: Partition,
    /// Choices.
    pub choices: Partition,
}

/// Turns equal pairs of (old key, number) into equal new keys, numbered in the order of their first use.
pub fn refine_keys(keys: &mut [u32], by: impl Fn(usize) -> u64) -> usize {
    let mut known: FxHashMap<(u32, u64), u32> = FxHashMap::default();
    for (i, key) in keys.iter_mut().enumerate() {
        let next = known.len() as u32;
        *key = *known.entry((*key, by(i))).or_insert(next);
    }
    known.len()
}

/// The coarsest bisimulation that refines the keys.
pub fn coarsest(
    space: &Space,
    mut state_keys: Vec<u32>,
    mut choice_keys: Vec<u32>,
    control: &Control,
) -> Result<Bisimulation, Stop> {
    let (n, m, t) = (space.num_states() as u64, space.num_choices() as u64, space.num_transitions() as u64);
    control.check_memory(8 * t + 40 * m + 40 * n)?;
    let count = refine_keys(&mut choice_keys, |_| 0);
    let choices = Partition::new(&choice_keys, count);
    drop(choice_keys);
    let mut signatures = Signatures::default();
    let first: Vec<u64> = (0..space.num_states()).map(|s| signatures.of(space, &choices, s).into()).collect();
    let count = refine_keys(&mut state_keys, |s| first[s]);
    let states = Partition::new(&state_keys, count);
    drop((first, state_keys));
    let mut refinement = Refinement {
        space,
        incoming: incoming(space),
        waiting: (0..states.len() as u32).rev().collect(),
        bisimulation: Bisimulation { states, choices },
        sums: vec![Short::default(); space.num_choices()],
        wide: Wide::default(),
        dirty: vec![false; space.num_states()],
    };
    let mut work = 0;
    while let Some(splitter) = refinement.waiting.pop() {
        work += refinement.bisimulation.states.members(splitter).len() + 16;
        if work > 1 << 16 {
            control.check()?;
            work = 0;
        }
        refinement.split_by(splitter);
    }
    Ok(refinement.bisimulation)
}

/// Choice and position of every transition, by its target.
fn incoming(space: &Space) -> Backwards<(u32, u32)> {
    let of_choice = |c: usize| space.row(c).map(move |i| (space.columns[i], (c as u32, i as u32)));
    Backwards::new(space.num_states(), &space.columns, (0..space.num_choices()).flat_map(of_choice))
}

/// Sets of blocks of choices, numbered.
#[derive(Default)]
struct Signatures {
    known: FxHashMap<Vec<u32>, u32>,
    scratch: Vec<u32>,
}

impl Signatures {
    /// A number for the set of blocks that the choices of a state belong to.
    fn of(&mut self, space: &Space, choices: &Partition, state: usize) -> u32 {
        if space.choices.is_none() {
            return choices.of(state);
        }
        self.scratch.clear();
        self.scratch.extend(space.choices_of(state).map(|c| choices.of(c)));
        self.scratch.sort_unstable();
        self.scratch.dedup();
        if let Some(&known) = self.known.get(&self.scratch) {
            return known;
        }
        let next = self.known.len() as u32;
        self.known.insert(self.scratch.clone(), next);
        next
    }
}

struct Refinement<'a> {
    space: &'a Space,
    incoming: Backwards<(u32, u32)>,
    /// Blocks of states that still have to be used as splitters.
    waiting: Vec<u32>,
    bisimulation: Bisimulation,
    /// The weight with which each choice goes to the splitter; all zero between splitters.
    sums: Vec<Short>,
    wide: Wide,
    dirty: Vec<bool>,
}

impl Refinement<'_> {
    fn split_by(&mut self, splitter: u32) {
        let weights = self.weights_to(splitter);
        // Choices that go there with different weights, then the states that own them.
        let mut states: Vec<u32> = Vec::new();
        for run in weights.chunk_by(|a, b| a.0.0 == b.0.0) {
            let block = run[0].0.0;
            let whole = run.len() == self.bisimulation.choices.members(block).len();
            if whole && run[0].0 == run[run.len() - 1].0 {
                continue;
            }
            for part in self.bisimulation.choices.split(block, run) {
                for &choice in self.bisimulation.choices.members(part) {
                    let owner = owner(self.space, choice);
                    if !std::mem::replace(&mut self.dirty[owner as usize], true) {
                        states.push(owner);
                    }
                }
            }
        }
        // A state that a new block of choices appears in differs from all that have no such block.
        let mut signatures = Signatures::default();
        let mut signed: Vec<((u32, u32), u32)> = Vec::with_capacity(states.len());
        for &s in &states {
            self.dirty[s as usize] = false;
            let block = self.bisimulation.states.of(s as usize);
            if self.bisimulation.states.members(block).len() > 1 {
                let signature = signatures.of(self.space, &self.bisimulation.choices, s as usize);
                signed.push(((block, signature), s));
            }
        }
        signed.sort_unstable();
        for run in signed.chunk_by(|a, b| a.0.0 == b.0.0) {
            let block = run[0].0.0;
            let whole = run.len() == self.bisimulation.states.members(block).len();
            if whole && run[0].0 == run[run.len() - 1].0 {
                continue;
            }
            // Where the block still waits, all its parts have to; where it has been used, the weights of the largest part
            // follow from those of the others.
            self.waiting.extend(self.bisimulation.states.split(block, run));
        }
    }

    /// The choices that lead to a splitter, sorted by their block and weight; not those that are alone in their block.
    fn weights_to(&mut self, splitter: u32) -> Vec<((u32, Key), u32)> {
        let space = self.space;
        let Bisimulation { states, choices } = &self.bisimulation;
        let mut touched: Vec<u32> = Vec::new();
        for &s in states.members(splitter) {
            for &(choice, position) in self.incoming.of(s as usize) {
                if choices.members(choices.of(choice as usize)).len() == 1 {
                    continue;
                }
                let value = space.values.get(position as usize);
                if value <= 0.0 {
                    continue;
                }
                let sum = &mut self.sums[choice as usize];
                if sum.high == 0.0 {
                    touched.push(choice);
                }
                sum.add(value);
            }
        }
        let mut weights = Vec::with_capacity(touched.len());
        for choice in touched {
            let sum = std::mem::take(&mut self.sums[choice as usize]);
            let key = sum.key().unwrap_or_else(|| {
                let there = |&(t, v): &(usize, f64)| v > 0.0 && states.of(t) == splitter;
                self.wide.key(space.transitions(choice as usize).filter(there).map(|(_, v)| v))
            });
            weights.push(((choices.of(choice as usize), key), choice));
        }
        weights.sort_unstable();
        weights
    }
}

/// The state of a choice.
fn owner(space: &Space, choice: u32) -> u32 {
    match &space.choices {
        None => choice,
        Some(levels) => levels.start.partition_point(|&start| start <= choice) as u32 - 1,
    }
}
