//! The questions of a pipeline.

use super::kept::Kept;
use super::run::Run;
use crate::{Made, Measure, Pipeline, Question, StepAnswer, StepReport, Table};
use std::path::Path;
use std::rc::Rc;
use volvelle_console::{files, watchdog};
use volvelle_diagnostics::{Diagnostic, Sources, codes};
use volvelle_rates::{Course, LongRun, Performance, course, long_run, rows_of_course, rows_of_long_run};
use volvelle_space::Lts;
use volvelle_systems::{AskedFormula, compare_systems};

/// The formula of a step.
pub fn formula(
    pipeline: &Pipeline,
    at: usize,
    base: &Path,
    sources: &mut Sources,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<AskedFormula> {
    let step = &pipeline.steps[at];
    let Some(Question::Check { formula }) = &step.question else { return None };
    let text = files::text_or_file(formula, base, &format!("step.{}.check", step.name));
    let text = text.map_err(|diagnostic| diagnostics.push(diagnostic.at(step.span, ""))).ok()?;
    let (formula, found) = AskedFormula::read(text, sources);
    diagnostics.extend(found);
    formula
}

/// Warnings about constants that no model takes and that are no name of a rate: where they are meant to be one, nothing is swept.
pub fn unused(pipeline: &Pipeline, used: &[bool]) -> Vec<Diagnostic> {
    let unused = pipeline.constants.iter().zip(used).filter(|(_, used)| !**used);
    let warning = |(constant, _): (&crate::Declared, &bool)| {
        Diagnostic::warning(codes::PIPELINE_KEY, format!("nothing uses the constant `{}`", constant.name))
            .at(constant.span, "")
            .note("a model is given the constants that its step lists; `steady` and `transient` take those that are names of rates")
            .help(format!("hand it to a model: `constants = [\"{}\"]`, or leave it out", constant.name))
    };
    unused.map(warning).collect()
}

impl Run<'_> {
    /// The answer to the question of a step, at a point.
    pub fn answer(&mut self, at: usize, point: &[usize], kept: &Kept) -> Option<StepAnswer> {
        let step = &self.pipeline.steps[at];
        let question = step.question.as_ref()?;
        let lts = self.loaded(kept)?;
        match question {
            Question::Check { .. } => {
                let formula = self.formulas[at].as_ref()?;
                let (found, warnings, stop) = formula.check(&lts, self.control);
                if !warnings.is_empty() {
                    let sources = self.found[0].1.clone();
                    self.note(warnings, &sources);
                }
                if let Some(stop) = stop {
                    self.stopped(stop);
                }
                Some(StepAnswer::Formula(found))
            }
            Question::Compare { with, options } => {
                let place = self.pipeline.point_within(at, point, *with);
                let other = self.kept[*with][place].lts(self.control);
                let other = other.map_err(|found| self.note(found, &Sources::new())).ok()?;
                let names = [step.name.clone(), self.pipeline.steps[*with].name.clone()];
                let systems = [lts, other].map(Rc::unwrap_or_clone);
                match compare_systems(systems, names, *options, &self.settings.allowance, self.control) {
                    Ok(found) => {
                        self.note(found.diagnostics.clone(), &Sources::new());
                        Some(StepAnswer::Comparison(found))
                    }
                    Err((diagnostic, stop)) => {
                        self.stop = self.stop.or(stop);
                        self.note_at(at, vec![diagnostic]);
                        None
                    }
                }
            }
            Question::Steady(measure) => {
                let constants = self.rates(at, point, &lts);
                let performance = performance(measure, &constants);
                let wanted = LongRun { states: false, sensitivity: measure.sensitivity };
                let found = long_run(&step.name, &lts, &performance, wanted, &self.settings, self.control);
                self.stop = self.stop.or(found.stop);
                self.note_at(at, found.diagnostics.clone());
                Some(StepAnswer::LongRun(found))
            }
            Question::Transient { measure, times, counts, until } => {
                let constants = self.rates(at, point, &lts);
                let performance = performance(measure, &constants);
                let wanted = Course {
                    times: times.as_deref(),
                    counts: *counts,
                    until,
                    sensitivity: measure.sensitivity,
                };
                let found = course(&step.name, &lts, &performance, &wanted, &self.settings, self.control);
                self.stop = self.stop.or(found.stop);
                self.note_at(at, found.diagnostics.clone());
                Some(StepAnswer::Course(found))
            }
        }
    }

    /// Writes the numbers of a step, for all its points.
    pub fn write_table(&mut self, at: usize, report: &StepReport) {
        let Some(file) = &self.pipeline.steps[at].csv else { return };
        // A table with rows left out looks like a whole one.
        let is_whole = report.points.iter().all(|point| {
            matches!(point.made, Made::Built | Made::UpToDate)
                && point.answer.as_ref().is_some_and(is_complete)
        });
        if self.args.list || !is_whole {
            return;
        }
        let mut table = Table::default();
        for point in &report.points {
            let rows = match &point.answer {
                Some(StepAnswer::LongRun(found)) => rows_of_long_run(found),
                Some(StepAnswer::Course(found)) => rows_of_course(found),
                _ => continue,
            };
            // Constants of the model that are names of rates too have their column.
            let own = rows.first().cloned().unwrap_or_default();
            let constants = point.constants.iter().filter(|constant| !own.contains(&constant.name));
            let constants: Vec<(String, String)> =
                constants.map(|constant| (constant.name.clone(), constant.value.to_string())).collect();
            table.add(&constants, &rows);
        }
        let mut diagnostics = Vec::new();
        files::write(&self.base.join(file), table.csv().as_bytes(), &mut self.written, &mut diagnostics);
        watchdog::work_goes_on();
        self.note(diagnostics, &Sources::new());
    }

    fn rates(&mut self, at: usize, point: &[usize], lts: &Lts) -> Vec<String> {
        let (constants, used) = self.pipeline.rates_at(at, point, lts);
        used.into_iter().for_each(|constant| self.used[constant] = true);
        constants
    }

    fn loaded(&mut self, kept: &Kept) -> Option<Rc<Lts>> {
        kept.lts(self.control).map_err(|found| self.note(found, &Sources::new())).ok()
    }

    /// Notes diagnostics about a step.
    fn note_at(&mut self, at: usize, found: Vec<Diagnostic>) {
        let (span, sources) = (self.pipeline.steps[at].span, self.found[0].1.clone());
        let placed = |found: Diagnostic| if found.primary.is_none() { found.at(span, "") } else { found };
        self.note(found.into_iter().map(placed).collect(), &sources);
    }
}

fn performance<'a>(measure: &'a Measure, constants: &'a [String]) -> Performance<'a> {
    Performance { constants, actions: &measure.actions, bounds: measure.bounds, simulated_paths: None }
}

fn is_complete(answer: &StepAnswer) -> bool {
    let errors = match answer {
        StepAnswer::LongRun(found) => &found.diagnostics,
        StepAnswer::Course(found) => &found.diagnostics,
        StepAnswer::Formula(_) | StepAnswer::Comparison(_) => return true,
    };
    !errors.iter().any(|found| found.severity == volvelle_diagnostics::Severity::Error)
}
