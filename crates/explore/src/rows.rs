//! From a batch of successors to sorted rows.

use crate::batch::Batch;
use crate::slots::SlotsBuilder;
use std::ops::Range;
use volvelle_model::{Kind, Program};

/// What rows of a program look like.
#[derive(Clone, Debug)]
pub struct RowShape {
    kind: Kind,
    /// Reward structures whose transition rewards the batches carry.
    structures: usize,
    group_actions: Vec<u32>,
}

impl RowShape {
    /// For batches that carry the transition rewards of some reward structures.
    pub fn new(program: &Program, structures: usize) -> Self {
        let group_actions = program.groups.iter().map(|g| g.action.0).collect();
        RowShape { kind: program.kind(), structures, group_actions }
    }

    /// Number of reward structures.
    pub fn structures(&self) -> usize {
        self.structures
    }
}

/// The rows of some consecutive states. Reused from batch to batch.
#[derive(Debug, Default)]
pub struct Rows {
    /// Targets, increasing and distinct within a row.
    pub columns: Vec<u32>,
    /// Probabilities or rates.
    pub values: Vec<f64>,
    /// Transitions up to the end of each row, from the first row here.
    pub row_ends: Vec<u32>,
    /// Rows up to the end of each state; MDP only.
    pub choice_ends: Vec<u32>,
    /// Action of each row; MDP only.
    pub choice_actions: Vec<u32>,
    /// Transition rewards: one for each structure, row by row.
    pub rewards: Vec<f64>,
    /// States without a transition of their own.
    pub deadlocks: Vec<u32>,
    /// Number of states.
    pub states: usize,
    /// Where the successors of rows went that did not come in order; only if asked for.
    pub slots: Option<SlotsBuilder>,
    keys: Vec<u64>,
}

impl Rows {
    /// No rows; with slots if the space is to be reusable.
    pub fn new(reusable: bool) -> Self {
        Rows { slots: reusable.then(SlotsBuilder::default), ..Rows::default() }
    }

    /// No rows.
    pub fn clear(&mut self) {
        let Rows {
            columns,
            values,
            row_ends,
            choice_ends,
            choice_actions,
            rewards,
            deadlocks,
            states,
            slots,
            keys: _,
        } = self;
        columns.clear();
        values.clear();
        row_ends.clear();
        choice_ends.clear();
        choice_actions.clear();
        rewards.clear();
        deadlocks.clear();
        slots.iter_mut().for_each(SlotsBuilder::clear);
        *states = 0;
    }

    /// Adds the states of a batch whose successors have numbers. `first` is the number of the first state
    /// ever added since [`Rows::clear`].
    pub fn add(&mut self, shape: &RowShape, batch: &Batch, first: usize) {
        let with_choices = shape.kind != Kind::Ctmc || shape.structures > 0;
        let (mut choice, mut successor) = (0usize, 0usize);
        for &end in &batch.state_ends {
            let (first_choice, first_successor) = (choice, successor);
            if with_choices {
                choice = end as usize;
                successor = if choice == 0 { 0 } else { batch.choice_ends[choice - 1] as usize };
            } else {
                successor = end as usize;
            }
            let state = (first + self.states) as u32;
            let (choices, successors) = (first_choice..choice, first_successor..successor);
            match shape.kind {
                kind if kind.is_nondeterministic() => {
                    self.add_choices(shape, batch, state, choices, first_successor);
                }
                Kind::Dtmc => {
                    // Enabled commands are equally likely.
                    let count = choices.len().max(1) as f64;
                    mean_rewards(&mut self.rewards, shape.structures, batch, choices);
                    self.row(batch, successors, count);
                    self.end_row(state, first_successor == successor);
                }
                _ => {
                    if with_choices {
                        rate_rewards(&mut self.rewards, shape.structures, batch, choices, first_successor);
                    }
                    self.row(batch, successors, 1.0);
                    self.end_row(state, first_successor == successor);
                }
            }
            self.states += 1;
        }
    }

