//! Outcomes: what happens between the entry of a state and the next passage of time. Each is a distribution
//! over tangible states, with the expected counts of actions on the way.

use rustc_hash::FxHashMap;

use crate::numbers::{Code, Numbers, ONE};

/// A distribution and expected counts of actions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Outcome {
    /// A tangible state with the bit [`SURE`], or the index of a row of a distribution.
    pub reaches: u32,
    /// The index of the expected counts.
    pub counts: u32,
}

/// Marks a distribution that is a single state.
pub(crate) const SURE: u32 = 1 << 31;

/// No action happens.
pub(crate) const NOTHING: u32 = 0;

/// Rows of pairs of a key and a number.
#[derive(Clone, Debug)]
struct Rows {
    starts: Vec<u32>,
    entries: Vec<(u32, Code)>,
}

impl Rows {
    fn new() -> Self {
        Rows { starts: vec![0], entries: Vec::new() }
    }

    fn push(&mut self, row: &[(u32, Code)]) -> u32 {
        self.entries.extend_from_slice(row);
        self.starts.push(self.entries.len() as u32);
        self.starts.len() as u32 - 2
    }

    fn get(&self, row: u32) -> &[(u32, Code)] {
        &self.entries[self.starts[row as usize] as usize..self.starts[row as usize + 1] as usize]
    }
}

/// Distributions and counts of all outcomes.
#[derive(Clone, Debug)]
pub(crate) struct Arena {
    distributions: Rows,
    counts: Rows,
    counts_places: FxHashMap<Vec<(u32, Code)>, u32>,
    more: FxHashMap<(u32, u32), u32>,
}

impl Arena {
    pub fn new() -> Self {
        let mut arena = Arena {
            distributions: Rows::new(),
            counts: Rows::new(),
            counts_places: FxHashMap::default(),
            more: FxHashMap::default(),
        };
        arena.place_counts(&[]);
        arena
    }

    fn place_counts(&mut self, counts: &[(u32, Code)]) -> u32 {
        if let Some(&place) = self.counts_places.get(counts) {
            return place;
        }
        let place = self.counts.push(counts);
        self.counts_places.insert(counts.to_vec(), place);
        place
    }

    /// An outcome from sorted entries with distinct keys: tangible states, whose numbers sum to one, and
    /// actions.
    pub fn outcome(&mut self, reaches: &[(u32, Code)], counts: &[(u32, Code)]) -> Outcome {
        let reaches = match *reaches {
            [(state, ONE)] => state | SURE,
            _ => self.distributions.push(reaches),
        };
        Outcome { reaches, counts: self.place_counts(counts) }
    }

    /// The counts with one more occurrence of an action.
    pub fn count_more(&mut self, counts: u32, action: u32, numbers: &mut Numbers) -> u32 {
        if let Some(&known) = self.more.get(&(counts, action)) {
            return known;
        }
        let mut entries = self.counts.get(counts).to_vec();
        entries.push((action, ONE));
        numbers.merge(&mut entries);
        let place = self.place_counts(&entries);
        self.more.insert((counts, action), place);
        place
    }

    /// The tangible states that an outcome reaches, with their probabilities.
    pub fn reaches(&self, outcome: Outcome) -> impl Iterator<Item = (u32, Code)> + '_ {
        let sure = (outcome.reaches & SURE != 0).then_some((outcome.reaches & !SURE, ONE));
        let row = if sure.is_some() { &[] } else { self.distributions.get(outcome.reaches) };
        sure.into_iter().chain(row.iter().copied())
    }

    /// The expected counts of actions that are not zero.
    pub fn counts(&self, outcome: Outcome) -> &[(u32, Code)] {
        self.counts.get(outcome.counts)
    }

    /// Whether two outcomes are equal.
    pub fn same(&self, a: Outcome, b: Outcome) -> bool {
        let alike = || {
            (a.reaches | b.reaches) & SURE == 0
                && self.distributions.get(a.reaches) == self.distributions.get(b.reaches)
        };
        a.counts == b.counts && (a.reaches == b.reaches || alike())
    }

    /// Approximate size in bytes.
    pub fn bytes(&self) -> u64 {
        (8 * (self.distributions.entries.len() + self.counts.entries.len())
            + 4 * (self.distributions.starts.len() + self.counts.starts.len())) as u64
    }
}
