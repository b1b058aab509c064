//! Tuning: the configuration of a model with which a goal is reached at the least cost.
//!
//! In: a model of processes in a session, a [`TuneQuestion`] in its language, and [`TuneSettings`]. Out: a [`TuneReport`] with the
//! table of configurations. The question becomes expressions of the program; the searches are those of `volvelle_tune`.

mod certified;
mod problems;

use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::{Duration, Instant};
use volvelle_control::Control;
use volvelle_diagnostics::{Diagnostic, Sources, codes, has_errors};
use volvelle_explore::{Processes, ProcessesError};
use volvelle_kernel::interp::Interpreter;
use volvelle_kernel::{Compiler, ExprId, Site};
use volvelle_model::{Program, merge};
use volvelle_searches::{PATIENCE, failures};
use volvelle_session::Session;
use volvelle_session::engine;
use volvelle_session::language::{Formalism, ObservedText, ProcessDocument};
use volvelle_session::limits::{self, Allowance};
use volvelle_tune::search::{
    Evaluator, Known, Options, Prepared, Question, REDUCE_AFTER, Refusal, Searched, search, unwritten,
};
use volvelle_tune::{Tuning, Value};

pub use volvelle_tune::search::Method as TuneMethod;

/// What is asked, in the language of the model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TuneQuestion {
    /// The cost (`--minimize`).
    pub minimize: String,
    /// The goal (`--goal`).
    pub until: String,
    /// The parameters (`--parameters`).
    pub parameters: Vec<String>,
}

/// How to answer.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TuneSettings {
    /// Limits that the user set.
    pub allowance: Allowance,
    /// The code that evaluates the model.
    pub tier: volvelle_session::engine::Tier,
    /// The method.
    pub method: TuneMethod,
    /// The time of every configuration is wanted.
    pub all: bool,
    /// No run stands for others: all interleavings are explored.
    pub no_confluence: bool,
    /// All states are explored: no order of steps is left out, and no state stands for others.
    pub no_reduction: bool,
    /// Seed of random choices.
    pub seed: u64,
}

/// An answer.
#[derive(Clone, Debug, Default)]
pub struct TuneReport {
    /// Name of the file.
    pub file: String,
    /// The answer, or what is known of it.
    pub tuning: Option<Tuning>,
    /// Everything to be said about it.
    pub diagnostics: Vec<Diagnostic>,
    /// Whether a limit ended the work.
    pub is_stopped: bool,
    /// How long it took.
    pub time: Duration,
    /// The code that evaluated the model.
    pub tier: &'static str,
}

/// Finds the configuration with which a goal is reached at the least cost.
pub fn tune(
    session: &mut Session,
    question: &TuneQuestion,
    settings: &TuneSettings,
    control: &Control<'_>,
) -> TuneReport {
    let start = Instant::now();
    let diagnostics = std::mem::take(&mut session.model.diagnostics);
    let mut report = TuneReport { file: session.model.file.clone(), diagnostics, ..TuneReport::default() };
    if has_errors(&report.diagnostics) {
        return report;
    }
    if session.model.formalism() != Some(Formalism::Processes) {
        report.diagnostics.push(problems::no_processes(&session.model.file));
        return report;
    }
    let texts = texts(question);
    if let Some(document) = &mut session.model.document {
        report.diagnostics.extend(document.observe(&mut session.model.sources, &texts));
    }
    if has_errors(&report.diagnostics) {
        return report;
    }
    session.model.lower();
    report.diagnostics.append(&mut session.model.diagnostics);
    if has_errors(&report.diagnostics) {
        return report;
    }
    if let (Some(program), Some(document)) = (session.model.program(), session.model.processes()) {
        let control = &session.run.sharing(control);
        Tuner { document, sources: &session.model.sources, question, settings, control }
            .run(program, &mut report);
    }
    report.diagnostics.extend(session.run.lost_ranks("configurations"));
    report.time = start.elapsed();
    report
}

/// The texts of a question, in the order of [`asked`].
fn texts(question: &TuneQuestion) -> Vec<ObservedText<'_>> {
    let text = |option, text, is_condition| ObservedText { option, text, is_condition };
    let parameters = question.parameters.iter().map(|name| text("--parameters", name.as_str(), false));
    [text("--goal", question.until.as_str(), true), text("--minimize", question.minimize.as_str(), false)]
        .into_iter()
        .chain(parameters)
        .collect()
}

/// The question as expressions of the program.
fn asked(observed: &[ExprId]) -> Option<Question> {
    let [goal, cost, parameters @ ..] = observed else { return None };
    Some(Question { goal: *goal, cost: *cost, parameters: parameters.to_vec() })
}

/// The work on one question.
struct Tuner<'a> {
    document: &'a dyn ProcessDocument,
    sources: &'a Sources,
    question: &'a TuneQuestion,
    settings: &'a TuneSettings,
    control: &'a Control<'a>,
}

