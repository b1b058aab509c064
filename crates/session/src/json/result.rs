//! Answers to properties.

use super::counterexample::RunShape;
use super::diagnostic::{DiagnosticShape, diagnostic};
use super::evidence::{EvidenceShape, SchedulerShape};
use super::model::Explanation;
use super::statistics::{StatisticsShape, VerificationShape};
use super::values::{AnyValue, Exact, Number, OneNumber, constants};
use crate::report::{PropertyReport, StateValue};
use serde::Serialize;
use std::collections::BTreeMap;
use volvelle_diagnostics::{Severity, Sources};
use volvelle_logic::{Answer, FormulaValue, Guarantee, Ratio, Value};

#[derive(Serialize)]
pub struct ResultShape<'a> {
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
    pub explain: Option<Explanation<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    witness: Option<EvidenceShape<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    counterexample: Option<AnyCounterexample<'a>>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    counterexamples: Vec<RunShape<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    scheduler: Option<SchedulerShape<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    statistics: Option<StatisticsShape<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    verification: Option<VerificationShape>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    remarks: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<DiagnosticShape<'a>>,
}

/// Why a property is false: paths of probabilities, or a run of processes.
#[derive(Serialize)]
#[serde(untagged)]
pub enum AnyCounterexample<'a> {
    Evidence(EvidenceShape<'a>),
    Run(RunShape<'a>),
}

/// A value in a state, where those of all states were asked for.
#[derive(Serialize)]
pub struct ValueShape<'a> {
    number: usize,
    state: &'a str,
    value: AnyValue,
    #[serde(skip_serializing_if = "Option::is_none")]
    lo: Option<Number>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hi: Option<Number>,
}

#[derive(Serialize)]
pub struct StateShape<'a> {
    number: u32,
    state: &'a str,
    value: AnyValue,
    #[serde(skip_serializing_if = "Option::is_none")]
    lo: Option<Number>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hi: Option<Number>,
}

pub fn result<'a>(report: &'a PropertyReport, sources: &'a Sources) -> ResultShape<'a> {
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
        all_states: report.values.as_ref().map(|values| {
            let shape = |entry| match report.is_unbounded() {
                true => ValueShape { lo: None, hi: None, ..state_value(entry) },
                false => state_value(entry),
            };
            values.iter().enumerate().map(shape).collect()
        }),
        explain: None,
        witness: None,
        counterexample: None,
        counterexamples: Vec::new(),
        scheduler: None,
        statistics: report.statistics.as_deref().map(StatisticsShape::of),
        verification: report.verification.as_deref().map(VerificationShape::of),
        remarks: &report.remarks,
        error: None,
    };
    if let Some(evidence) = &report.evidence {
        let found = EvidenceShape::of(evidence);
        shape.scheduler = evidence.scheduler.as_ref().map(SchedulerShape::of);
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

pub fn state_value((number, entry): (usize, &StateValue)) -> ValueShape<'_> {
    let (value, bounds) = value_and_bounds(entry.value);
    let value = entry.exact.as_ref().map_or(value, |exact| AnyValue::Exact(Exact(exact.clone())));
    ValueShape { number, state: &entry.state, value, lo: bounds.map(|b| b[0]), hi: bounds.map(|b| b[1]) }
}

fn value_and_bounds(value: FormulaValue) -> (AnyValue, Option<[Number; 2]>) {
    match value {
        FormulaValue::Truth(truth) => (AnyValue::Bool(truth), None),
        FormulaValue::Bounds(bounds) => (AnyValue::Number(Number(value.middle())), Some(bounds.map(Number))),
    }
}

impl<'a> ResultShape<'a> {
    pub fn set_answer(&mut self, answer: &'a Answer, states: &'a [String]) {
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
                let d = points.first().map_or(0, Vec::len);
                self.value = Some(if d > 0 && answer.exact.len() == d * points.len() {
                    let row = |point: &[Ratio]| point.iter().cloned().map(Exact).collect();
                    AnyValue::ExactPoints(answer.exact.chunks(d).map(row).collect())
                } else {
                    let row = |point: &Vec<f64>| point.iter().map(|&x| Number(x)).collect();
                    AnyValue::Points(points.iter().map(row).collect())
                });
            }
            Value::States(values) => {
                let is_bounded = !matches!(answer.guarantee, Guarantee::Approximate { .. });
                let shape = |(i, (&(number, value), state)): (usize, (&(u32, FormulaValue), &'a String))| {
                    let (value, bounds) = value_and_bounds(value);
                    let exact = answer.exact.get(i).map(|exact| AnyValue::Exact(Exact(exact.clone())));
                    let [lo, hi] =
                        bounds.filter(|_| is_bounded).map_or([None, None], |bounds| bounds.map(Some));
                    StateShape { number, state, value: exact.unwrap_or(value), lo, hi }
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
            Guarantee::Exact { .. } => "exact",
            Guarantee::Sound { .. } | Guarantee::Within { .. } => "sound",
            Guarantee::Approximate { .. } => "approximate",
            Guarantee::Partial { .. } => "partial",
            Guarantee::Statistical { .. } => "statistical",
        });
        match &answer.guarantee {
            Guarantee::Exact { .. } if matches!(answer.value, Value::Pareto(_)) => {}
            Guarantee::Exact { .. } => self.enclose(&answer.exact),
            Guarantee::Sound { lo, hi, .. } => {
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
    pub fn enclose(&mut self, exact: &[Ratio]) {
        if let (Some(least), Some(largest)) = (exact.iter().min(), exact.iter().max()) {
            self.lo = Some(Number(least.enclosure()[0]));
            self.hi = Some(Number(largest.enclosure()[1]));
        }
    }
}
