//! Formulas of the mu-calculus, checked on the transition system of a model.

use super::part::FirstStates;
use std::time::{Duration, Instant};
use volvelle_control::{Control, Stop};
use volvelle_diagnostics::{Diagnostic, Sources, has_errors};
use volvelle_mcl::{Dialect, Evidence, Formula, Part, Shape, System, absent_labels, check, parse_as};
use volvelle_session::limits;
use volvelle_session::report::Report;
use volvelle_session::text::Text;
use volvelle_session::{Session, Settings};
use volvelle_space::Lts;

/// The result of a formula.
#[derive(Clone, Debug)]
pub struct FormulaReport {
    /// As the user wrote it.
    pub text: String,
    /// The verdict; `None` where there is none, for which a diagnostic gives the reason.
    pub verdict: Option<FormulaVerdict>,
    /// Time for this formula alone.
    pub time: Duration,
}

/// A verdict, and what it rests on.
#[derive(Clone, Debug)]
pub struct FormulaVerdict {
    /// Whether the formula holds in the initial state.
    pub holds: bool,
    /// A part of the system that is enough for the verdict; `None` where it is too large.
    pub evidence: Option<SystemPart>,
}

/// A part of a system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SystemPart {
    /// `trace`, `lasso` or `graph`.
    pub shape: &'static str,
    /// Its transitions: source, label, target; those of a trace or lasso in their order.
    pub transitions: Vec<(u32, String, u32)>,
    /// The first transition of the circle of a lasso.
    pub cycle_start: Option<usize>,
}

impl SystemPart {
    fn of(evidence: &Evidence, lts: &Lts) -> Self {
        let (shape, cycle_start) = match evidence.shape {
            Shape::Trace => ("trace", None),
            Shape::Lasso { circle } => ("lasso", Some(circle)),
            Shape::Graph => ("graph", None),
        };
        let text = |label: u32| lts.labels.text(label).to_owned();
        let transitions = evidence.transitions.iter().map(|t| (t.source, text(t.label), t.target)).collect();
        SystemPart { shape, transitions, cycle_start }
    }
}

/// The results of formulas.
#[derive(Clone, Debug, Default)]
pub struct FormulasReport {
    /// The system, and diagnostics.
    pub report: Report,
    /// Formulas in their order.
    pub formulas: Vec<FormulaReport>,
}

/// A formula that was read.
#[derive(Clone, Debug)]
pub struct AskedFormula {
    text: String,
    formula: Formula,
}

impl AskedFormula {
    /// Reads a formula; `None` where it has errors.
    pub fn read(Text { name, text }: Text, sources: &mut Sources) -> (Option<Self>, Vec<Diagnostic>) {
        let dialect = Dialect::of(&name, &text);
        let file = sources.add(name, text.clone());
        let (formula, diagnostics) = parse_as(dialect, file, &text);
        let formula = formula.filter(|_| !has_errors(&diagnostics));
        (formula.map(|formula| AskedFormula { text, formula }), diagnostics)
    }

    /// Checks it in the initial state of a system. With warnings, and the limit that was reached.
    pub fn check(&self, lts: &Lts, control: &Control<'_>) -> (FormulaReport, Vec<Diagnostic>, Option<Stop>) {
        let (report, stop) = self.check_in(lts, lts, control);
        (report, absent_labels(&self.formula, lts), stop)
    }

    /// Checks it in the initial state of a system of which a part is known; `None` if that is not enough for a verdict.
    fn check_part(&self, part: Part<'_>, control: &Control<'_>) -> Option<FormulaReport> {
        let (report, stop) = self.check_in(part, part.lts, control);
        stop.is_none().then_some(report)
    }

    /// Checks it in a system, of which `lts` has what is known.
    fn check_in(
        &self,
        system: impl System,
        lts: &Lts,
        control: &Control<'_>,
    ) -> (FormulaReport, Option<Stop>) {
        let start = Instant::now();
        let (verdict, stop) = match check(&self.formula, system, control) {
            Ok(answer) => {
                let evidence = answer.evidence.as_ref().map(|evidence| SystemPart::of(evidence, lts));
                (Some(FormulaVerdict { holds: answer.holds, evidence }), None)
            }
            Err(stop) => (None, Some(stop)),
        };
        (FormulaReport { text: self.text.clone(), verdict, time: start.elapsed() }, stop)
    }
}

