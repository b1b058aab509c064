//! Spaces that are made for an analysis: transitions alone.

use volvelle_space::{BitSet, Choices, Kind, Space, Values};

/// A space without initial states, labels, rewards and names of actions.
pub fn plain_space(
    kind: Kind,
    choices: Option<Choices>,
    row_start: Vec<u32>,
    columns: Vec<u32>,
    values: Values,
) -> Space {
    let states = choices.as_ref().map_or(row_start.len(), |choices| choices.start.len()) - 1;
    Space {
        kind,
        choices,
        row_start,
        columns,
        values,
        initial: Vec::new(),
        deadlocks: BitSet::new(states),
        labels: Vec::new(),
        rewards: Vec::new(),
        actions: vec![String::new()],
    }
}
