//! Exploring a session's model, with the complaints that this brings.

use crate::engine;
use crate::failure;
use crate::report::{ModelReport, Report};
use crate::session::{Exploration, Session, Settings, has_errors, mentions};
use volvelle_control::{Control, Stop};
use volvelle_diagnostics::{Diagnostic, codes};
use volvelle_explore::{ExploreError, Explored, Reached};
use volvelle_kernel::Site;
use volvelle_model::kernels::Selection;
use volvelle_model::{Layout, Program};
use volvelle_space::StateId;

/// What came of an exploration.
pub(crate) struct Outcome {
    pub model: Option<ModelReport>,
    pub explored: Option<Explored>,
    pub diagnostics: Vec<Diagnostic>,
    pub stop: Option<Stop>,
    /// The site that failed, where one did.
    pub failed: Option<Site>,
}

impl Session {
    /// Explores all states and observes everything that the model itself names.
    pub fn explore(&mut self, settings: &Settings, control: &Control<'_>) -> (Report, Option<Exploration>) {
        self.refuse_sweeps();
        let lowered = self.lower();
        let mut report = Report { diagnostics: std::mem::take(&mut self.diagnostics), ..Report::default() };
        if lowered || mentions(&report.diagnostics, codes::OPEN_CONSTANT) {
            // A constant without a value and a value without a constant are often the same mistake.
            report.diagnostics.extend(self.unmentioned_constants());
        }
        let Some(program) = self.program().filter(|_| !has_errors(&report.diagnostics)) else {
            return (report, None);
        };
        let outcome = self.run_exploration(Selection::all(program), settings, control);
        report.model = outcome.model;
        report.diagnostics.extend(outcome.diagnostics);
        report.stop = outcome.stop;
        let explored = outcome.explored.filter(|_| !has_errors(&report.diagnostics));
        (report, explored.map(|explored| Exploration { explored }))
    }

    /// Explores with a selection of observations. The model must have been lowered.
    pub(crate) fn run_exploration(
        &self,
        observe: Selection,
        settings: &Settings,
        control: &Control<'_>,
    ) -> Outcome {
        let (Some(document), Some(program)) = (&self.document, self.program()) else {
            return Outcome {
                model: None,
                explored: None,
                diagnostics: Vec::new(),
                stop: None,
                failed: None,
            };
        };
        let (result, tier) = engine::run(program, settings.tier, observe, control);
        let mut outcome =
            Outcome { model: None, explored: None, diagnostics: Vec::new(), stop: None, failed: None };
        match result {
            Ok(explored) => {
                outcome.model = Some(self.complete(&explored, tier));
                outcome.diagnostics.extend(self.deadlocks(&explored, settings.fix_deadlocks));
                outcome.explored = Some(explored);
            }
            Err(error) => {
                match &error {
                    ExploreError::Stopped { stop, reached } => {
                        outcome.stop = Some(*stop);
                        outcome.model = Some(self.partial(program, reached, tier));
                    }
                    ExploreError::Failed { site, .. } => outcome.failed = Some(*site),
                    _ => {}
                }
                outcome.diagnostics.push(failure::of_exploration(
                    &error,
                    &**document,
                    program,
                    &self.sources,
                    &settings.allowance,
                ));
            }
        }
        outcome
    }

    fn complete(&self, explored: &Explored, tier: &'static str) -> ModelReport {
        let space = &explored.space;
        ModelReport {
            file: self.file.clone(),
            kind: space.kind.name(),
            constants: self.document.as_ref().map_or(Vec::new(), |d| d.constants()),
            complete: true,
            states: space.num_states() as u64,
            choices: space.choices.as_ref().map(|_| space.num_choices() as u64),
            transitions: space.num_transitions() as u64,
            initial_states: Some(space.initial.len() as u64),
            deadlocks: Some(space.deadlocks.count() as u64),
            bits: explored.layout.bits(),
            bytes: explored.states.bytes() + space.bytes(),
            tier,
            time: self.started.elapsed(),
        }
    }

    fn partial(&self, program: &Program, reached: &Reached, tier: &'static str) -> ModelReport {
        ModelReport {
            file: self.file.clone(),
            kind: kind_name(program),
            constants: self.document.as_ref().map_or(Vec::new(), |d| d.constants()),
            complete: false,
            states: reached.states,
            choices: None,
            transitions: reached.transitions,
            initial_states: None,
            deadlocks: None,
            bits: Layout::new(program).bits(),
            bytes: reached.bytes,
            tier,
            time: self.started.elapsed(),
        }
    }

    fn deadlocks(&self, explored: &Explored, fixed: bool) -> Option<Diagnostic> {
        let first = explored.space.deadlocks.iter().next()?;
        let document = self.document.as_ref()?;
        let state = document.state_text(&explored.layout.unpack(explored.states.get(first)));
        let count = explored.space.deadlocks.count() as u64;
        Some(failure::of_deadlocks(count, StateId(first as u32), &state, fixed))
    }
}

/// `DTMC`
pub(crate) fn kind_name(program: &Program) -> &'static str {
    match program.kind {
        volvelle_model::Kind::Dtmc => volvelle_space::Kind::Dtmc.name(),
        volvelle_model::Kind::Ctmc => volvelle_space::Kind::Ctmc.name(),
        volvelle_model::Kind::Mdp => volvelle_space::Kind::Mdp.name(),
    }
}
