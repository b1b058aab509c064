//! Formulas of weighted CTL, checked on weighted systems.

use super::failed;
use super::model::{SelectedState, WeightedModel};
use super::parameters::Assumed;
use dashu_ratio::RBig;
use std::borrow::Cow;
use std::time::{Duration, Instant};
use volvelle_control::{Control, Stop};
use volvelle_diagnostics::{Diagnostic, codes, has_errors};
use volvelle_logic::{Limit, Wctl, WctlFormula, WctlId};
use volvelle_session::language::WeightedSource;
use volvelle_session::limits::Allowance;
use volvelle_session::report::{ModelReport, Report};
use volvelle_session::text::Text;
use volvelle_session::{Model, Session, Settings};
use volvelle_space::WeightedStep;
use volvelle_weighted::wctl::{
    Blocking, Decisive, Explanation, PathEnd, Reason, SINK, check_global, check_local, least_bound,
    least_bounds,
};
use volvelle_weighted::{Failure, System, Valued};
use volvelle_wks::wccs::Unfolding;
use volvelle_wks::wctl::{ParsedFormula, formula};

/// How formulas are checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WctlSettings {
    /// A blocking state has a step to a sink without propositions, rather than a loop of weight 0.
    pub sink: bool,
    /// All states are generated and checked, rather than those that matter.
    pub global: bool,
}

/// A step of a path: a state, a weight, and a state.
pub type ShownStep = (String, String, String);

/// A part of an explanation: a formula in a state.
#[derive(Clone, Debug, PartialEq)]
pub struct ExplainedPart {
    /// How deep it is: parts that explain another one come behind it, and are one deeper.
    pub depth: usize,
    /// The formula.
    pub formula: String,
    /// The state.
    pub state: String,
    /// Whether it holds there.
    pub holds: bool,
    /// A path that shows it.
    pub path: Vec<ShownStep>,
    /// The step of the path to whose beginning the last one leads back.
    pub cycle_start: Option<usize>,
    /// What the path comes to, or the weight that decides, in a few words.
    pub remark: Option<String>,
}

/// The result of a formula.
#[derive(Clone, Debug)]
pub struct WctlResult {
    /// As the user wrote it.
    pub text: String,
    /// Whether it holds; `None` where there is no verdict, for which a diagnostic gives the reason, and where it is a question.
    pub holds: Option<bool>,
    /// Of a question for the least bound the answer: a fraction, or `inf`.
    pub value: Option<String>,
    /// The answers in all states, with their names, where all were asked for.
    pub values: Vec<(String, String)>,
    /// Why.
    pub explanation: Vec<ExplainedPart>,
    /// States whose steps were generated for it.
    pub expanded: u64,
    /// Time for this formula alone.
    pub time: Duration,
}

/// The results of formulas.
#[derive(Clone, Debug, Default)]
pub struct WctlReport {
    /// The system, and diagnostics.
    pub report: Report,
    /// Formulas in their order.
    pub formulas: Vec<WctlResult>,
}

impl WctlReport {
    /// Whether a formula is false.
    pub fn has_false(&self) -> bool {
        self.formulas.iter().any(|formula| formula.holds == Some(false))
    }
}

/// Terms with the conditions of a formula.
pub(super) struct Terms<'a> {
    unfolding: &'a mut Unfolding,
    formula: &'a WctlFormula,
    /// The propositions of the formula's names.
    numbers: Vec<Option<u32>>,
    limit: Option<u64>,
    /// How many steps were asked for.
    steps: u64,
}

impl<'a> Terms<'a> {
    /// Terms that may take this much memory.
    pub(super) fn new(unfolding: &'a mut Unfolding, formula: &'a WctlFormula, limit: Option<u64>) -> Self {
        let numbers = formula.names.iter().map(|name| unfolding.system().proposition(name)).collect();
        Terms { unfolding, formula, numbers, limit, steps: 0 }
    }
}

