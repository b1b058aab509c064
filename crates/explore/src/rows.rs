//! Converts a batch of successors to sorted rows.

use crate::accuracy::RowOperations;
use crate::batch::Batch;
use crate::row_permutations::RowPermutationsBuilder;
use std::ops::Range;
use volvelle_kernel::EntityVec;
use volvelle_model::underflow::SMALLEST;
use volvelle_model::{ActionId, Choice, GroupId, Kind, Program};

/// The shape of the rows of a program.
#[derive(Clone, Debug)]
pub struct RowShape {
    kind: Kind,
    /// Number of reward structures whose transition rewards the batches contain.
    structures: usize,
    group_actions: EntityVec<GroupId, ActionId>,
    /// How steps of each group are chosen, if choices of a nondeterministic program are merged.
    merging: Option<EntityVec<GroupId, Choice>>,
}

impl RowShape {
    /// For batches that carry the transition rewards of some reward structures.
    pub fn new(program: &Program, structures: usize) -> Self {
        let group_actions = program.groups.iter().map(|g| g.action).collect();
        let kind = program.kind();
        let choices: EntityVec<GroupId, Choice> =
            program.groups.iter().map(|group| program.choice_of(group)).collect();
        let merges = kind.is_nondeterministic() && choices.values().any(|c| c.merges());
        RowShape { kind, structures, group_actions, merging: merges.then_some(choices) }
    }

    /// Whether the program is nondeterministic, but racing choices of a state are merged.
    pub fn merges(&self) -> bool {
        self.merging.is_some()
    }

    /// The number of the action of a choice.
    fn action(&self, batch: &Batch, choice: usize) -> u32 {
        self.group_actions[batch.group(choice)].0
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
    /// The data of each row's label, if labels have data.
    pub labels: Vec<u64>,
    /// Rows of rates next to rows of probabilities; Markov automata only.
    pub markovian: Vec<u32>,
    /// Transition rewards: one for each structure, row by row.
    pub rewards: Vec<f64>,
    /// By structure: whether some rewards are means of different ones; may be shorter.
    pub mixed: Vec<bool>,
    /// States without a transition of their own.
    pub deadlocks: Vec<u32>,
    /// Number of states.
    pub states: usize,
    /// Positions of the successors of unordered rows, if requested.
    pub slots: Option<RowPermutationsBuilder>,
    /// The operations by which the rows were made; never cleared.
    pub operations: RowOperations,
    keys: Vec<u64>,
    merged: Merged,
}

/// The successors of choices that become one.
#[derive(Debug, Default)]
struct Merged {
    numbers: Vec<u32>,
    weights: Vec<f64>,
}

impl Rows {
    /// No rows; with slots if the space is to be reusable.
    pub fn new(reusable: bool) -> Self {
        Rows { slots: reusable.then(RowPermutationsBuilder::default), ..Rows::default() }
    }

    /// No rows.
    pub fn clear(&mut self) {
        let Rows {
            columns,
            values,
            row_ends,
            choice_ends,
            choice_actions,
            labels,
            markovian,
            rewards,
            mixed,
            deadlocks,
            states,
            slots,
            operations: _,
            keys: _,
            merged: _,
        } = self;
        columns.clear();
        values.clear();
        row_ends.clear();
        choice_ends.clear();
        choice_actions.clear();
        labels.clear();
        markovian.clear();
        rewards.clear();
        mixed.clear();
        deadlocks.clear();
        slots.iter_mut().for_each(RowPermutationsBuilder::clear);
        *states = 0;
    }

