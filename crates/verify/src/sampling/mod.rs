//! Answers by simulation: from properties and options to an estimation, and from its result to reports.
//!
//! The estimation is [`volvelle_estimate`]. A property gets what the paths say up to the moment at which it has enough of them: its
//! answer does not depend on the other properties.

mod answer;
pub(crate) mod choices;
mod complaints;
mod emit;
mod rare;
pub(crate) mod statistics;
mod trace;
pub(crate) mod verdict;
mod verification;

pub use choices::{Choices, SavedScheduler};
pub use emit::CodeForm;
pub use statistics::{RareStatistics, Statistics};
pub use trace::{
    Command, Decided, Followed, Moved as PathMoved, Path, PathEnd, PathOption, PathPlan, PathStep, PathValue,
    Total, Tracing, VariableChange, csv as path_csv,
};
pub use verdict::{Verification, Verify, Verifying};
pub use verification::{Disagreements, tally as disagreements};
pub use volvelle_estimate::{
    PathTier, Sampling, SamplingMethod, USUAL_RARE_PATHS, USUAL_SAMPLES, USUAL_STEPS,
};
pub use volvelle_simulate::path::Generator;

use crate::check::{Pending, Remarks};
use crate::language::Document;
use crate::report::PropertyReport;
use crate::session::{Session, Settings};
use answer::Found;
use std::time::Instant;
use volvelle_control::Control;
use volvelle_diagnostics::Diagnostic;
use volvelle_estimate::{
    Estimation, EstimationOutcome, EstimationTask, PropertyStatus, StoppingRule, with_initial_state,
};
use volvelle_logic::Property;
use volvelle_model::{Kind, Program};
use volvelle_simulate::automaton::MonitorAutomaton;
use volvelle_simulate::error::Refusal;
use volvelle_simulate::measure::{self, Measure, PropertyMeasure};
use volvelle_simulate::path::Plan;
use volvelle_simulate::scheduler::Resolution;

/// A property whose measure is estimated.
struct Estimated {
    /// Index into the properties.
    pending: usize,
    asked: PropertyMeasure,
}