impl System for Terms<'_> {
    fn initial(&self) -> u32 {
        self.unfolding.initial()
    }

    fn num_known(&self) -> usize {
        self.unfolding.num_states()
    }

    fn steps(&mut self, state: u32, into: &mut Vec<WeightedStep>) -> Result<(), Failure> {
        if self.limit.is_some_and(|most| self.unfolding.bytes() > most) {
            return Err(Failure::Stopped(Stop::Memory));
        }
        let before = into.len();
        self.unfolding.steps(state, into).map_err(|reason| Failure::System(reason.to_string()))?;
        self.steps += (into.len() - before) as u64;
        Ok(())
    }

    fn holds(&mut self, state: u32, atom: usize) -> Result<bool, Failure> {
        let value = |name: u32| {
            let number = self.numbers[name as usize];
            number.map_or(0, |number| i64::from(self.unfolding.multiplicity(state, number)))
        };
        self.formula.atoms[atom].evaluate(value).ok_or(Failure::Overflow)
    }
}

/// Checks formulas of weighted CTL in a state of a weighted system; terms are unfolded as far as the verdicts need it.
pub fn check_wctl(
    session: &mut Session,
    texts: Vec<Text>,
    selected: &SelectedState,
    wanted: WctlSettings,
    settings: &Settings,
    control: &Control<'_>,
) -> WctlReport {
    session.model.refuse_sweeps();
    let (mut parsed, mut diagnostics) = (Vec::new(), Vec::new());
    for text in texts {
        let file = session.model.sources.add(text.name, text.text.clone());
        let (formula, found) = formula(file, &text.text);
        diagnostics.extend(found);
        parsed.extend(formula.map(|formula| (text.text, formula)));
    }
    let source = session.model.document.as_ref().and_then(|document| document.weighted()).cloned();
    let known = match &source {
        Some(source) => Some(propositions(source)),
        None if crate::import::is_importable(&session.model) => {
            Some(crate::import::importable_names(&mut session.model))
        }
        None => None,
    };
    if let Some(mut known) = known.filter(|_| !has_errors(&session.model.diagnostics)) {
        known.sort_unstable();
        known.dedup();
        for (_, formula) in &parsed {
            diagnostics.extend(unknown_names(formula, &known));
        }
    }
    let mut found = WctlReport::default();
    if has_errors(&diagnostics) || has_errors(&session.model.diagnostics) {
        found.report.diagnostics = std::mem::take(&mut session.model.diagnostics);
        found.report.diagnostics.extend(diagnostics);
        return found;
    }
    if let (Some(WeightedSource::Terms(terms)), false) = (&source, wanted.global) {
        found.report.diagnostics = std::mem::take(&mut session.model.diagnostics);
        found.report.diagnostics.extend(diagnostics);
        found
            .report
            .diagnostics
            .extend(Assumed::unused(&session.model.file, &[], &session.model.given).remarks());
        if has_errors(&found.report.diagnostics) {
            return found;
        }
        let process = super::making::process(&session.model.file, terms, selected);
        let unfolding = process.and_then(|process| super::making::unfolding(terms, process));
        match unfolding {
            Ok(mut unfolding) => {
                check_terms(&session.model, &mut unfolding, &parsed, wanted, settings, control, &mut found)
            }
            Err(diagnostic) => found.report.diagnostics.push(diagnostic),
        }
        return found;
    }
    let mut names: Vec<String> = parsed.iter().flat_map(|(_, p)| p.formula.names.iter().cloned()).collect();
    names.sort_unstable();
    names.dedup();
    let (report, model) =
        crate::making::weighted_model_with(session, Some(&names), selected, settings, control);
    found.report = report;
    found.report.diagnostics.extend(diagnostics);
    let Some(model) = model else { return found };
    found.report.diagnostics.extend(model.assumed.remarks());
    if has_errors(&found.report.diagnostics) {
        return found;
    }
    for (text, parsed) in &parsed {
        let start = Instant::now();
        let answer = of_structure(&model, parsed, wanted, control);
        let name = |state: u32| model.name(state).into_owned();
        found.take(text, parsed, answer, &model.structure.unit, name, start, &settings.allowance);
    }
    found
}