    /// Adds the states of a batch whose successors have numbers. `first` is the number of the first state
    /// added since [`Rows::clear`].
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
            self.operations.successors = self.operations.successors.max(successors.len() as u32);
            match shape.kind {
                kind if kind.is_nondeterministic() => {
                    if let Some(groups) = &shape.merging {
                        self.add_merging(shape, groups, batch, state, choices, first_successor);
                        self.states += 1;
                        continue;
                    }
                    self.add_choices(shape, batch, state, choices, first_successor);
                }
                Kind::Dtmc => {
                    // Enabled commands are equally likely.
                    let count = choices.len().max(1) as f64;
                    self.operations.shared |= choices.len() > 1;
                    self.operations.divided |= !choices.len().max(1).is_power_of_two();
                    mean_rewards(&mut self.rewards, &mut self.mixed, shape.structures, batch, choices);
                    self.row(batch.numbered(successors.clone()), count);
                    self.end_row(state, first_successor == successor);
                }
                _ => {
                    if with_choices {
                        rate_rewards(&mut self.rewards, shape.structures, batch, choices, first_successor);
                    }
                    self.row(batch.numbered(successors.clone()), 1.0);
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
        self.labels.extend_from_slice(batch.labels(choices.clone()));
        let mut begin = first;
        for choice in choices.clone() {
            let end = batch.choice_ends[choice] as usize;
            self.row(batch.numbered(begin..end), 1.0);
            self.row_ends.push(self.columns.len() as u32);
            self.choice_actions.push(shape.action(batch, choice));
            let rewards = choice * shape.structures..(choice + 1) * shape.structures;
            self.rewards.extend_from_slice(&batch.rewards[rewards]);
            begin = end;
        }
        if choices.is_empty() {
            self.slots.iter_mut().for_each(RowPermutationsBuilder::in_order);
            self.choice_actions.push(ActionId::SILENT.0);
            self.no_label(batch);
            self.rewards.extend(std::iter::repeat_n(0.0, shape.structures));
            self.end_row(state, true);
        }
        self.choice_ends.push(self.row_ends.len() as u32);
    }

    /// The rows of a state, some of whose choices are merged: racing ones to a row of rates, and equally
    /// likely ones to their mean. The row has the position of the first of them. Choices without a successor
    /// are ignored.
    fn add_merging(
        &mut self,
        shape: &RowShape,
        groups: &EntityVec<GroupId, Choice>,
        batch: &Batch,
        state: u32,
        choices: Range<usize>,
        first: usize,
    ) {
        let of = |choice: usize| groups[batch.group(choice)];
        let begin = |choice: usize| {
            if choice == choices.start { first } else { batch.choice_ends[choice - 1] as usize }
        };
        let successors = |choice: usize| begin(choice)..batch.choice_ends[choice] as usize;
        let happens = |choice: &usize| !successors(*choice).is_empty();
        let mut done = [false; 2];
        let before = self.row_ends.len();
        for choice in choices.clone().filter(happens) {
            let how = of(choice);
            if !how.merges() {
                self.row(batch.numbered(successors(choice)), 1.0);
                self.row_ends.push(self.columns.len() as u32);
                self.choice_actions.push(shape.action(batch, choice));
                self.labels.extend_from_slice(batch.label(choice));
                let rewards = choice * shape.structures..(choice + 1) * shape.structures;
                self.rewards.extend_from_slice(&batch.rewards[rewards]);
                continue;
            }
            let races = how == Choice::Race;
            if std::mem::replace(&mut done[usize::from(races)], true) {
                continue;
            }
            let mut merged = std::mem::take(&mut self.merged);
            merged.numbers.clear();
            merged.weights.clear();
            let mut earned = vec![0.0; shape.structures];
            let mut count = 0.0;
            for choice in choices.clone().filter(|&other| of(other) == how).filter(happens) {
                let (numbers, weights) = batch.numbered(successors(choice));
                merged.numbers.extend_from_slice(numbers);
                merged.weights.extend_from_slice(weights);
                let per_step = if races { weights.iter().sum::<f64>() } else { 1.0 };
                let rewards = &batch.rewards[choice * shape.structures..(choice + 1) * shape.structures];
                earned.iter_mut().zip(rewards).for_each(|(sum, reward)| *sum += reward * per_step);
                count += 1.0;
            }
            let divisor: f64 = if races { 1.0 } else { count };
            self.operations.shared |= divisor > 1.0;
            self.operations.divided |= !(divisor.max(1.0) as u64).is_power_of_two();
            if races {
                self.markovian.push(self.row_ends.len() as u32);
            }
            self.row((&merged.numbers, &merged.weights), divisor);
            self.merged = merged;
            self.row_ends.push(self.columns.len() as u32);
            self.choice_actions.push(ActionId::SILENT.0);
            self.no_label(batch);
            self.rewards.extend(earned.iter().map(|sum| sum / divisor));
        }
        if self.row_ends.len() == before {
            // The state has a loop, and time passes.
            if shape.kind.has_rates() {
                self.markovian.push(before as u32);
            }
            self.choice_actions.push(ActionId::SILENT.0);
            self.no_label(batch);
            self.rewards.extend(std::iter::repeat_n(0.0, shape.structures));
            self.end_row(state, true);
        }
        self.choice_ends.push(self.row_ends.len() as u32);
    }

    /// Adds the label of a row without data.
    fn no_label(&mut self, batch: &Batch) {
        self.labels.extend(std::iter::repeat_n(0, batch.label_words));
    }

    /// Ends a row. A state without transitions gets a loop, as in PRISM.
    fn end_row(&mut self, state: u32, deadlock: bool) {
        if deadlock {
            self.deadlocks.push(state);
            self.columns.push(state);
            self.values.push(1.0);
        }
        self.row_ends.push(self.columns.len() as u32);
    }

    /// Appends transitions with increasing columns. Weights of equal targets are added in the order of
    /// discovery, and divided by `divisor`.
    fn row(&mut self, (numbers, weights): (&[u32], &[f64]), divisor: f64) {
        let start = self.columns.len();
        if numbers.windows(2).all(|pair| pair[0] < pair[1]) {
            self.columns.extend_from_slice(numbers);
            self.values.extend_from_slice(weights);
            self.slots.iter_mut().for_each(RowPermutationsBuilder::in_order);
        } else {
            // Target and position in one word, so that sorting moves nothing else and keeps equal targets in
            // order.
            self.keys.clear();
            self.keys.extend(numbers.iter().enumerate().map(|(i, &n)| (n as u64) << 32 | i as u64));
            self.keys.sort_unstable();
            let mut last = u64::MAX;
            if let Some(slots) = &mut self.slots {
                slots.out_of_order(&self.keys);
            }
            let mut merged = 1;
            for &key in &self.keys {
                let (target, weight) = (key >> 32, weights[key as u32 as usize]);
                if target == last {
                    let end = self.values.len() - 1;
                    self.values[end] = (self.values[end] + weight).min(f64::MAX);
                    merged += 1;
                    self.operations.merged = self.operations.merged.max(merged);
                } else {
                    merged = 1;
                    self.columns.push(target as u32);
                    self.values.push(weight);
                    last = target;
                }
            }
        }
        if divisor != 1.0 {
            self.values[start..].iter_mut().for_each(|value| *value = (*value / divisor).max(SMALLEST));
        }
    }
}

/// Appends the transition rewards of a step of a DTMC: the mean over its choices. `mixed`: for each
/// structure, whether a mean of different rewards has occurred.
pub fn mean_rewards(
    rewards: &mut Vec<f64>,
    mixed: &mut Vec<bool>,
    structures: usize,
    batch: &Batch,
    choices: Range<usize>,
) {
    mixed.resize(structures, false);
    for (k, mixed) in mixed.iter_mut().enumerate() {
        let earned = choices.clone().map(|c| batch.rewards[c * structures + k]);
        let first = earned.clone().next();
        *mixed |= earned.clone().any(|reward| Some(reward) != first);
        let mean = if choices.is_empty() { 0.0 } else { earned.sum::<f64>() / choices.len() as f64 };
        rewards.push(mean);
    }
}

/// Appends the rewards earned per unit of time through transitions: the sum of rate × reward. `first` is the
/// first successor of the choices.
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
