//! Models of other languages as weighted structures: what their steps cost, and by what their states are told apart.
//!
//! Choices of all kinds become steps: commands, random outcomes that are possible, rates, statements. A weight is what a reward structure
//! gives for leaving a state (PRISM), by how much a variable grows (Promela), or 1.

mod making;
mod modules;
mod processes;

use making::{Making, negative};

use super::model::WeightedModel;
use dashu_ratio::RBig;
use volvelle_control::{Control, Stop};
use volvelle_diagnostics::{Diagnostic, codes};
use volvelle_session::language::Formalism;
use volvelle_session::report::Report;
use volvelle_session::{Model, Session, Settings};
use volvelle_space::{WeightedStep, WeightedStructure, WeightsTooFine};

/// States between two looks at the limits.
const PATIENCE: usize = 1 << 12;

/// Whether the model can become a weighted structure, though it is none.
pub(super) fn is_importable(model: &Model) -> bool {
    let is_generated =
        model.document.as_ref().is_some_and(|d| d.explicit().is_none() && !d.offers().is_labelled);
    is_generated && matches!(model.formalism(), Some(Formalism::Modules | Formalism::Processes))
}

/// Lowers the model, unless that has been done, and gives the diagnostics.
fn made_importable(model: &mut Model) -> Vec<Diagnostic> {
    if model.program().is_some() {
        return Vec::new();
    }
    model.lower();
    let mut diagnostics = std::mem::take(&mut model.diagnostics);
    diagnostics.extend(model.unmentioned_constants());
    diagnostics
}

/// The names of what tells the states of such a model apart.
pub(super) fn importable_names(model: &mut Model) -> Vec<String> {
    let lowered = made_importable(model);
    model.diagnostics.extend(lowered);
    match (model.program(), model.processes()) {
        (Some(_), Some(document)) => document.counters().into_iter().map(|global| global.name).collect(),
        (Some(program), None) => modules::names(program),
        (None, _) => Vec::new(),
    }
}

/// Makes a weighted structure of a model of modules or processes. `names` are those of formulas.
pub(super) fn imported(
    session: &mut Session,
    names: Option<&[String]>,
    settings: &Settings,
    control: &Control<'_>,
    report: &mut Report,
) -> Option<WeightedModel> {
    let observed = session.run.weighting.observed.clone();
    let names = observed.as_deref().or(names);
    report.diagnostics.extend(made_importable(&mut session.model));
    if session.model.program().is_none() || volvelle_diagnostics::has_errors(&report.diagnostics) {
        return None;
    }
    let made = match session.model.formalism() {
        Some(Formalism::Processes) => {
            crate::import::processes::processes_weighed(session, names, settings, control, report)
        }
        _ => modules::modules_weighed(session, names, settings, control, report),
    };
    made.map_err(|diagnostic| report.diagnostics.push(diagnostic)).ok().flatten()
}

impl Making {
    /// The number of a weight.
    fn weight(&mut self, weight: RBig) -> u64 {
        let Making { weights, number_of, .. } = self;
        *number_of.entry(weight).or_insert_with_key(|weight| {
            weights.push(weight.clone());
            weights.len() as u64 - 1
        })
    }

    fn step(&mut self, weight: u64, target: u32) {
        self.row.push(WeightedStep { weight, target });
    }

    /// Adds the next state, whose steps these are: equal ones are one.
    fn state(&mut self, propositions: impl IntoIterator<Item = (u32, i64)>) {
        // By targets, whose numbers are alike in models that are alike: comparisons try answers with the same place first.
        self.row.sort_unstable_by_key(|step| (step.target, step.weight));
        self.row.dedup();
        self.builder.state(propositions, self.row.drain(..));
    }

    fn finish(self, initial: u32, propositions: Vec<String>) -> Result<WeightedStructure, Diagnostic> {
        self.builder.finish_with(initial, &self.weights, propositions).map_err(|WeightsTooFine| {
            Diagnostic::error(
                codes::WKS_WEIGHT,
                "the weights are no multiples of one number that fit into 64 bits",
            )
            .help("round weights, or use fewer different denominators")
        })
    }

    /// Looks at the limits, now and then. `others`: bytes held besides.
    fn look(&self, state: usize, others: u64, control: &Control<'_>) -> Result<(), Stop> {
        if !state.is_multiple_of(PATIENCE) {
            return Ok(());
        }
        control.check()?;
        control.check_memory(others + self.builder.bytes())
    }
}
