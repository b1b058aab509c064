//! The matrix: concatenated rows of consecutive states.

use crate::accuracy::RowOperations;
use crate::labels::Labels;
use crate::row_permutations::RowPermutations;
use crate::rows::{RowShape, Rows};
use volvelle_space::ValuesBuilder;
use volvelle_store::advise_huge;

/// The matrix under construction. States come in the order of their numbers.
#[derive(Debug)]
pub struct Assembler {
    /// First choice of each state; MDP only.
    pub choice_start: Vec<u32>,
    /// Action of each choice, or its label, numbered after all actions; MDP only.
    pub choice_action: Vec<u32>,
    /// Labels with data.
    pub labels: Labels,
    /// Choices that are Markovian; Markov automata only.
    pub markovian: Vec<u32>,
    /// First transition of each row.
    pub row_start: Vec<u32>,
    /// Targets.
    pub columns: Vec<u32>,
    /// Probabilities or rates.
    pub values: ValuesBuilder,
    /// Transition rewards per row, for each structure.
    pub rewards: Vec<ValuesBuilder>,
    /// Whether some of them are means of different ones, for each structure.
    pub mixed: Vec<bool>,
    /// States without a transition of their own.
    pub deadlocks: Vec<u32>,
    /// The operations by which the rows were made.
    pub operations: RowOperations,
    /// Number of states done.
    pub states: usize,
    /// Positions of successors in their rows; `None` if not requested, or without memory for them.
    pub slots: Option<RowPermutations>,
}

impl Assembler {
    /// An empty matrix; with slots if it is to be reusable.
    pub fn new(shape: &RowShape, reusable: bool) -> Self {
        Assembler {
            choice_start: vec![0],
            choice_action: Vec::new(),
            labels: Labels::default(),
            markovian: Vec::new(),
            row_start: vec![0],
            columns: Vec::new(),
            values: ValuesBuilder::new(),
            rewards: vec![ValuesBuilder::new(); shape.structures()],
            mixed: vec![false; shape.structures()],
            deadlocks: Vec::new(),
            operations: RowOperations::default(),
            states: 0,
            slots: reusable.then(RowPermutations::default),
        }
    }

    /// Bytes in use.
    pub fn bytes(&self) -> u64 {
        let four = self.choice_start.len()
            + self.choice_action.len()
            + self.markovian.len()
            + self.row_start.len()
            + self.columns.len()
            + self.deadlocks.len();
        let coded =
            self.rewards.iter().chain([&self.values]).map(|values| values.so_far().bytes()).sum::<u64>();
        4 * four as u64 + coded + self.labels.bytes() + self.slots.as_ref().map_or(0, RowPermutations::bytes)
    }

    /// Appends rows; `false` if there would be more rows or transitions than 32 bits can count.
    #[must_use]
    pub fn append(&mut self, rows: &Rows) -> bool {
        let limit = u32::MAX as usize;
        if self.columns.len() + rows.columns.len() >= limit
            || self.row_start.len() + rows.row_ends.len() >= limit
        {
            return false;
        }
        let (first_row, first) = (self.row_start.len() as u32 - 1, self.columns.len() as u32);
        extend(&mut self.columns, &rows.columns);
        self.values.extend(&rows.values);
        self.row_start.extend(rows.row_ends.iter().map(|end| first + end));
        self.choice_start.extend(rows.choice_ends.iter().map(|end| first_row + end));
        self.labels.extend(&mut self.choice_action, rows);
        self.markovian.extend(rows.markovian.iter().map(|row| first_row + row));
        let structures = self.rewards.len();
        for (k, rewards) in self.rewards.iter_mut().enumerate() {
            rows.rewards.iter().skip(k).step_by(structures).for_each(|&reward| rewards.push(reward));
        }
        self.mixed.iter_mut().zip(&rows.mixed).for_each(|(all, &more)| *all |= more);
        self.deadlocks.extend_from_slice(&rows.deadlocks);
        if let (Some(slots), Some(more)) = (&mut self.slots, &rows.slots) {
            slots.append(self.states, more);
        }
        self.operations.unite(rows.operations);
        self.states += rows.states;
        true
    }
}

/// Appends to a vector that may become very large. It uses huge pages, since growing by small ones costs more
/// than filling them.
fn extend<T: Copy>(all: &mut Vec<T>, more: &[T]) {
    if all.len() + more.len() > all.capacity() {
        all.reserve(more.len());
        advise_huge(all.as_ptr().cast(), all.capacity() * size_of::<T>());
    }
    all.extend_from_slice(more);
}
