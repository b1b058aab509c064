//! The states that were found, as reports tell of them.

use volvelle_explore::Processes;
use volvelle_search::Outcome;
use volvelle_session::Model;
use volvelle_session::report::ModelReport;

/// How large a state space is.
pub struct Counts {
    /// States found.
    pub states: u64,
    /// Transitions found.
    pub transitions: u64,
    /// Bytes held by the states.
    pub bytes: u64,
}

/// The states that a search visited.
pub fn searched(
    model: &Model,
    system: &Processes<'_>,
    tier: &'static str,
    found: &volvelle_search::Report,
) -> ModelReport {
    let counts = Counts { states: found.states, transitions: found.transitions, bytes: found.bytes };
    ModelReport {
        complete: found.outcome == Outcome::Complete,
        ended_by_error: found.outcome == Outcome::Failed,
        is_product: found.is_product,
        ..processes_report(model, system, tier, &counts)
    }
}

/// All states of processes.
pub fn processes_report(
    model: &Model,
    system: &Processes<'_>,
    tier: &'static str,
    counts: &Counts,
) -> ModelReport {
    ModelReport {
        file: model.file.clone(),
        kind: "processes".to_owned(),
        constants: Vec::new(),
        complete: true,
        ended_by_error: false,
        states: counts.states,
        is_product: false,
        first_of: None,
        choices: None,
        transitions: counts.transitions,
        initial_states: Some(1),
        deadlocks: None,
        unexpanded: None,
        bits: 64 * system.layout().words() as u32,
        bytes: counts.bytes,
        tier: tier.into(),
        time: model.started.elapsed(),
        facts: Vec::new(),
    }
}
