//! A report as JSON: the shape that `docs/json.md` documents, version 1.
//!
//! Fields that do not apply are absent. Numbers have enough digits to read back as the same number; JSON has no
//! infinity, so that `inf` and `-inf` are strings.

mod counterexample;
mod devices;
mod evidence;
mod path;
mod statistics;

use crate::csv::middle;
use crate::devices::DeviceListing;
use crate::experiment::Experiment;
use crate::lint::Lint;
use crate::outline::Outline;
use crate::report::{FormulaValue, ModelReport, PropertyReport, Report, StateValue};
use crate::sampling::{PathEnd, PathPlan, PathStep};
use crate::trace::Counterexample;
use counterexample::RunShape;
use evidence::EvidenceShape;
use path::PathShape;
use serde::{Serialize, Serializer};
use statistics::{StatisticsShape, VerificationShape};
use std::collections::BTreeMap;
use volvelle_control::{Fact, FactValue};
use volvelle_diagnostics::{Diagnostic, Severity, Sources};
use volvelle_logic::{Answer, Constant, ConstantValue, Guarantee, Literal, Ratio, Value};

/// Version of the shape.
pub const SCHEMA: u32 = 1;

/// The whole answer.
#[derive(Serialize)]
pub struct Document<'a> {
    volvelle: &'static str,
    schema: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<Model<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    models: Option<Vec<Model<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    experiment: Option<ExperimentShape<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    outline: Option<OutlineShape<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    results: Option<Vec<ResultShape<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<RunShape<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<PathShape<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    statements: Option<StatementsShape>,
    #[serde(skip_serializing_if = "Option::is_none")]
    devices: Option<Vec<devices::DeviceShape<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    absent: Option<Vec<devices::AbsentShape<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    exports: Option<&'a [String]>,
    diagnostics: Vec<DiagnosticShape<'a>>,
}

impl<'a> Document<'a> {
    /// An answer with nothing but diagnostics.
    pub fn new(diagnostics: impl IntoIterator<Item = &'a Diagnostic>, sources: &'a Sources) -> Self {
        Document {
            volvelle: env!("CARGO_PKG_VERSION"),
            schema: SCHEMA,
            model: None,
            models: None,
            experiment: None,
            outline: None,
            results: None,
            run: None,
            path: None,
            statements: None,
            devices: None,
            absent: None,
            exports: None,
            diagnostics: diagnostics.into_iter().map(|d| diagnostic(d, sources)).collect(),
        }
    }

    /// The answer to `check`.
    pub fn of_check(report: &'a Report, sources: &'a Sources) -> Self {
        let results = report.results.iter().map(|r| result(r, sources)).collect();
        Document { results: Some(results), ..Self::of_report(report, sources) }
    }

    /// The same with what was done and why, of each state space and of each result.
    #[must_use]
    pub fn explained(
        mut self,
        spaces: impl IntoIterator<Item = &'a ModelReport>,
        results: impl Iterator<Item = &'a PropertyReport>,
    ) -> Self {
        let models = self.model.iter_mut().chain(self.models.iter_mut().flatten());
        for (model, space) in models.zip(spaces) {
            model.explain = Some(explanation(&space.facts));
        }
        for (shape, report) in self.results.iter_mut().flatten().zip(results) {
            shape.explain = Some(explanation(&report.facts));
        }
        self
    }

    /// The answer to `check` with ranges of values: results in the order of the grid.
    pub fn of_experiment(experiment: &'a Experiment, sources: &'a Sources) -> Self {
        let results = experiment.points.iter().flat_map(|p| &p.results).map(|r| result(r, sources)).collect();
        let shape = ExperimentShape {
            constants: (experiment.axes.iter())
                .map(|axis| AxisShape {
                    name: &axis.name,
                    values: axis.values.iter().map(constant).collect(),
                })
                .collect(),
            points: experiment.total,
            done: experiment.done(),
        };
        let (one, several) = match experiment.models.as_slice() {
            [one] => (Some(model(one)), None),
            [] => (None, None),
            several => (None, Some(several.iter().map(model).collect())),
        };
        Document {
            model: one,
            models: several,
            experiment: Some(shape),
            results: Some(results),
            ..Self::new(experiment.all_diagnostics(), sources)
        }
    }