/// Checks formulas of the mu-calculus in the initial state of the model's transition system, which is generated as far as the verdicts
/// need it, but for [`Settings::full_space`]. All of them are read before that.
pub fn check_formulas(
    session: &mut Session,
    texts: Vec<Text>,
    settings: &Settings,
    relabel: impl Fn(Lts) -> (Lts, Vec<Diagnostic>),
    control: &Control<'_>,
) -> FormulasReport {
    let mut diagnostics = Vec::new();
    let mut parsed = Vec::new();
    for text in texts {
        let (formula, more) = AskedFormula::read(text, &mut session.model.sources);
        diagnostics.extend(more);
        parsed.extend(formula);
    }
    let mut found = FormulasReport::default();
    if has_errors(&diagnostics) {
        found.report.diagnostics = std::mem::take(&mut session.model.diagnostics);
        found.report.diagnostics.extend(diagnostics);
        return found;
    }
    let mut origin = match crate::build::origin(session, settings, control) {
        Ok(origin) => origin,
        Err(report) => {
            found.report = *report;
            found.report.diagnostics.extend(diagnostics);
            return found;
        }
    };
    let mut answers: Vec<Option<FormulaReport>> = vec![None; parsed.len()];
    let mut enough = if settings.full_space { usize::MAX } else { FIRST_STATES };
    // What is said of the model before it is explored is said once.
    let mut said: Vec<Diagnostic> = Vec::new();
    loop {
        let (report, system) = crate::build::first_states(session, &mut origin, enough, settings, control);
        said.retain(|earlier| report.diagnostics.iter().all(|later| later.code != earlier.code));
        found.report = report;
        found.report.diagnostics.splice(0..0, said.iter().cloned());
        let Some(FirstStates { lts, unexpanded, .. }) = system else { break };
        let (lts, warnings) = relabel(lts);
        let Some(unexpanded) = unexpanded else {
            found.report.diagnostics.extend(warnings);
            found.check_all(&parsed, &mut answers, &lts, settings, control);
            break;
        };
        let open = parsed.iter().zip(&mut answers).filter(|(_, answer)| answer.is_none());
        let part = Part { lts: &lts, unexpanded: &unexpanded };
        open.for_each(|(formula, answer)| *answer = formula.check_part(part, control));
        if answers.iter().all(Option::is_some) {
            break;
        }
        said = std::mem::take(&mut found.report.diagnostics);
        enough = enough.saturating_mul(GROWTH);
    }
    found.report.diagnostics.extend(diagnostics);
    found.formulas = answers.into_iter().flatten().collect();
    found
}

/// States of the first part of a system on which formulas are tried, and how much larger each further part is: together the parts
/// cost little of what the whole does.
const FIRST_STATES: usize = 50_000;
const GROWTH: usize = 8;

impl FormulasReport {
    /// Checks formulas without an answer on the whole system.
    fn check_all(
        &mut self,
        formulas: &[AskedFormula],
        answers: &mut [Option<FormulaReport>],
        lts: &Lts,
        settings: &Settings,
        control: &Control<'_>,
    ) {
        let open = formulas.iter().zip(answers).filter(|(_, answer)| answer.is_none());
        for (formula, answer) in open {
            let (found, warnings, stop) = formula.check(lts, control);
            self.report.diagnostics.extend(warnings);
            if let Some(stop) = stop {
                self.stop(stop, settings);
            }
            *answer = Some(found);
        }
    }

    fn stop(&mut self, stop: Stop, settings: &Settings) {
        if self.report.stop.is_none() {
            self.report.diagnostics.push(limits::stopped(stop, &settings.allowance));
        }
        self.report.stop = self.report.stop.or(Some(stop));
    }

    /// Whether a formula does not hold.
    pub fn has_false(&self) -> bool {
        self.formulas.iter().any(|formula| formula.verdict.as_ref().is_some_and(|verdict| !verdict.holds))
    }
}
