//! Answers by simulation: from properties and options to an estimation, and from its result to reports. The module
//! `trace` goes along a single path, step by step.
//!
//! The estimation is [`volvelle_estimate`]. A property gets what the paths say up to the moment at which it has enough of them: its
//! answer does not depend on the other properties.

mod answer;
pub mod ask;
mod diagnostics;
pub mod document;
mod emit;
mod estimate;
mod generators;
pub mod json;
mod model;
pub mod options;
pub mod screen;
mod splitting;
pub mod stepping;
mod trace;
mod verification;

pub use emit::{CodeForm, path_code};
pub use generators::generator;

pub use trace::{
    Choice, Command, Decided, Followed, Moved as PathMoved, Path, PathEnd, PathOption, PathPlan, PathStep,
    PathValue, Total, Tracing, VariableChange, csv as path_csv, plan_path, start_path,
};

pub use verification::verify_reports;
pub use volvelle_estimate::{
    DEFAULT_RARE_PATHS, DEFAULT_SAMPLES, DEFAULT_STEPS, PathTier, Sampling, SamplingMethod,
};
pub use volvelle_session::disagreements::{Disagreements, disagreements};
pub use volvelle_simulate::path::Generator;

use estimate::Estimate;
use model::PathModel;
use std::time::Instant;
use volvelle_control::{Control, Stop};
use volvelle_diagnostics::Diagnostic;
use volvelle_estimate::{
    Estimation, EstimationOutcome, EstimationTask, PathStatistics, PropertyStatus, StoppingRule, UnfitMethod,
};
use volvelle_logic::Property;
use volvelle_model::Program;
use volvelle_session::pending::{Pending, RunLog};
use volvelle_session::report::PropertyReport;
use volvelle_session::{Session, Settings};
use volvelle_simulate::automaton::MonitorAutomaton;
use volvelle_simulate::error::Failure;
use volvelle_simulate::measure::{self, Measure, PropertyMeasure};
use volvelle_simulate::scheduler::Resolution;

/// A property whose measure is estimated.
struct Estimated {
    /// Index into the properties.
    pending: usize,
    asked: PropertyMeasure,
}

/// What is estimated for properties together.
#[derive(Default)]
struct Asked {
    measures: Vec<Measure>,
    automata: Vec<MonitorAutomaton>,
    estimated: Vec<Estimated>,
    /// One for each property that is estimated.
    tasks: Vec<EstimationTask>,
}

impl Asked {
    /// Adds the measure of a property, and when it has enough paths.
    fn add(
        &mut self,
        pending: usize,
        property: &Property,
        program: &mut Program,
        sampling: &Sampling,
    ) -> Result<(), Diagnostic> {
        let asked = measure::measure(program, &mut self.automata, property)
            .map_err(|why| diagnostics::of_unsupported(&why, program))?;
        let rule = StoppingRule::new(sampling, asked.measure.is_indicator(), asked.bound);
        let rule = rule.map_err(diagnostics::of_rule)?;
        let known = self.measures.iter().position(|measure| *measure == asked.measure);
        let measure = known.unwrap_or(self.measures.len());
        if known.is_none() {
            self.measures.push(asked.measure);
        }
        self.estimated.push(Estimated { pending, asked });
        self.tasks.push(EstimationTask::new(measure, rule));
        Ok(())
    }

    /// Whether what separates the answers of a test is given, but there is no test: it has no effect on intervals.
    fn lacks_test(&self, sampling: &Sampling) -> bool {
        let is_test = |one: &Estimated| one.asked.bound.is_some() && one.asked.measure.is_indicator();
        sampling.method == SamplingMethod::Auto
            && sampling.indifference.is_some()
            && !self.estimated.iter().any(is_test)
    }
}