/// Checks formulas on terms, which are unfolded as far as is needed.
fn check_terms(
    model: &Model,
    unfolding: &mut Unfolding,
    parsed: &[(String, ParsedFormula)],
    wanted: WctlSettings,
    settings: &Settings,
    control: &Control<'_>,
    found: &mut WctlReport,
) {
    let (mut expanded, mut steps) = (0, 0);
    for (text, parsed) in parsed {
        let start = Instant::now();
        let (formula, unit) = (&parsed.formula, unfolding.system().unit.clone());
        let mut system = Terms::new(unfolding, formula, control.limits.memory_bytes);
        let answer = local(&mut system, parsed, &unit, wanted, control);
        // Formulas share what is known of the system: that of the one which needed most is reported.
        if let Ok(Answer { expanded: own, .. }) = &answer {
            (expanded, steps) = (expanded.max(*own), steps.max(system.steps));
        }
        let name = |state: u32| unfolding.text(state);
        found.take(text, parsed, answer, &unit, name, start, &settings.allowance);
    }
    let states = unfolding.num_states() as u64;
    found.report.model = Some(ModelReport {
        complete: found.report.stop.is_none(),
        unexpanded: Some(states - expanded).filter(|&left| left > 0),
        ..crate::making::weighted_report(model, states, steps, None, unfolding.bytes())
    });
}

fn blocking(wanted: WctlSettings) -> Blocking {
    if wanted.sink { Blocking::Sink } else { Blocking::Loop }
}

/// The propositions of a source.
fn propositions(source: &WeightedSource) -> Vec<String> {
    match source {
        WeightedSource::Terms(terms) => terms.propositions.clone(),
        WeightedSource::Structures(structures) => structures
            .iter()
            .flat_map(|(_, explicit)| explicit.structure.propositions.iter().cloned())
            .collect(),
    }
}

/// Names of a formula that no state has: in all likelihood a mistake.
pub(super) fn unknown_names(parsed: &ParsedFormula, known: &[String]) -> Vec<Diagnostic> {
    let names = parsed.formula.names.iter().zip(&parsed.name_spans);
    let unknown = names.filter(|(name, _)| known.binary_search(name).is_err());
    let diagnostic = |(name, &span): (&String, &volvelle_diagnostics::Span)| {
        let found =
            Diagnostic::error(codes::WKS_NAME, format!("no state has the proposition `{name}`")).at(span, "");
        let found = found.misspelt(name, known);
        match found.helps.is_empty() {
            false => found,
            true if known.is_empty() => found.note("the states of the system have no propositions"),
            true => found.note(format!("propositions are {}", known.join(", "))),
        }
    };
    unknown.map(diagnostic).collect()
}

/// What an engine found. Bounds are in units; `None` is infinity.
struct Answer {
    /// The verdict, or the least bound.
    value: Value,
    /// The least bounds in all states, where they were asked for.
    bounds: Vec<Option<u64>>,
    explanation: Explanation,
    expanded: u64,
}

enum Value {
    Holds(bool),
    Bound(Option<u64>),
}

type Found = Result<Answer, Failure>;

/// The answer in the initial state of a system that is generated on the fly.
fn local<S: System>(
    system: &mut S,
    parsed: &ParsedFormula,
    unit: &RBig,
    wanted: WctlSettings,
    control: &Control<'_>,
) -> Found {
    let (formula, blocking) = (&parsed.formula, blocking(wanted));
    let (value, explanation, expanded) = if parsed.asks {
        let found = least_bound(system, formula, None, blocking, unit, control)?;
        (Value::Bound(found.bound), found.explanation, found.expanded)
    } else {
        let found = check_local(system, formula, None, blocking, unit, control)?;
        (Value::Holds(found.holds), found.explanation, found.expanded)
    };
    Ok(Answer { value, bounds: Vec::new(), explanation, expanded })
}

fn of_structure(
    model: &WeightedModel,
    parsed: &ParsedFormula,
    wanted: WctlSettings,
    control: &Control<'_>,
) -> Found {
    let formula = &parsed.formula;
    let mut valued = Valued::new(&model.structure, formula)?;
    let initial = model.structure.initial;
    let expanded = model.structure.num_states() as u64;
    if wanted.global && parsed.asks {
        let found = least_bounds(&valued, formula, blocking(wanted), control)?;
        let bounds: Vec<Option<u64>> =
            (0..model.structure.num_states() as u32).map(|state| found.bound(state)).collect();
        let explanation = found.explain(initial)?;
        return Ok(Answer { value: Value::Bound(bounds[initial as usize]), bounds, explanation, expanded });
    }
    if wanted.global {
        let checked = check_global(&valued, formula, blocking(wanted), control)?;
        let holds = checked.holds().contains(initial as usize);
        let (value, explanation) = (Value::Holds(holds), checked.explain(initial)?);
        return Ok(Answer { value, bounds: Vec::new(), explanation, expanded });
    }
    local(&mut valued, parsed, &model.structure.unit, wanted, control)
}

