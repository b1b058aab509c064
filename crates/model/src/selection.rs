//! Which observations of a program an analysis wants.

use crate::program::Program;

/// The selected observations, by index into the program's tables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// Boolean observations.
    pub labels: Vec<usize>,
    /// Reward structures; only their state rewards are evaluated here.
    pub rewards: Vec<usize>,
    /// Numeric observations.
    pub numbers: Vec<usize>,
}

impl Selection {
    /// All observations of a program.
    pub fn all(program: &Program) -> Self {
        Selection {
            labels: (0..program.labels.len()).collect(),
            rewards: (0..program.rewards.len()).collect(),
            numbers: (0..program.numbers.len()).collect(),
        }
    }

    /// Adds everything that has a name in the program: labels and reward structures.
    pub fn add_named(&mut self, program: &Program) {
        let named = (0..program.labels.len()).filter(|&i| program.labels[i].name.is_some());
        self.labels.extend(named);
        self.rewards.extend(0..program.rewards.len());
        for list in [&mut self.labels, &mut self.rewards] {
            list.sort_unstable();
            list.dedup();
        }
    }

    /// Whether nothing is selected.
    pub fn is_empty(&self) -> bool {
        self.labels.is_empty() && self.rewards.is_empty() && self.numbers.is_empty()
    }
}