    /// The answer to `explore`, with the files written.
    pub fn of_exploration(report: &'a Report, exports: &'a [String], sources: &'a Sources) -> Self {
        let exports = (!exports.is_empty()).then_some(exports);
        Document { exports, ..Self::of_report(report, sources) }
    }

    /// The answer to `simulate`.
    pub fn of_run(
        file: &'a str,
        run: &'a Counterexample,
        faults: &'a [Diagnostic],
        sources: &'a Sources,
    ) -> Self {
        let model = Some(Model { file, kind: Some("processes".into()), ..Model::default() });
        Document { model, run: Some(RunShape::of(run)), ..Self::new(faults, sources) }
    }

    /// The answer to `trace`: the states of a path in their order, and why it ends (`None`: it was cut short).
    pub fn of_path(
        file: &'a str,
        plan: &'a PathPlan,
        steps: &'a [PathStep],
        end: Option<&'a PathEnd>,
        complaints: &'a [Diagnostic],
        sources: &'a Sources,
    ) -> Self {
        let model = Some(Model { file, kind: Some(plan.kind().into()), ..Model::default() });
        Document { model, path: Some(PathShape::of(plan, steps, end)), ..Self::new(complaints, sources) }
    }

    /// The answer to `lint`.
    pub fn of_lint(file: &'a str, lint: &'a Lint, sources: &'a Sources) -> Self {
        let model = Some(Model { file, kind: Some("processes".into()), ..Model::default() });
        let statements = lint.executed.map(|(executed, all)| StatementsShape { all, executed });
        Document { model, statements, ..Self::new(&lint.diagnostics, sources) }
    }

    /// The answer to `info`.
    pub fn of_outline(
        file: &'a str,
        outline: Option<&'a Outline>,
        diagnostics: &'a [Diagnostic],
        sources: &'a Sources,
    ) -> Self {
        let kind = outline.map(|o| o.kind.to_lowercase());
        let model = Some(Model { file, kind, ..Model::default() });
        Document { model, outline: outline.map(outline_shape), ..Self::new(diagnostics, sources) }
    }

    /// The devices of a machine, and technologies that serve none with the reason.
    pub fn of_devices(
        listed: &'a [DeviceListing],
        absent: &'a [(String, String)],
        sources: &'a Sources,
    ) -> Self {
        Document {
            devices: Some(listed.iter().map(devices::DeviceShape::of).collect()),
            absent: Some(absent.iter().map(devices::AbsentShape::of).collect()),
            ..Self::new([], sources)
        }
    }

    fn of_report(report: &'a Report, sources: &'a Sources) -> Self {
        Document { model: report.model.as_ref().map(model), ..Self::new(report.all_diagnostics(), sources) }
    }

    /// As text, ending with a newline.
    pub fn to_text(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).unwrap_or_else(|error| {
            // Nothing in the shape can fail: keys are strings, and numbers are finite or strings.
            format!("{{ \"schema\": {SCHEMA}, \"error\": \"{error}\" }}")
        });
        text.push('\n');
        text
    }
}

/// A number that may be infinite.
#[derive(Clone, Copy)]
struct Number(f64);

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0.is_finite() {
            serializer.serialize_f64(self.0)
        } else if self.0.is_nan() {
            serializer.serialize_str("nan")
        } else {
            serializer.serialize_str(if self.0 > 0.0 { "inf" } else { "-inf" })
        }
    }
}

/// A number in rational arithmetic: a fraction as text, an integer as a number where readers keep all of it.
#[derive(Clone)]
struct Exact(Ratio);

/// Integers up to this size survive being read as a double.
const LARGEST_INTEGER: f64 = 9_007_199_254_740_992.0;

