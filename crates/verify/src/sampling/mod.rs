//! Answers by simulation: all properties of a group from the same paths.
//!
//! A property gets what the paths say up to the moment at which it has enough, whatever others need: its answer does not
//! depend on what else is asked.

mod answer;
mod choices;
mod complaints;
mod crew;
mod emit;
mod prospects;
mod rare;
mod rounds;
mod rules;
mod settings;
mod tiers;
mod trace;
mod verification;

pub use answer::{RareStatistics, Statistics};
pub use choices::{Choices, SavedScheduler};
pub use emit::CodeForm;
pub use settings::{PathTier, Sampling, SamplingMethod, USUAL_RARE_PATHS, USUAL_SAMPLES, USUAL_STEPS};
pub use trace::{
    Command, Decided, Followed, Moved as PathMoved, Path, PathEnd, PathOption, PathPlan, PathStep, PathValue,
    Total, Tracing, VariableChange, csv as path_csv,
};
pub use verification::{Disagreements, Verification, Verify, Verifying, tally as disagreements};
pub use volvelle_simulate::path::Generator;

use crate::check::{Pending, Remarks};
use crate::language::Document;
use crate::report::PropertyReport;
use crate::session::{Session, Settings};
use answer::{Found, Known};
use rules::Rule;
use std::time::{Duration, Instant};
use tiers::Expected;
use volvelle_control::Control;
use volvelle_diagnostics::Diagnostic;
use volvelle_logic::Property;
use volvelle_model::{Initial, Kind, Program};
use volvelle_simulate::error::Refusal;
use volvelle_simulate::measure::{self, Asked, Measure};
use volvelle_simulate::path::Plan;
use volvelle_simulate::scheduler::Resolution;
use volvelle_simulate::word::Word;

/// A property on its way through a simulation.
struct Course {
    /// Index into the properties.
    pending: usize,
    asked: Asked,
    /// Index into all measures.
    measure: usize,
    rule: Rule,
    fate: Fate,
}

/// What became of a property.
enum Fate {
    /// It is under way.
    Open,
    /// It had enough paths.
    Done(Known),
    /// Sampling ended before it had enough.
    Cut(Known),
    /// A path did not decide it.
    Lost(Diagnostic),
    /// A path failed.
    Failed(Diagnostic),
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
        let mut program = for_paths(program);
        let (mut measures, mut words): (Vec<Measure>, Vec<Word>) = Default::default();
        let mut courses: Vec<Course> = Vec::new();
        for (i, p) in pending.iter().enumerate() {
            let Ok(property) = &p.property else { continue };
            let course = measure::measure(&mut program, &mut words, property)
                .map_err(|refusal| complaints::of_refusal(&refusal, &program))
                .and_then(|asked| {
                    let rule = Rule::new(sampling, asked.measure.is_indicator(), asked.bound)
                        .map_err(complaints::of_rule)?;
                    let known = measures.iter().position(|m| *m == asked.measure);
                    let measure = known.unwrap_or_else(|| {
                        measures.push(asked.measure);
                        measures.len() - 1
                    });
                    Ok(Course { pending: i, asked, measure, rule, fate: Fate::Open })
                });
            match course {
                Ok(course) => courses.push(course),
                Err(complaint) => refuse(&mut reports, i, complaint),
            }
        }
        if courses.is_empty() {
            return reports.into_iter().flatten().collect();
        }
        let most =
            courses.iter().map(|c| c.rule.most()).max_by_key(|most| most.unwrap_or(u64::MAX)).flatten();
        let expected = match most {
            Some(paths) if courses.iter().all(|c| c.rule.is_fixed()) => Expected::Paths(paths),
            _ => Expected::Unknown,
        };
        let asked = rounds::Asking {
            session: self,
            program: &program,
            measures,
            words,
            sampling,
            document,
            most,
            expected,
        };
        let ran = match asked.run(&mut courses, control) {
            Ok(ran) => ran,
            Err(complaint) => {
                for course in &courses {
                    refuse(&mut reports, course.pending, complaint.clone());
                }
                return reports.into_iter().flatten().collect();
            }
        };
        remarks.stop = remarks.stop.or(ran.stop);
        remarks.diagnostics.extend(ran.troubles.iter().cloned());
        if let Some(stop) = ran.stop {
            remarks.diagnostics.push(complaints::of_stop(stop, ran.paths, settings));
        }
        for course in courses {
            let p = &pending[course.pending];
            let Ok(property) = &p.property else { continue };
            let (known, stop) = match course.fate {
                Fate::Done(known) => (known, None),
                Fate::Cut(known) => (known, ran.stop),
                Fate::Lost(complaint) => {
                    reports[course.pending] = Some(p.refused(&[complaint.at(p.place, "")]));
                    continue;
                }
                Fate::Failed(complaint) => {
                    reports[course.pending] = Some(p.refused(&[complaint]));
                    continue;
                }
                Fate::Open => unreachable!("all courses have come to an end"),
            };
            let found = Found {
                asked: &course.asked,
                rule: &course.rule,
                known: &known,
                sampling,
                choices: &self.choices,
                engine: &ran.account.tier,
                stop,
            };
            reports[course.pending] = Some(self.told(p, property, &found, &ran, start, remarks));
        }
        reports.into_iter().flatten().collect()
    }

    /// A program [for paths](for_paths) with its measures.
    fn prepared(
        &self,
        program: &Program,
        measures: Vec<Measure>,
        words: Vec<Word>,
        generator: Generator,
        document: &dyn Document,
    ) -> Result<Plan, Diagnostic> {
        let resolution = match program.kind {
            Kind::Mdp => self.choices.resolution(program)?,
            // There is nothing that a file could fit.
            _ if !matches!(self.choices, Choices::Nobody) => Resolution::Uniform,
            _ => Resolution::Model,
        };
        Plan::resolved(program.clone(), measures, words, generator, &resolution).map_err(|refusal| {
            let misfit = match &refusal {
                Refusal::Misfit(misfit) => self.choices.of_misfit(misfit, program, document),
                _ => None,
            };
            misfit.unwrap_or_else(|| complaints::of_refusal(&refusal, program))
        })
    }

    /// What runs paths on this machine's processors.
    fn tier_of_paths(&self, sampling: &Sampling) -> settings::PathTier {
        if self.devices.are_interpreted() { settings::PathTier::Interpreter } else { sampling.tier }
    }

    /// The report on a property that paths were run for.
    fn told(
        &self,
        pending: &Pending,
        property: &Property,
        found: &Found<'_>,
        ran: &rounds::Ran,
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
        report.statistics = Some(Box::new(answer::statistics(found, ran.time)));
        report.facts.clone_from(&ran.account.facts);
        report
    }
}

/// A copy for paths: with the initial state in the place of a condition that only one state satisfies.
fn for_paths(program: &Program) -> Program {
    /// Enumerating what satisfies a condition may take for ever.
    const PATIENCE: Duration = Duration::from_secs(2);
    let mut program = program.clone();
    if let Initial::Predicate(_) = program.initial {
        let mut control = Control::unlimited();
        control.limits.deadline = Some(Instant::now() + PATIENCE);
        if let Some(state) = volvelle_explore::the_initial_state(&program, &control) {
            program.initial = Initial::States(vec![state]);
        }
    }
    program
}