    fn add_choices(
        &mut self,
        shape: &RowShape,
        batch: &Batch,
        state: u32,
        choices: Range<usize>,
        first: usize,
    ) {
        let mut begin = first;
        for choice in choices.clone() {
            let end = batch.choice_ends[choice] as usize;
            self.row(batch, begin..end, 1.0);
            self.row_ends.push(self.columns.len() as u32);
            self.choice_actions.push(shape.group_actions[batch.choice_groups[choice] as usize]);
            let rewards = choice * shape.structures..(choice + 1) * shape.structures;
            self.rewards.extend_from_slice(&batch.rewards[rewards]);
            begin = end;
        }
        if choices.is_empty() {
            self.slots.iter_mut().for_each(SlotsBuilder::in_order);
            self.choice_actions.push(0);
            self.rewards.extend(std::iter::repeat_n(0.0, shape.structures));
            self.end_row(state, true);
        }
        self.choice_ends.push(self.row_ends.len() as u32);
    }

    /// Ends a row; a state without transitions stays where it is, as PRISM has it.
    fn end_row(&mut self, state: u32, deadlock: bool) {
        if deadlock {
            self.deadlocks.push(state);
            self.columns.push(state);
            self.values.push(1.0);
        }
        self.row_ends.push(self.columns.len() as u32);
    }

    /// Appends transitions, columns increasing, weights of equal targets added in the order of their coming
    /// and divided by `divisor`.
    fn row(&mut self, batch: &Batch, successors: Range<usize>, divisor: f64) {
        let (numbers, weights) = (&batch.numbers[successors.clone()], &batch.weights[successors]);
        let start = self.columns.len();
        if numbers.windows(2).all(|pair| pair[0] < pair[1]) {
            self.columns.extend_from_slice(numbers);
            self.values.extend_from_slice(weights);
            self.slots.iter_mut().for_each(SlotsBuilder::in_order);
        } else {
            // Target and place in one word: sorting moves nothing else, and keeps equal targets in order.
            self.keys.clear();
            self.keys.extend(numbers.iter().enumerate().map(|(i, &n)| (n as u64) << 32 | i as u64));
            self.keys.sort_unstable();
            let mut last = u64::MAX;
            if let Some(slots) = &mut self.slots {
                slots.out_of_order(&self.keys);
            }
            for &key in &self.keys {
                let (target, weight) = (key >> 32, weights[key as u32 as usize]);
                if target == last {
                    let end = self.values.len() - 1;
                    self.values[end] += weight;
                } else {
                    self.columns.push(target as u32);
                    self.values.push(weight);
                    last = target;
                }
            }
        }
        if divisor != 1.0 {
            self.values[start..].iter_mut().for_each(|value| *value /= divisor);
        }
    }
}

/// Appends the transition rewards of a step of a DTMC: the mean over its choices.
pub fn mean_rewards(rewards: &mut Vec<f64>, structures: usize, batch: &Batch, choices: Range<usize>) {
    for k in 0..structures {
        let earned = choices.clone().map(|c| batch.rewards[c * structures + k]);
        let mean = if choices.is_empty() { 0.0 } else { earned.sum::<f64>() / choices.len() as f64 };
        rewards.push(mean);
    }
}

/// Appends the rewards earned per unit of time through transitions: sum of rate × reward. `first` is the first
/// successor of the choices.
pub fn rate_rewards(
    rewards: &mut Vec<f64>,
    structures: usize,
    batch: &Batch,
    choices: Range<usize>,
    first: usize,
) {
    for k in 0..structures {
        let mut total = 0.0;
        let mut begin = first;
        for choice in choices.clone() {
            let end = batch.choice_ends[choice] as usize;
            let reward = batch.rewards[choice * structures + k];
            if reward != 0.0 {
                total += reward * batch.weights[begin..end].iter().sum::<f64>();
            }
            begin = end;
        }
        rewards.push(total);
    }
}