impl Serialize for Exact {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let near = self.0.to_f64();
        if self.0.finite().is_some_and(|x| x.is_int()) && near.abs() < LARGEST_INTEGER {
            serializer.serialize_f64(near)
        } else {
            serializer.serialize_str(&self.0.to_string())
        }
    }
}

#[derive(Serialize)]
#[serde(untagged)]
enum OneNumber {
    Double(Number),
    Exact(Exact),
}

impl OneNumber {
    /// A number, with what it is in rational arithmetic if that is known.
    fn new(double: f64, exact: Option<&Ratio>) -> Self {
        exact.map_or(OneNumber::Double(Number(double)), |exact| OneNumber::Exact(Exact(exact.clone())))
    }
}

#[derive(Serialize)]
#[serde(untagged)]
enum AnyValue {
    Bool(bool),
    Number(Number),
    Interval([Number; 2]),
    Exact(Exact),
    ExactInterval([Exact; 2]),
    Points(Vec<Vec<Number>>),
}

#[derive(Default, Serialize)]
struct Model<'a> {
    file: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<String>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    constants: BTreeMap<&'a str, serde_json::Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    complete: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    states: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    choices: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    transitions: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    initial_states: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    deadlocks: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    not_expanded: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    state_bits: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tier: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seconds: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    explain: Option<Explanation<'a>>,
}

#[derive(Serialize)]
struct ExperimentShape<'a> {
    constants: Vec<AxisShape<'a>>,
    points: usize,
    done: usize,
}

#[derive(Serialize)]
struct AxisShape<'a> {
    name: &'a str,
    values: Vec<serde_json::Value>,
}

#[derive(Serialize)]
struct ResultShape<'a> {
    property: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    number: Option<usize>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    constants: BTreeMap<&'a str, serde_json::Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<AnyValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    states: Option<Vec<StateShape<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    verdict: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    compared: Option<OneNumber>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lo: Option<Number>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hi: Option<Number>,
    #[serde(skip_serializing_if = "Option::is_none")]
    epsilon: Option<Number>,
    #[serde(skip_serializing_if = "Option::is_none")]
    omission: Option<Number>,
    #[serde(skip_serializing_if = "Option::is_none")]
    precision: Option<Vec<Number>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    guarantee: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    method: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stop: Option<&'static str>,
    seconds: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    all_states: Option<Vec<ValueShape<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    explain: Option<Explanation<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    witness: Option<EvidenceShape<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    counterexample: Option<AnyCounterexample<'a>>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    counterexamples: Vec<RunShape<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    statistics: Option<StatisticsShape<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    verification: Option<VerificationShape>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<DiagnosticShape<'a>>,
}

/// Why a property is false: paths of probabilities, or a run of processes.
#[derive(Serialize)]
#[serde(untagged)]
enum AnyCounterexample<'a> {
    Evidence(EvidenceShape<'a>),
    Run(RunShape<'a>),
}

/// Facts by what they are about; of several about the same, all.
type Explanation<'a> = BTreeMap<&'a str, Vec<FactShape<'a>>>;

#[derive(Serialize)]
struct FactShape<'a> {
    value: serde_json::Value,
    #[serde(skip_serializing_if = "str::is_empty")]
    why: &'a str,
}

/// A value in a state, where those of all states were asked for.
#[derive(Serialize)]
struct ValueShape<'a> {
    number: usize,
    state: &'a str,
    value: AnyValue,
    #[serde(skip_serializing_if = "Option::is_none")]
    lo: Option<Number>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hi: Option<Number>,
}

#[derive(Serialize)]
struct StateShape<'a> {
    number: u32,
    state: &'a str,
    value: OneNumber,
}

#[derive(Serialize)]
struct DiagnosticShape<'a> {
    code: String,
    severity: &'static str,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<&'a str>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    notes: &'a [String],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    help: &'a [String],
}