/// The formula that an explanation is about: where the bound was asked for, with the bound that was found.
fn answered<'f>(formula: &'f WctlFormula, value: &Value, unit: &RBig) -> Cow<'f, WctlFormula> {
    let Value::Bound(Some(bound)) = value else { return Cow::Borrowed(formula) };
    let mut formula = formula.clone();
    if let Wctl::Until(_, _, interval, _) = &mut formula.nodes[formula.root.index()] {
        interval.upper = Some(Limit { amount: RBig::from(*bound) * unit, strict: false });
    }
    Cow::Owned(formula)
}

impl WctlReport {
    #[expect(clippy::too_many_arguments, reason = "one call for structures, one for terms")]
    fn take(
        &mut self,
        text: &str,
        parsed: &ParsedFormula,
        answer: Found,
        unit: &RBig,
        name: impl Fn(u32) -> String,
        start: Instant,
        allowance: &Allowance,
    ) {
        let mut result = WctlResult {
            text: text.to_owned(),
            holds: None,
            value: None,
            values: Vec::new(),
            explanation: Vec::new(),
            expanded: 0,
            time: start.elapsed(),
        };
        match answer {
            Ok(Answer { value, bounds, explanation, expanded }) => {
                let shown = |bound: Option<u64>| match bound {
                    Some(bound) => (RBig::from(bound) * unit).to_string(),
                    None => "inf".to_owned(),
                };
                match value {
                    Value::Holds(holds) => result.holds = Some(holds),
                    Value::Bound(bound) => result.value = Some(shown(bound)),
                }
                result.expanded = expanded;
                result.values =
                    (0u32..).zip(bounds).map(|(state, bound)| (name(state), shown(bound))).collect();
                let formula = answered(&parsed.formula, &value, unit);
                result.explanation = explained(&explanation, &formula, unit, &name);
            }
            Err(failure) => {
                let (diagnostic, stop) = failed(failure, allowance);
                self.report.diagnostics.push(diagnostic);
                self.report.stop = self.report.stop.or(stop);
            }
        }
        self.formulas.push(result);
    }
}

/// Parts of an explanation, from the whole formula on.
fn explained(
    explanation: &Explanation,
    formula: &WctlFormula,
    unit: &RBig,
    name: &impl Fn(u32) -> String,
) -> Vec<ExplainedPart> {
    let name = |state: u32| if state == SINK { "(sink)".to_owned() } else { name(state) };
    let number = |weight: u64| (RBig::from(weight) * unit).to_string();
    let text = |node: WctlId| formula.text(node);
    let mut parts = Vec::new();
    let mut open = vec![(explanation, 0)];
    while let Some((part, depth)) = open.pop() {
        let mut shown = ExplainedPart {
            depth,
            formula: text(part.node),
            state: name(part.state),
            holds: part.holds,
            path: Vec::new(),
            cycle_start: None,
            remark: None,
        };
        match &part.reason {
            Reason::Path { steps, cycle_start, end } => {
                let step = |&(from, weight, to): &(u32, u64, u32)| (name(from), number(weight), name(to));
                shown.path = steps.iter().map(step).collect();
                shown.cycle_start = *cycle_start;
                let total = steps.iter().fold(RBig::ZERO, |sum, step| sum + RBig::from(step.1) * unit);
                shown.remark = Some(match end {
                    PathEnd::Goal => format!("a path of weight {total}"),
                    PathEnd::Dead => format!("a path of weight {total} to a state that ends it"),
                    PathEnd::Cycle => "a path that goes round for ever".to_owned(),
                    PathEnd::Heaviest => format!("a path of weight {total}, the largest one"),
                    PathEnd::Heavy => format!("a path of weight {total}, which is too much"),
                });
            }
            Reason::All(decisive) => {
                shown.remark = decisive.as_ref().map(|decisive| match decisive {
                    Decisive::Least(weight) => format!("the least weight is {}", number(*weight)),
                    Decisive::Largest(weight) => format!("the largest weight is {}", number(*weight)),
                });
            }
            _ => {}
        }
        parts.push(shown);
        open.extend(part.because.iter().rev().map(|part| (part, depth + 1)));
    }
    parts
}
