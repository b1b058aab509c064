//! From batches of successors to compressed sparse rows.

use crate::batch::Batch;
use volvelle_model::{Kind, Program};

/// Rows up to this length are sorted by insertion.
const SHORT_ROW: usize = 24;

/// The matrix under construction. States come in the order of their numbers.
pub struct Assembler {
    kind: Kind,
    /// Reward structures whose transition rewards the batches carry.
    structures: usize,
    /// First choice of each state; MDP only.
    pub choice_start: Vec<u32>,
    /// Action of each choice; MDP only.
    pub choice_action: Vec<u32>,
    /// First transition of each row.
    pub row_start: Vec<u32>,
    /// Targets.
    pub columns: Vec<u32>,
    /// Probabilities or rates.
    pub values: Vec<f64>,
    /// Transition rewards per row, for each structure.
    pub rewards: Vec<Vec<f64>>,
    /// States without a transition of their own.
    pub deadlocks: Vec<u32>,
    /// Number of states done.
    pub states: usize,
    group_actions: Vec<u32>,
    scratch: Vec<(u32, u32, f64)>,
}

impl Assembler {
    /// An empty matrix.
    pub fn new(program: &Program, structures: usize) -> Self {
        Assembler {
            kind: program.kind,
            structures,
            choice_start: vec![0],
            choice_action: Vec::new(),
            row_start: vec![0],
            columns: Vec::new(),
            values: Vec::new(),
            rewards: vec![Vec::new(); structures],
            deadlocks: Vec::new(),
            states: 0,
            group_actions: program.groups.iter().map(|g| g.action.0).collect(),
            scratch: Vec::new(),
        }
    }

    /// Bytes in use.
    pub fn bytes(&self) -> u64 {
        let four = self.choice_start.len()
            + self.choice_action.len()
            + self.row_start.len()
            + self.columns.len()
            + self.deadlocks.len();
        let eight = self.values.len() + self.rewards.iter().map(Vec::len).sum::<usize>();
        (4 * four + 8 * eight) as u64
    }

    /// Whether `more` transitions still have 32-bit offsets.
    pub fn has_room(&self, more: usize) -> bool {
        self.columns.len() + more < u32::MAX as usize && self.row_start.len() + more < u32::MAX as usize
    }

    /// Adds the states of a batch whose successors have numbers.
    pub fn add(&mut self, batch: &mut Batch) {
        match self.kind {
            Kind::Ctmc => self.add_rates(batch),
            Kind::Dtmc => self.add_chain(batch),
            Kind::Mdp => self.add_choices(batch),
        }
    }

    fn add_rates(&mut self, batch: &Batch) {
        let (mut state, mut successor) = (0usize, 0usize);
        let with_choices = self.structures > 0;
        for &end in &batch.state_ends {
            let (first_choice, first) = (state, successor);
            if with_choices {
                state = end as usize;
                successor = if state == 0 { 0 } else { batch.choice_ends[state - 1] as usize };
                self.rate_rewards(batch, first_choice..state, first);
            } else {
                successor = end as usize;
            }
            self.row(&batch.numbers[first..successor], &batch.weights[first..successor], 1.0);
            self.state_done(first == successor);
        }
    }

    /// Reward earned per unit of time through transitions: sum of rate × reward.
    fn rate_rewards(&mut self, batch: &Batch, choices: std::ops::Range<usize>, first: usize) {
        for k in 0..self.structures {
            let mut total = 0.0;
            let mut begin = first;
            for choice in choices.clone() {
                let end = batch.choice_ends[choice] as usize;
                let reward = batch.rewards[choice * self.structures + k];
                if reward != 0.0 {
                    total += reward * batch.weights[begin..end].iter().sum::<f64>();
                }
                begin = end;
            }
            self.rewards[k].push(total);
        }
    }