#[derive(Serialize)]
struct OutlineShape<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<SizeShape<'a>>,
    constants: Vec<ConstantShape<'a>>,
    variables: Vec<VariableShape<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    initial_condition: Option<&'a str>,
    modules: Vec<ModuleShape<'a>>,
    actions: &'a [String],
    rewards: Vec<RewardShape<'a>>,
    labels: &'a [String],
    properties: Vec<PropertyShape<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    processes: Vec<ProcessShape<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    channels: Vec<ChannelShape<'a>>,
}

#[derive(Serialize)]
struct SizeShape<'a> {
    format: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    numbers: Option<&'static str>,
    states: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    choices: Option<u64>,
    transitions: u64,
    initial_states: u64,
    deadlocks: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    markovian: Option<u64>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    players: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    observations: Option<u64>,
}

#[derive(Serialize)]
struct ProcessShape<'a> {
    name: &'a str,
    active: usize,
    parameters: &'a [String],
    locations: usize,
}

#[derive(Serialize)]
struct ChannelShape<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    process: Option<&'a str>,
    holds: &'a str,
}

/// Statements of a model of processes.
#[derive(Serialize)]
struct StatementsShape {
    all: usize,
    executed: usize,
}

#[derive(Serialize)]
struct ConstantShape<'a> {
    name: &'a str,
    #[serde(rename = "type")]
    ty: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<serde_json::Value>,
    open: bool,
    in_properties: bool,
}

#[derive(Serialize)]
struct VariableShape<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    module: Option<&'a str>,
    range: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    initial: Option<serde_json::Value>,
}

#[derive(Serialize)]
struct RewardShape<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    states: bool,
    transitions: bool,
}

#[derive(Serialize)]
struct ModuleShape<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    copy_of: Option<&'a str>,
    commands: usize,
}

#[derive(Serialize)]
struct PropertyShape<'a> {
    number: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    property: &'a str,
}

fn model(report: &ModelReport) -> Model<'_> {
    Model {
        file: &report.file,
        kind: Some(report.kind.to_lowercase()),
        constants: constants(&report.constants),
        complete: (!report.complete).then_some(false),
        states: Some(report.states),
        choices: report.choices,
        transitions: Some(report.transitions),
        initial_states: report.initial_states,
        deadlocks: report.deadlocks,
        not_expanded: report.unexpanded,
        state_bits: Some(report.bits),
        bytes: Some(report.bytes),
        tier: Some(report.tier),
        seconds: Some(report.time.as_secs_f64()),
        explain: None,
    }
}

/// Numbers and truth values as such, anything else as text.
fn constant(value: &ConstantValue) -> serde_json::Value {
    match value.literal() {
        Literal::Int(int) => int.into(),
        Literal::Real(number) => number.into(),
        Literal::Bool(truth) => truth.into(),
        Literal::Other => value.text().into(),
    }
}

fn constants(given: &[Constant]) -> BTreeMap<&str, serde_json::Value> {
    given.iter().map(|given| (given.name.as_str(), constant(&given.value))).collect()
}

fn result<'a>(report: &'a PropertyReport, sources: &'a Sources) -> ResultShape<'a> {
    let mut shape = ResultShape {
        property: &report.text,
        name: report.name.as_deref(),
        number: report.number,
        constants: constants(&report.constants),
        value: None,
        states: None,
        verdict: None,
        compared: None,
        lo: None,
        hi: None,
        epsilon: None,
        omission: None,
        precision: None,
        guarantee: None,
        method: None,
        stop: None,
        seconds: report.time.as_secs_f64(),
        all_states: report.values.as_ref().map(|values| values.iter().enumerate().map(state_value).collect()),
        explain: None,
        witness: None,
        counterexample: None,
        counterexamples: Vec::new(),
        statistics: report.statistics.as_deref().map(StatisticsShape::of),
        verification: report.verification.as_deref().map(VerificationShape::of),
        error: None,
    };
    if let Some(evidence) = &report.evidence {
        let found = EvidenceShape::of(evidence);
        match evidence.against {
            true => shape.counterexample = found.map(AnyCounterexample::Evidence),
            false => shape.witness = found,
        }
    }
    match report.counterexamples.as_slice() {
        [] => {}
        [one] => shape.counterexample = Some(AnyCounterexample::Run(RunShape::of(one))),
        [first, ..] => {
            shape.counterexample = Some(AnyCounterexample::Run(RunShape::of(first)));
            shape.counterexamples = report.counterexamples.iter().map(RunShape::of).collect();
        }
    }
    match &report.outcome {
        Ok(answer) => shape.set_answer(answer, &report.states),
        Err(diagnostics) => {
            let error = diagnostics.iter().find(|d| d.severity == Severity::Error);
            shape.error = error.map(|d| diagnostic(d, sources));
            shape.lo = report.known.map(|[lo, _]| Number(lo));
            shape.hi = report.known.map(|[_, hi]| Number(hi));
        }
    }
    shape
}

