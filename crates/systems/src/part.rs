//! Systems that were generated in part.

use volvelle_explore::StateTable;
use volvelle_model::{FieldId, Layout};
use volvelle_session::Model;
use volvelle_session::report::ModelReport;
use volvelle_space::{BitSet, Lts};

/// A system that was generated breadth first, perhaps not to its end.
pub(super) struct FirstStates {
    /// The system; states that are not expanded have no transitions.
    pub lts: Lts,
    /// The states that are not expanded; `None` if all are.
    pub unexpanded: Option<BitSet>,
    /// The values of variables in the states, where they were made from a program.
    pub values: Option<StateValues>,
}

/// The states of a program, packed.
pub(super) struct StateValues {
    /// How they are packed.
    pub layout: Layout,
    /// In the order of the system.
    pub states: StateTable,
}

impl StateValues {
    /// The values of the first `fields` fields in a state; `None` for a state that stands for a distribution.
    pub fn get(&self, state: u32, fields: usize) -> Option<Vec<i64>> {
        let state = state as usize;
        (state < self.states.len()).then(|| {
            let packed = self.states.get(state);
            (0..fields).map(|field| self.layout.get(packed, FieldId::from_index(field))).collect()
        })
    }
}

impl FirstStates {
    /// A system of which only the states before a number are expanded.
    pub fn behind(expanded: usize, lts: Lts) -> Self {
        let states = lts.num_states();
        let unexpanded = (expanded < states).then(|| BitSet::of(states, expanded..states));
        FirstStates { lts, unexpanded, values: None }
    }
}

/// What is said of a system that was read.
pub(super) fn system_report(model: &Model, lts: &Lts) -> ModelReport {
    ModelReport {
        file: model.file.clone(),
        kind: "LTS".to_owned(),
        constants: Vec::new(),
        complete: true,
        ended_by_error: false,
        states: lts.num_states() as u64,
        is_product: false,
        first_of: None,
        choices: None,
        transitions: lts.num_transitions() as u64,
        initial_states: Some(1),
        deadlocks: None,
        unexpanded: None,
        bits: 32,
        bytes: lts.bytes(),
        tier: "none".into(),
        time: model.started.elapsed(),
        facts: Vec::new(),
    }
}
