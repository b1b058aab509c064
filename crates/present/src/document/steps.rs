//! Runs in full: what each step is, and what it changes.

use super::{Column, Text};

/// A run, step by step.
#[derive(Clone, Debug, Default)]
pub struct Steps {
    /// What the cells of a step are. The first one numbers it, and the last one may need room.
    pub columns: Vec<Column>,
    /// The steps that are listed.
    pub steps: Vec<Step>,
    /// The step at which a cycle begins; behind all of them, nothing happens any more.
    pub cycle_start: Option<usize>,
    /// Steps between those that are listed, and where: behind so many.
    pub omitted: Option<(usize, u64)>,
}

/// A step of a run.
#[derive(Clone, Debug, Default)]
pub struct Step {
    /// A cell for each column.
    pub cells: Vec<Text>,
    /// Messages and changes, each of which stays whole.
    pub changes: Vec<Text>,
    /// The text that it prints.
    pub printed: String,
    /// Sentences about what is true from here on.
    pub remarks: Vec<Text>,
}
