//! Answers by simulation: all properties of a group from the same paths.
//!
//! A property gets what the paths say up to the moment at which it has enough, whatever others need: its answer does not
//! depend on what else is asked.

mod answer;
mod choices;
mod complaints;
mod rare;
mod rules;
mod settings;
mod tiers;
mod trace;
mod verification;

pub use answer::{RareStatistics, Statistics};
pub use choices::{Choices, SavedScheduler};
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
use answer::Found;
use rules::Rule;
use std::time::Instant;
use volvelle_control::{Control, News};
use volvelle_diagnostics::Diagnostic;
use volvelle_logic::Property;
use volvelle_model::{Kind, Program};
use volvelle_simulate::error::Refusal;
use volvelle_simulate::measure::{self, Asked, Measure};
use volvelle_simulate::path::Plan;
use volvelle_simulate::sample::{Ended, Request, Sampled, sample};
use volvelle_simulate::scheduler::Resolution;
use volvelle_simulate::word::Word;

/// A property on its way through a simulation.
struct Course {
    /// Index into the properties.
    pending: usize,
    asked: Asked,
    /// Index into the measures of the plan.
    measure: usize,
    rule: Rule,
    /// What was known of it when it had enough.
    done: Option<Sampled>,
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
        let mut program = program.clone();
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
                    Ok(Course { pending: i, asked, measure, rule, done: None })
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
        let made = self.prepared(&program, measures, words, sampling.generator, document).and_then(|plan| {
            let engine = tiers::engine(&plan, sampling.tier, sampling.seed, most);
            Ok((engine.map_err(|refusal| complaints::of_refusal(&refusal, &program))?, plan))
        });
        let (engine, plan) = match made {
            Ok(made) => made,
            Err(complaint) => {
                for course in &courses {
                    refuse(&mut reports, course.pending, complaint.clone());
                }
                return reports.into_iter().flatten().collect();
            }
        };
        let indicators: Vec<bool> = plan.measures.iter().map(Measure::is_indicator).collect();
        let request = Request {
            seed: sampling.seed,
            first: 0,
            paths: most.unwrap_or(u64::MAX),
            max_steps: sampling.max_steps,
            indicators: &indicators,
            monitors: &plan.monitors,
        };
        let begun = Instant::now();
        let mut told = begun;
        let (all, ended) = sample(&engine.runner, &request, control, |all, news| {
            if told.elapsed().as_millis() >= 100 {
                told = Instant::now();
                control.progress.news(progress(all, most, &courses, begun, sampling));
            }
            let mut open = false;
            for course in courses.iter_mut().filter(|course| course.done.is_none()) {
                let (so_far, new) = (&all.summaries[course.measure], &news.summaries[course.measure]);
                if course.rule.enough(all.paths, so_far, new) {
                    course.done = Some(all.of_measure(course.measure));
                } else {
                    open = true;
                }
            }
            !open || all.given_up.is_some()
        });
        let seconds = begun.elapsed();
        let stop = match ended {
            Some(Ended::Failed(failure)) => {
                let complaint = complaints::of_failure(&failure, &plan, sampling, document, &self.sources);
                for course in courses.iter().filter(|course| course.done.is_none()) {
                    reports[course.pending] =
                        Some(pending[course.pending].refused(std::slice::from_ref(&complaint)));
                }
                None
            }
            Some(Ended::Stopped(stop)) => Some(stop),
            None => None,
        };
        remarks.stop = remarks.stop.or(stop);
        if let Some(stop) = stop {
            remarks.diagnostics.push(complaints::of_stop(stop, &all, settings));
        }
        for course in courses {
            if reports[course.pending].is_some() {
                continue;
            }
            let p = &pending[course.pending];
            let Ok(property) = &p.property else { continue };
            let finished = course.done.is_some();
            let known = course.done.unwrap_or_else(|| all.of_measure(course.measure));
            let found = Found {
                asked: &course.asked,
                rule: &course.rule,
                sampled: &known,
                sampling,
                choices: &self.choices,
                engine: engine.name,
                stop: if finished { None } else { stop },
            };
            reports[course.pending] = Some(self.told(p, property, &found, seconds, start, remarks, &engine));
        }
        reports.into_iter().flatten().collect()
    }

    /// A program with its measures, ready for paths.
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

    /// The report on a property that paths were run for.
    #[expect(clippy::too_many_arguments, reason = "it continues `sampled`")]
    fn told(
        &self,
        pending: &Pending,
        property: &Property,
        found: &Found<'_>,
        sampling_time: std::time::Duration,
        start: Instant,
        remarks: &mut Remarks,
        engine: &tiers::Engine,
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
        report.statistics = Some(Box::new(answer::statistics(found, sampling_time)));
        report.facts.clone_from(&engine.facts);
        report
    }
}

/// How far a simulation is.
fn progress(
    all: &Sampled,
    most: Option<u64>,
    courses: &[Course],
    begun: Instant,
    sampling: &Sampling,
) -> News {
    let interval = match courses {
        [one] => {
            let confidence = volvelle_statistics::Confidence::new(sampling.confidence).ok();
            confidence.and_then(|c| rules::interval_of(&all.summaries[one.measure], c)).map(|i| [i.lo, i.hi])
        }
        _ => None,
    };
    News::Sampling {
        paths: all.paths,
        total: most.unwrap_or(0),
        steps_per_second: all.steps as f64 / begun.elapsed().as_secs_f64().max(1e-9),
        interval,
    }
}
