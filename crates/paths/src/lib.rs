//! Answers by simulation: from properties and options to an estimation, and from its result to reports. The module
//! `trace` goes along a single path, step by step.
//!
//! The estimation is [`volvelle_estimate`]. A property gets what the paths say up to the moment at which it has enough of them: its
//! answer does not depend on the other properties.

mod answer;
pub mod ask;
mod diagnostics;
mod emit;
mod estimate;
mod generators;
pub mod json;
mod model;
pub mod options;
pub mod screen;
mod splitting;
mod trace;
mod verification;

pub use emit::{CodeForm, path_code};
pub use generators::generator;

pub use trace::{
    Command, Decided, Followed, Moved as PathMoved, Path, PathEnd, PathOption, PathPlan, PathStep, PathValue,
    Total, Tracing, VariableChange, csv as path_csv, plan_path, start_path,
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
use volvelle_control::Control;
use volvelle_diagnostics::Diagnostic;
use volvelle_estimate::{
    Estimation, EstimationOutcome, EstimationTask, PropertyStatus, StoppingRule, UnfitMethod,
};
use volvelle_logic::Property;
use volvelle_session::pending::{Pending, RunLog};
use volvelle_session::report::PropertyReport;
use volvelle_session::{Session, Settings};
use volvelle_simulate::automaton::MonitorAutomaton;
use volvelle_simulate::measure::{self, Measure, PropertyMeasure};
use volvelle_simulate::scheduler::Resolution;

/// A property whose measure is estimated.
struct Estimated {
    /// Index into the properties.
    pending: usize,
    asked: PropertyMeasure,
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
    let refuse = |reports: &mut Vec<Option<PropertyReport>>, i: usize, reason: Diagnostic| {
        reports[i] = Some(pending[i].refused(&[reason.at(pending[i].place, "")]));
    };
    let model = match crate::model::path_model(session, control) {
        Ok(model) => model,
        Err(complaint) => {
            let answerable = (0..pending.len()).filter(|&i| pending[i].property.is_ok());
            answerable.for_each(|i| refuse(&mut reports, i, complaint.clone()));
            None
        }
    };
    let (Some(PathModel { mut program, table }), Some(document)) = (model, session.document.as_deref())
    else {
        return reports.into_iter().flatten().collect();
    };
    let (mut measures, mut automata): (Vec<Measure>, Vec<MonitorAutomaton>) = Default::default();
    // One task for each property that is estimated.
    let (mut estimated, mut tasks): (Vec<Estimated>, Vec<EstimationTask>) = Default::default();
    for (i, p) in pending.iter().enumerate() {
        let Ok(property) = &p.property else { continue };
        let prepared = measure::measure(&mut program, &mut automata, property)
            .map_err(|why| diagnostics::of_unsupported(&why, &program))
            .and_then(|asked| {
                let rule = StoppingRule::new(sampling, asked.measure.is_indicator(), asked.bound);
                Ok((asked, rule.map_err(diagnostics::of_rule)?))
            });
        match prepared {
            Ok((asked, rule)) => {
                let known = measures.iter().position(|m| *m == asked.measure);
                let measure = known.unwrap_or_else(|| {
                    measures.push(asked.measure);
                    measures.len() - 1
                });
                estimated.push(Estimated { pending: i, asked });
                tasks.push(EstimationTask::new(measure, rule));
            }
            Err(complaint) => refuse(&mut reports, i, complaint),
        }
    }
    if sampling.method == SamplingMethod::Auto
        && sampling.indifference.is_some()
        && !estimated.iter().any(|one| one.asked.bound.is_some() && one.asked.measure.is_indicator())
    {
        // What separates the answers of a test has no effect on intervals.
        for one in &estimated {
            refuse(&mut reports, one.pending, diagnostics::of_rule(UnfitMethod::TestWithoutBound));
        }
        tasks.clear();
    }
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
            devices: &session.devices,
            ranks: session.ranks.as_ref(),
        };
        let unplanned = |why| crate::model::of_plan(session, &why, &program);
        session.path_campaign().take(&estimation, &mut tasks, control).map_err(unplanned)
    });
    let outcome = match outcome {
        Ok(outcome) => outcome,
        Err(complaint) => {
            for one in &estimated {
                refuse(&mut reports, one.pending, complaint.clone());
            }
            return reports.into_iter().flatten().collect();
        }
    };
    log.stop = log.stop.or(outcome.stop);
    log.diagnostics.extend(outcome.failures.iter().map(diagnostics::of_device));
    if let Some(stop) = outcome.stop {
        log.diagnostics.push(diagnostics::of_stop(stop, outcome.paths, settings));
    }
    for (one, task) in estimated.iter().zip(tasks) {
        let p = &pending[one.pending];
        let Ok(property) = &p.property else { continue };
        let (known, stop) = match task.status {
            PropertyStatus::Finished(known) => (known, None),
            PropertyStatus::Interrupted(known) if outcome.needs_more => {
                refuse(&mut reports, one.pending, diagnostics::of_more_needed(&known, &task.rule));
                continue;
            }
            PropertyStatus::Interrupted(known) => (known, outcome.stop),
            PropertyStatus::Undecided(path) => {
                refuse(&mut reports, one.pending, diagnostics::of_long_path(path, sampling));
                continue;
            }
            PropertyStatus::Failed(failure) => {
                let sources = &session.sources;
                let complaint = diagnostics::of_failure(&failure, &outcome.plan, sampling, document, sources);
                reports[one.pending] = Some(p.refused(&[complaint]));
                continue;
            }
            PropertyStatus::Open => unreachable!("an estimation leaves no task open"),
        };
        let estimate = Estimate {
            asked: &one.asked,
            rule: &task.rule,
            known: &known,
            sampling,
            choices: &session.choices,
            engine: &outcome.usage.tier,
            stop,
        };
        reports[one.pending] = Some(report_of(p, property, &estimate, &outcome, start, log));
    }
    reports.into_iter().flatten().collect()
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