impl Tuner<'_> {
    fn run(&self, program: &Program, report: &mut TuneReport) {
        let Some(asked) = asked(self.document.observed()) else { return };
        report.diagnostics.extend(self.parameters(program, &asked));
        if has_errors(&report.diagnostics) {
            return;
        }
        let program = self.document.without_unread().unwrap_or_else(|| program.clone());
        let (known, no_certificate) = self.known(&program, &asked);
        if !self.is_agreed(&known) {
            return;
        }
        let native = engine::native(self.settings.tier);
        let compiler: &dyn Compiler = native.as_ref().map_or(&Interpreter, |native| native);
        report.tier = compiler.name();
        let TuneSettings { method, all, seed, no_reduction, .. } = *self.settings;
        let options = Options { method, all, seed, no_reduction, reduce_after: REDUCE_AFTER };
        let prepared = Prepared::new(program, &asked, no_reduction || known.is_complete);
        let evaluator = Evaluator { compiler, patience: PATIENCE };
        match search(&prepared, evaluator, &asked, &options, &known, self.control) {
            Err(error) => report.diagnostics.push(self.not_made(&error)),
            Ok((system, Err(refusal))) => report.diagnostics.push(self.refused(&system, &refusal)),
            Ok((system, Ok(searched))) => {
                let mut notes = Default::default();
                failures::gather(&mut notes, &system);
                report.diagnostics.extend(self.document.truncations(&notes));
                self.answer(searched, no_certificate, report);
            }
        }
    }

    /// What certificates decide, and why there are none.
    fn known(&self, program: &Program, asked: &Question) -> (Known, Option<String>) {
        if self.settings.no_confluence || self.settings.method != TuneMethod::BranchAndBound {
            return (Known::default(), None);
        }
        let mut program = program.clone();
        merge::merge(&mut program);
        certified::decided(&program, asked, self.document, self.sources, self.control)
    }

    /// Whether the process that leads knows the same. Others cannot help it: a limit ended their certificates earlier or later.
    fn is_agreed(&self, known: &Known) -> bool {
        let Some(sharing) = self.control.sharing else { return true };
        let mut hasher = DefaultHasher::new();
        format!("{known:?}").hash(&mut hasher);
        let own = hasher.finish().to_le_bytes().to_vec();
        sharing.announce(own.clone()) == Some(own)
    }

    fn answer(&self, searched: Searched, no_certificate: Option<String>, report: &mut TuneReport) {
        let failures = searched.failures.iter().map(|&site| {
            let failure = self.document.explain_failure(self.sources, Site(site), &[]);
            problems::as_warning(failure)
        });
        report.diagnostics.extend(failures);
        let mut tuning = searched.tuning;
        if let Some(why) = no_certificate {
            tuning.method.push_str(&format!("; no certificate: {why}"));
        }
        if searched.dominated > 0 {
            tuning.method.push_str("; of states that differ in the clock alone, the earliest is kept");
        }
        tuning.parameters = self.question.parameters.clone();
        tuning.objective.clone_from(&self.question.minimize);
        tuning.goal.clone_from(&self.question.until);
        if tuning.time().is_some() {
            let (ends, unsettled) = (&searched.dead_ends, searched.unsettled_ends);
            report.diagnostics.extend(problems::dead_ends(&tuning.parameters, ends, unsettled));
            report.diagnostics.extend(self.constant_parameters(&tuning));
        }
        if let Some(stop) = searched.stop {
            report.is_stopped = true;
            report.diagnostics.push(limits::stopped(stop, &self.settings.allowance));
        } else if tuning.time().is_none() {
            report.diagnostics.push(problems::no_run(&tuning));
        }
        report.tuning = Some(tuning);
    }

    /// What is wrong with the parameters.
    fn parameters(&self, program: &Program, asked: &Question) -> Vec<Diagnostic> {
        let names = &self.question.parameters;
        let mut found = Vec::new();
        for (name, &expr) in names.iter().zip(&asked.parameters) {
            if Question::field(program, expr).is_none() {
                found.push(problems::no_variable(name, program.exprs.as_const(expr).is_some()));
            }
        }
        if found.is_empty()
            && let Some(index) = unwritten(program, asked)
        {
            found.push(problems::unwritten(&names[index]));
        }
        found
    }

    /// Parameters that have the same value in every configuration.
    fn constant_parameters(&self, tuning: &Tuning) -> Vec<Diagnostic> {
        let [first, rest @ ..] = tuning.rows.as_slice() else { return Vec::new() };
        if tuning.configurations.is_none() {
            return Vec::new();
        }
        let is_constant = |at: usize| rest.iter().all(|row| row.values[at] == first.values[at]);
        let constant = (0..tuning.parameters.len()).filter(|&at| is_constant(at));
        let value = |at: usize| -> &Value { &first.values[at] };
        constant.map(|at| problems::constant(&tuning.parameters[at], value(at))).collect()
    }

    fn not_made(&self, error: &ProcessesError) -> Diagnostic {
        failures::not_made(self.document, self.sources, error)
    }

    fn refused(&self, system: &Processes<'_>, refusal: &Refusal) -> Diagnostic {
        match refusal {
            Refusal::Undefined(what) => {
                Diagnostic::error(codes::OUT_OF_RANGE, format!("{what} has no value in some state"))
                    .help("use global variables, and divide only by what is never 0")
            }
            Refusal::Decrease(decrease) => {
                let step = volvelle_lts::ProcessStep::of_number(decrease.step);
                let steps = self.document.steps(self.sources, system.layout());
                let label = steps.map(|s| s.label(step, &decrease.before, &decrease.after));
                problems::decrease(&self.question.minimize, label)
            }
        }
    }
}