impl Session {
    /// One report for each property, in their order, by simulation.
    pub(crate) fn sampled(
        &self,
        pending: &[Pending],
        sampling: &Sampling,
        settings: &Settings,
        control: &Control<'_>,
        remarks: &mut Remarks,
    ) -> Vec<PropertyReport> {
        if sampling.rare {
            return self.split(pending, sampling, settings, control, remarks);
        }
        let start = Instant::now();
        let mut reports: Vec<Option<PropertyReport>> = pending.iter().map(Pending::failed).collect();
        let refuse = |reports: &mut Vec<Option<PropertyReport>>, i: usize, reason: Diagnostic| {
            reports[i] = Some(pending[i].refused(&[reason.at(pending[i].place, "")]));
        };
        let (Some(program), Some(document)) = (self.program(), self.document.as_deref()) else {
            return reports.into_iter().flatten().collect();
        };
        let mut program = with_initial_state(program);
        let (mut measures, mut automata): (Vec<Measure>, Vec<MonitorAutomaton>) = Default::default();
        // One task for each property that is estimated.
        let (mut estimated, mut tasks): (Vec<Estimated>, Vec<EstimationTask>) = Default::default();
        for (i, p) in pending.iter().enumerate() {
            let Ok(property) = &p.property else { continue };
            let prepared = measure::measure(&mut program, &mut automata, property)
                .map_err(|refusal| complaints::of_refusal(&refusal, &program))
                .and_then(|asked| {
                    let rule = StoppingRule::new(sampling, asked.measure.is_indicator(), asked.bound);
                    Ok((asked, rule.map_err(complaints::of_rule)?))
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
        if tasks.is_empty() {
            return reports.into_iter().flatten().collect();
        }
        let outcome = self.resolution(&program).and_then(|resolution| {
            let estimation = Estimation {
                program: &program,
                measures,
                automata,
                resolution: &resolution,
                sampling,
                tier: self.tier_of_paths(sampling),
                devices: &self.devices,
            };
            let refused = |refusal| self.of_plan(&refusal, &program, document);
            estimation.run(&mut tasks, control).map_err(refused)
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
        remarks.stop = remarks.stop.or(outcome.stop);
        remarks.diagnostics.extend(outcome.failures.iter().map(complaints::of_device));
        if let Some(stop) = outcome.stop {
            remarks.diagnostics.push(complaints::of_stop(stop, outcome.paths, settings));
        }
        for (one, task) in estimated.iter().zip(tasks) {
            let p = &pending[one.pending];
            let Ok(property) = &p.property else { continue };
            let (known, stop) = match task.status {
                PropertyStatus::Finished(known) => (known, None),
                PropertyStatus::Interrupted(known) => (known, outcome.stop),
                PropertyStatus::Undecided(path) => {
                    refuse(&mut reports, one.pending, complaints::of_long_path(path, sampling));
                    continue;
                }
                PropertyStatus::Failed(failure) => {
                    let sources = &self.sources;
                    let complaint =
                        complaints::of_failure(&failure, &outcome.plan, sampling, document, sources);
                    reports[one.pending] = Some(p.refused(&[complaint]));
                    continue;
                }
                PropertyStatus::Open => unreachable!("an estimation leaves no task open"),
            };
            let found = Found {
                asked: &one.asked,
                rule: &task.rule,
                known: &known,
                sampling,
                choices: &self.choices,
                engine: &outcome.usage.tier,
                stop,
            };
            reports[one.pending] = Some(self.told(p, property, &found, &outcome, start, remarks));
        }
        reports.into_iter().flatten().collect()
    }

    /// How the choices of a program are resolved.
    fn resolution(&self, program: &Program) -> Result<Resolution, Diagnostic> {
        match program.kind() {
            Kind::Mdp => self.choices.resolution(program),
            // Without choices there is nothing that a file could fit.
            _ if !matches!(self.choices, Choices::Unresolved) => Ok(Resolution::Uniform),
            _ => Ok(Resolution::Model),
        }
    }

    /// Why a program has no plan.
    fn of_plan(&self, refusal: &Refusal, program: &Program, document: &dyn Document) -> Diagnostic {
        let mismatch = match refusal {
            Refusal::Mismatch(mismatch) => self.choices.of_mismatch(mismatch, program, document),
            _ => None,
        };
        mismatch.unwrap_or_else(|| complaints::of_refusal(refusal, program))
    }

    /// The plan of a program [with an initial state](with_initial_state) and its measures.
    fn prepared(
        &self,
        program: &Program,
        measures: Vec<Measure>,
        automata: Vec<MonitorAutomaton>,
        generator: Generator,
        document: &dyn Document,
    ) -> Result<Plan, Diagnostic> {
        let resolution = self.resolution(program)?;
        Plan::resolved(program.clone(), measures, automata, generator, &resolution)
            .map_err(|refusal| self.of_plan(&refusal, program, document))
    }

    /// The report on a property that paths were run for.
    fn told(
        &self,
        pending: &Pending,
        property: &Property,
        found: &Found<'_>,
        outcome: &EstimationOutcome,
        start: Instant,
        remarks: &mut Remarks,
    ) -> PropertyReport {
        let mut report = match answer::answer(found) {
            Ok(answer) => {
                remarks.diagnostics.extend(complaints::beside(found, &answer, pending.place));
                pending.report(property.constants.clone(), Ok(answer), start.elapsed())
            }
            Err(complaint) => {
                let complaint = complaint.at(pending.place, "");
                pending.report(property.constants.clone(), Err(vec![complaint]), start.elapsed())
            }
        };
        report.statistics = Some(Box::new(answer::statistics(found, outcome.time)));
        report.facts.clone_from(&outcome.usage.facts);
        report
    }
}