/// One report for each property, in their order, by simulation.
pub fn sampled(
    session: &Session,
    pending: &[Pending],
    sampling: &Sampling,
    settings: &Settings,
    control: &Control<'_>,
    log: &mut RunLog,
) -> Vec<PropertyReport> {
    if sampling.rare {
        return crate::splitting::split(session, pending, sampling, settings, control, log);
    }
    let start = Instant::now();
    let mut reports: Vec<Option<PropertyReport>> = pending.iter().map(Pending::failed).collect();
    let refusal = |i: usize, reason: Diagnostic| Some(pending[i].refused(&[reason.at(pending[i].place, "")]));
    let model = match crate::model::path_model(session, control) {
        Ok(model) => model,
        Err(complaint) => {
            let answerable = (0..pending.len()).filter(|&i| pending[i].property.is_ok());
            answerable.for_each(|i| reports[i] = refusal(i, complaint.clone()));
            None
        }
    };
    let (Some(PathModel { mut program, table }), Some(document)) = (model, session.model.document.as_deref())
    else {
        return reports.into_iter().flatten().collect();
    };
    let mut asked = Asked::default();
    for (i, p) in pending.iter().enumerate() {
        let Ok(property) = &p.property else { continue };
        if let Err(complaint) = asked.add(i, property, &mut program, sampling) {
            reports[i] = refusal(i, complaint);
        }
    }
    if asked.lacks_test(sampling) {
        for one in &asked.estimated {
            reports[one.pending] = refusal(one.pending, diagnostics::of_rule(UnfitMethod::TestWithoutBound));
        }
        asked.tasks.clear();
    }
    let Asked { measures, automata, estimated, mut tasks } = asked;
    if tasks.is_empty() {
        return reports.into_iter().flatten().collect();
    }
    // Choices of an explicit model were made when its table was.
    let resolution =
        if table.is_some() { Ok(Resolution::Model) } else { crate::model::resolution(session, &program) };
    let outcome = resolution.and_then(|resolution| {
        let estimation = Estimation {
            program: &program,
            measures,
            automata,
            resolution: &resolution,
            table: table.as_ref(),
            sampling,
            tier: crate::verification::tier_of_paths(session, sampling),
            devices: &session.run.devices,
            ranks: session.run.ranks.as_ref(),
        };
        let unplanned = |why| crate::model::of_plan(session, &why, &program);
        session.run.path_campaign().take(&estimation, &mut tasks, control).map_err(unplanned)
    });
    let outcome = match outcome {
        Ok(outcome) => outcome,
        Err(complaint) => {
            for one in &estimated {
                reports[one.pending] = refusal(one.pending, complaint.clone());
            }
            return reports.into_iter().flatten().collect();
        }
    };
    log.stop = log.stop.or(outcome.stop);
    log.diagnostics.extend(outcome.failures.iter().map(diagnostics::of_device));
    if let Some(stop) = outcome.stop {
        log.diagnostics.push(diagnostics::of_stop(stop, outcome.paths, settings));
    }
    for (one, task) in estimated.iter().zip(&tasks) {
        let p = &pending[one.pending];
        let Ok(property) = &p.property else { continue };
        reports[one.pending] = match statistics_of(task, &outcome, sampling) {
            Ok((known, stop)) => {
                let estimate = Estimate {
                    asked: &one.asked,
                    rule: &task.rule,
                    known,
                    sampling,
                    choices: &session.run.choices,
                    engine: &outcome.usage.tier,
                    stop,
                };
                Some(report_of(p, property, &estimate, &outcome, start, log))
            }
            Err(Unanswered::Refused(complaint)) => refusal(one.pending, complaint),
            Err(Unanswered::Failed(failure)) => {
                let sources = &session.model.sources;
                let complaint = diagnostics::of_failure(&failure, &outcome.plan, sampling, document, sources);
                Some(p.refused(&[complaint]))
            }
        };
    }
    reports.into_iter().flatten().collect()
}

/// Why a property has no estimate.
enum Unanswered {
    Refused(Diagnostic),
    /// A path failed.
    Failed(Failure),
}

/// The paths of a property, and the limit that ended them early.
fn statistics_of<'a>(
    task: &'a EstimationTask,
    outcome: &EstimationOutcome,
    sampling: &Sampling,
) -> Result<(&'a PathStatistics, Option<Stop>), Unanswered> {
    match &task.status {
        PropertyStatus::Finished(known) => Ok((known, None)),
        PropertyStatus::Interrupted(known) if outcome.needs_more => {
            Err(Unanswered::Refused(diagnostics::of_more_needed(known, &task.rule)))
        }
        PropertyStatus::Interrupted(known) => Ok((known, outcome.stop)),
        PropertyStatus::Undecided(path) => {
            Err(Unanswered::Refused(diagnostics::of_long_path(*path, sampling)))
        }
        PropertyStatus::Failed(failure) => Err(Unanswered::Failed(*failure)),
        PropertyStatus::Open => unreachable!("an estimation leaves no task open"),
    }
}

/// The report on a property that paths were run for.
fn report_of(
    pending: &Pending,
    property: &Property,
    estimate: &Estimate<'_>,
    outcome: &EstimationOutcome,
    start: Instant,
    log: &mut RunLog,
) -> PropertyReport {
    let mut report = match answer::answer(estimate) {
        Ok(answer) => {
            let remarks = diagnostics::beside(estimate, &answer, pending.place);
            log.diagnostics.extend(remarks.into_iter().map(|remark| pending.at_point(remark)));
            pending.report(property.constants.clone(), Ok(answer), start.elapsed())
        }
        Err(complaint) => {
            let complaint = complaint.at(pending.place, "");
            pending.report(property.constants.clone(), Err(vec![complaint]), start.elapsed())
        }
    };
    report.statistics = Some(Box::new(answer::statistics(estimate, outcome.time)));
    report.facts.clone_from(&outcome.usage.facts);
    report
}