fn state_value((number, entry): (usize, &StateValue)) -> ValueShape<'_> {
    let (value, bounds) = match entry.value {
        FormulaValue::Truth(truth) => (AnyValue::Bool(truth), None),
        FormulaValue::Bounds([lo, hi]) => {
            (AnyValue::Number(Number(middle(lo, hi))), Some([Number(lo), Number(hi)]))
        }
    };
    ValueShape { number, state: &entry.state, value, lo: bounds.map(|b| b[0]), hi: bounds.map(|b| b[1]) }
}

fn explanation(facts: &[Fact]) -> Explanation<'_> {
    let mut all = Explanation::new();
    for fact in facts {
        let value = match &fact.value {
            FactValue::Count(n) => (*n).into(),
            FactValue::Number(x) => serde_json::Number::from_f64(*x).map_or("inf".into(), Into::into),
            FactValue::Text(text) => text.as_str().into(),
        };
        all.entry(fact.what).or_default().push(FactShape { value, why: &fact.why });
    }
    all
}

impl<'a> ResultShape<'a> {
    fn set_answer(&mut self, answer: &'a Answer, states: &'a [String]) {
        match &answer.value {
            // Not the answer that it would be if everything had been looked at.
            Value::Bool(true) if matches!(answer.guarantee, Guarantee::Partial { .. }) => {}
            Value::Bool(truth) => {
                self.value = Some(AnyValue::Bool(*truth));
                self.verdict = Some(*truth);
            }
            Value::Number(number) => {
                self.value = Some(match answer.exact.first() {
                    Some(exact) => AnyValue::Exact(Exact(exact.clone())),
                    None => AnyValue::Number(Number(*number)),
                });
            }
            Value::Interval(lo, hi) => {
                self.value = Some(match answer.exact.as_slice() {
                    [lo, hi] => AnyValue::ExactInterval([Exact(lo.clone()), Exact(hi.clone())]),
                    _ => AnyValue::Interval([Number(*lo), Number(*hi)]),
                });
            }
            Value::Pareto(points) => {
                let row = |point: &Vec<f64>| point.iter().map(|&x| Number(x)).collect();
                self.value = Some(AnyValue::Points(points.iter().map(row).collect()));
            }
            Value::States(values) => {
                let shape = |(i, (&(number, value), state)): (usize, (&(u32, f64), &'a String))| StateShape {
                    number,
                    state,
                    value: OneNumber::new(value, answer.exact.get(i)),
                };
                self.states = Some(values.iter().zip(states).enumerate().map(shape).collect());
                if let Some(initially) = &answer.initially {
                    // Value, verdict and bounds are those of the property; the list comes with them.
                    return self.set_answer(initially, &[]);
                }
            }
        }
        self.compared = answer.compared.map(|number| OneNumber::new(number, answer.exact.first()));
        self.guarantee = Some(match answer.guarantee {
            Guarantee::Exact => "exact",
            Guarantee::Sound { .. } | Guarantee::Within { .. } => "sound",
            Guarantee::Approximate { .. } => "approximate",
            Guarantee::Partial { .. } => "partial",
            Guarantee::Statistical { .. } => "statistical",
        });
        match &answer.guarantee {
            Guarantee::Exact => self.enclose(&answer.exact),
            Guarantee::Sound { lo, hi } => {
                self.lo = Some(Number(*lo));
                self.hi = Some(Number(*hi));
            }
            Guarantee::Within { precision } => {
                self.precision = Some(precision.iter().map(|&p| Number(p)).collect());
            }
            Guarantee::Approximate { epsilon } => self.epsilon = Some(Number(*epsilon)),
            Guarantee::Partial { omission } => self.omission = omission.map(Number),
            Guarantee::Statistical { interval, .. } => {
                self.lo = interval.map(|[lo, _]| Number(lo));
                self.hi = interval.map(|[_, hi]| Number(hi));
            }
        }
        self.method = Some(&answer.method);
        self.stop = Some(answer.stop.name());
    }

    /// Doubles around fractions, for readers without rational arithmetic.
    fn enclose(&mut self, exact: &[Ratio]) {
        if let (Some(least), Some(largest)) = (exact.iter().min(), exact.iter().max()) {
            self.lo = Some(Number(least.enclosure()[0]));
            self.hi = Some(Number(largest.enclosure()[1]));
        }
    }
}

fn diagnostic<'a>(d: &'a Diagnostic, sources: &'a Sources) -> DiagnosticShape<'a> {
    let place = d.primary.as_ref().filter(|label| sources.get(label.span.file).is_some());
    let position = place.map(|label| sources.line_column(label.span));
    DiagnosticShape {
        code: d.code.to_string(),
        severity: match d.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        },
        message: &d.message,
        file: place.map(|label| sources.file(label.span.file).name.as_str()),
        line: position.map(|p| p.line),
        column: position.map(|p| p.column),
        label: place.map(|label| label.text.as_str()).filter(|text| !text.is_empty()),
        notes: &d.notes,
        help: &d.helps,
    }
}

