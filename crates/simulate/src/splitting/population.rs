//! The states in which segments begin and end.

use super::task::SplittingTask;

/// States from which segments begin: fields, time and steps.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Population {
    /// Fields and steps of each.
    pub(super) rows: Vec<i64>,
    pub(super) times: Vec<f64>,
}

/// How segments ended, in the order of their numbers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ends {
    /// The greatest importance on each segment; that of the target if the property was satisfied.
    pub bests: Vec<i32>,
    /// Steps of each, twice, plus one if it was given up.
    pub status: Vec<u64>,
    pub(super) states: Population,
    pub(super) values: Vec<f64>,
}

impl Population {
    /// The initial state only.
    pub fn initial(rare: &SplittingTask) -> Self {
        let mut rows = rare.plan.initial.clone();
        rows.push(0);
        Population { rows, times: vec![0.0] }
    }

    /// Number of states.
    pub fn len(&self) -> usize {
        self.times.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.times.is_empty()
    }

    /// Fields, steps and time of a state.
    pub fn get(&self, index: usize) -> (&[i64], u32, f64) {
        let width = self.rows.len() / self.times.len();
        let row = &self.rows[index * width..(index + 1) * width];
        (&row[..width - 1], row[width - 1] as u32, self.times[index])
    }

    /// Adds the end of a segment.
    pub fn push(&mut self, ends: &Ends, index: usize) {
        let width = ends.states.rows.len() / ends.states.times.len();
        self.rows.extend_from_slice(&ends.states.rows[index * width..(index + 1) * width]);
        self.times.push(ends.states.times[index]);
    }

    /// Drops all states.
    pub fn clear(&mut self) {
        self.rows.clear();
        self.times.clear();
    }
}

impl Ends {
    /// Fields, steps and time at the end of a segment.
    pub fn get(&self, index: usize) -> (&[i64], u32, f64) {
        self.states.get(index)
    }
}
