//! What became of a pipeline.

use super::{Pipeline, Question, Source};
use std::time::Duration;
use volvelle_logic::Constant;
use volvelle_rates::{CourseFound, LongRunFound, PerformanceReport};
use volvelle_systems::{CompareReport, FormulaReport};

/// How a system came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Made {
    /// In this run.
    Built,
    /// By an earlier run, from the same inputs.
    UpToDate,
    /// A run would make it.
    Wanted,
    /// It could not be made: a diagnostic says why.
    Failed,
    /// Something that it needs could not be made.
    Skipped,
}

impl Made {
    /// For people and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Made::Built => "built",
            Made::UpToDate => "up to date",
            Made::Wanted => "to be built",
            Made::Failed => "failed",
            Made::Skipped => "skipped",
        }
    }
}

/// The answer to the question of a step.
#[derive(Clone, Debug)]
pub enum StepAnswer {
    /// Of a formula.
    Formula(FormulaReport),
    /// Of a comparison.
    Comparison(CompareReport),
    /// Throughputs in the long run.
    LongRun(PerformanceReport<LongRunFound>),
    /// Throughputs over time, or a passage.
    Course(PerformanceReport<CourseFound>),
}

impl StepAnswer {
    /// Yes or no, if it is that.
    pub fn verdict(&self) -> Option<bool> {
        match self {
            StepAnswer::Formula(found) => found.verdict.as_ref().map(|verdict| verdict.holds),
            StepAnswer::Comparison(found) => Some(found.found.equivalent),
            StepAnswer::LongRun(_) | StepAnswer::Course(_) => None,
        }
    }

    /// Points of a sweep over rates that were computed.
    pub fn points(&self) -> usize {
        match self {
            StepAnswer::LongRun(found) => found.points.len(),
            StepAnswer::Course(found) => found.points.len(),
            StepAnswer::Formula(_) | StepAnswer::Comparison(_) => 0,
        }
    }
}

/// A step at one point of the sweep.
#[derive(Clone, Debug)]
pub struct PointReport {
    /// The constants that its system depends on.
    pub constants: Vec<Constant>,
    /// How its system came about.
    pub made: Made,
    /// States and transitions.
    pub size: Option<[u64; 2]>,
    /// The answer, if there is a question and it could be answered.
    pub answer: Option<StepAnswer>,
}

/// A step.
#[derive(Clone, Debug)]
pub struct StepReport {
    /// Its name.
    pub name: String,
    /// What it does, in a few words.
    pub what: String,
    /// Whether it makes a system; otherwise its points have that of another step.
    pub makes_system: bool,
    /// Whether it asks a question.
    pub asks: bool,
    /// The verdict that is expected.
    pub expect: Option<bool>,
    /// Its points.
    pub points: Vec<PointReport>,
    /// What it took.
    pub time: Duration,
}

impl StepReport {
    /// A step before anything is done.
    pub fn new(pipeline: &Pipeline, at: usize) -> Self {
        let step = &pipeline.steps[at];
        StepReport {
            name: step.name.clone(),
            what: what(pipeline, at),
            makes_system: step.makes_system(),
            asks: step.question.is_some(),
            expect: step.expect,
            points: Vec::new(),
            time: Duration::ZERO,
        }
    }

    /// The points whose verdict is not the expected one.
    pub fn unexpected(&self) -> impl Iterator<Item = &PointReport> {
        let verdict = |point: &&PointReport| point.answer.as_ref().and_then(StepAnswer::verdict);
        self.points.iter().filter(move |point| {
            self.expect.zip(verdict(point)).is_some_and(|(expected, verdict)| expected != verdict)
        })
    }
}

/// A step in a few words.
fn what(pipeline: &Pipeline, at: usize) -> String {
    let step = &pipeline.steps[at];
    let mut parts = Vec::new();
    let of = match &step.source {
        Source::Model { file, .. } => format!("`{file}`"),
        Source::Step(source) => pipeline.steps[*source].name.clone(),
    };
    if !step.rename.is_empty() {
        parts.push("rename".to_owned());
    }
    if step.hide.is_some() {
        parts.push("hide".to_owned());
    }
    if let Some(options) = step.reduce {
        parts.push(format!("reduce {}", options.relation.name()));
    }
    match &step.question {
        None => {}
        Some(Question::Check { .. }) => parts.push("check".to_owned()),
        Some(Question::Steady(_)) => parts.push("steady".to_owned()),
        Some(Question::Transient { .. }) => parts.push("transient".to_owned()),
        Some(Question::Compare { with, options }) => {
            parts.push(format!("compare {} with {}", options.relation.name(), pipeline.steps[*with].name));
        }
    }
    if parts.is_empty() { of } else { format!("{of}: {}", parts.join(", ")) }
}