fn outline_shape(outline: &Outline) -> OutlineShape<'_> {
    OutlineShape {
        size: outline.size.as_ref().map(|size| SizeShape {
            format: size.format,
            numbers: size.numbers,
            states: size.states,
            choices: size.choices,
            transitions: size.transitions,
            initial_states: size.initial_states,
            deadlocks: size.deadlocks,
            markovian: size.markovian,
            players: &size.players,
            observations: size.observations,
        }),
        constants: (outline.constants.iter())
            .map(|c| ConstantShape {
                name: &c.name,
                ty: c.ty.name(),
                value: c.value.as_ref().map(constant),
                open: c.open,
                in_properties: c.in_properties,
            })
            .collect(),
        variables: (outline.variables.iter())
            .map(|v| VariableShape {
                name: &v.name,
                module: v.component.as_deref(),
                range: &v.range,
                initial: v.initial.as_ref().map(constant),
            })
            .collect(),
        initial_condition: outline.initial_condition.as_deref(),
        modules: (outline.components.iter())
            .map(|m| ModuleShape { name: &m.name, copy_of: m.copy_of.as_deref(), commands: m.commands })
            .collect(),
        actions: &outline.actions,
        rewards: (outline.rewards.iter())
            .map(|r| RewardShape { name: r.name.as_deref(), states: r.states, transitions: r.transitions })
            .collect(),
        labels: &outline.labels,
        properties: (outline.properties.iter())
            .map(|p| PropertyShape { number: p.number, name: p.name.as_deref(), property: &p.text })
            .collect(),
        processes: (outline.processes.iter())
            .map(|p| ProcessShape {
                name: &p.name,
                active: p.active,
                parameters: &p.parameters,
                locations: p.locations,
            })
            .collect(),
        channels: (outline.channels.iter())
            .map(|c| ChannelShape { name: &c.name, process: c.component.as_deref(), holds: &c.holds })
            .collect(),
    }
}
