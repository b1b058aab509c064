//! Systems that were generated in part.

use volvelle_space::{BitSet, Lts};

/// A system that was generated breadth first, perhaps not to its end.
pub(super) struct FirstStates {
    /// The system; states that are not expanded have no transitions.
    pub lts: Lts,
    /// The states that are not expanded; `None` if all are.
    pub unexpanded: Option<BitSet>,
}

impl FirstStates {
    /// A system of which only the states before a number are expanded.
    pub fn behind(expanded: usize, lts: Lts) -> Self {
        let states = lts.num_states();
        let unexpanded = (expanded < states).then(|| BitSet::of(states, expanded..states));
        FirstStates { lts, unexpanded }
    }
}