    fn add_chain(&mut self, batch: &mut Batch) {
        let (mut choice, mut successor) = (0usize, 0usize);
        for i in 0..batch.state_ends.len() {
            let (first_choice, first) = (choice, successor);
            choice = batch.state_ends[i] as usize;
            successor = if choice == 0 { 0 } else { batch.choice_ends[choice - 1] as usize };
            // Enabled commands are equally likely.
            let choices = choice - first_choice;
            for k in 0..self.structures {
                let earned = (first_choice..choice).map(|c| batch.rewards[c * self.structures + k]);
                let mean = if choices == 0 { 0.0 } else { earned.sum::<f64>() / choices as f64 };
                self.rewards[k].push(mean);
            }
            let numbers = &batch.numbers[first..successor];
            self.row(numbers, &batch.weights[first..successor], choices.max(1) as f64);
            self.state_done(first == successor);
        }
    }

    fn add_choices(&mut self, batch: &Batch) {
        let (mut choice, mut successor) = (0usize, 0usize);
        for &end in &batch.state_ends {
            let first_choice = choice;
            while choice < end as usize {
                let first = successor;
                successor = batch.choice_ends[choice] as usize;
                self.row(&batch.numbers[first..successor], &batch.weights[first..successor], 1.0);
                self.row_start.push(self.columns.len() as u32);
                self.choice_action.push(self.group_actions[batch.choice_groups[choice] as usize]);
                for k in 0..self.structures {
                    self.rewards[k].push(batch.rewards[choice * self.structures + k]);
                }
                choice += 1;
            }
            if first_choice == choice {
                self.choice_action.push(0);
                self.rewards.iter_mut().for_each(|r| r.push(0.0));
                self.self_loop();
                self.row_start.push(self.columns.len() as u32);
            }
            self.states += 1;
            self.choice_start.push(self.choice_action.len() as u32);
        }
    }

    /// Ends the row of a state of a chain.
    fn state_done(&mut self, deadlock: bool) {
        if deadlock {
            self.self_loop();
        }
        self.states += 1;
        self.row_start.push(self.columns.len() as u32);
    }

    /// A state without transitions stays where it is, as PRISM has it.
    fn self_loop(&mut self) {
        self.deadlocks.push(self.states as u32);
        self.columns.push(self.states as u32);
        self.values.push(1.0);
    }

    /// Appends transitions, columns increasing, weights of equal targets added in the order of their coming
    /// and divided by `divisor`.
    fn row(&mut self, numbers: &[u32], weights: &[f64], divisor: f64) {
        let start = self.columns.len();
        self.columns.extend_from_slice(numbers);
        if divisor == 1.0 {
            self.values.extend_from_slice(weights);
        } else {
            self.values.extend(weights.iter().map(|w| w / divisor));
        }
        if numbers.windows(2).all(|pair| pair[0] < pair[1]) {
            return;
        }
        if numbers.len() <= SHORT_ROW {
            insertion_sort(&mut self.columns[start..], &mut self.values[start..]);
        } else {
            self.sort_long(start);
        }
        self.merge(start);
    }

    fn sort_long(&mut self, start: usize) {
        let (columns, values) = (&mut self.columns[start..], &mut self.values[start..]);
        self.scratch.clear();
        self.scratch.extend(columns.iter().zip(&*values).enumerate().map(|(i, (&c, &v))| (c, i as u32, v)));
        self.scratch.sort_unstable_by_key(|&(column, place, _)| (column, place));
        for ((column, value), &(c, _, v)) in columns.iter_mut().zip(values).zip(&self.scratch) {
            (*column, *value) = (c, v);
        }
    }

    fn merge(&mut self, start: usize) {
        let mut last = start;
        for i in start + 1..self.columns.len() {
            if self.columns[i] == self.columns[last] {
                self.values[last] += self.values[i];
            } else {
                last += 1;
                self.columns[last] = self.columns[i];
                self.values[last] = self.values[i];
            }
        }
        self.columns.truncate(last + 1);
        self.values.truncate(last + 1);
    }
}

/// Stable, so that equal columns keep their order.
fn insertion_sort(columns: &mut [u32], values: &mut [f64]) {
    for i in 1..columns.len() {
        let (column, value) = (columns[i], values[i]);
        let mut at = i;
        while at > 0 && columns[at - 1] > column {
            columns[at] = columns[at - 1];
            values[at] = values[at - 1];
            at -= 1;
        }
        columns[at] = column;
        values[at] = value;
    }
}
