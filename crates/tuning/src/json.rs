//! The result of `tune` as JSON.

use serde::Serialize;
use serde_json::{Map, Value as Json};
use std::time::Duration;
use volvelle_diagnostics::{Diagnostic, Sources};
use volvelle_session::json::Document;
use volvelle_tune::{Evidence, Proof, Row, Tuning, Value, evidence_name};

/// The answer to `tune`; without a result where there is nothing but diagnostics.
pub fn of_tuning<'a>(
    file: &'a str,
    tuning: Option<&Tuning>,
    elapsed: Duration,
    diagnostics: impl IntoIterator<Item = &'a Diagnostic>,
    sources: &'a Sources,
) -> Document<'a> {
    let shape = tuning.map(|tuning| TuningShape::of(tuning, elapsed));
    Document::new(diagnostics, sources).of_file(file, None).with_some("tuning", shape)
}

/// The table of configurations.
#[derive(Serialize)]
struct TuningShape {
    objective: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    unit: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    goal: String,
    parameters: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    time: Option<Json>,
    best: Vec<Map<String, Json>>,
    proven: bool,
    proof: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    configurations: Option<u64>,
    decided: u64,
    method: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    steps: Vec<StepShape>,
    table: Vec<Map<String, Json>>,
    sensitivity: Vec<SensitivityShape>,
    states: u64,
    transitions: u64,
    seconds: f64,
}

#[derive(Serialize)]
struct StepShape {
    step: String,
    found: String,
    states: u64,
}

#[derive(Serialize)]
struct SensitivityShape {
    parameter: String,
    ratio: Json,
    best: Json,
    best_time: Json,
    worst: Json,
    worst_time: Json,
}

impl TuningShape {
    /// Of a table that took this long.
    fn of(tuning: &Tuning, elapsed: Duration) -> Self {
        let steps = tuning.steps.iter().map(|step| StepShape {
            step: step.text.clone(),
            found: step.outcome.clone(),
            states: step.states,
        });
        let sensitivity = tuning.sensitivities().into_iter().map(|one| SensitivityShape {
            parameter: tuning.parameters[one.parameter].clone(),
            ratio: number(one.ratio()),
            best: value(&one.best.0),
            best_time: number(one.best.1),
            worst: value(&one.worst.0),
            worst_time: number(one.worst.1),
        });
        let proof = match &tuning.proof {
            Proof::Proven(text) | Proof::Unproven(text) => text.clone(),
        };
        TuningShape {
            objective: tuning.objective.clone(),
            unit: tuning.unit.clone(),
            goal: tuning.goal.clone(),
            parameters: tuning.parameters.clone(),
            time: tuning.time().map(number),
            best: tuning.best().map(|row| configuration(row, tuning)).collect(),
            proven: tuning.is_proven(),
            proof,
            configurations: tuning.configurations,
            decided: tuning.decided(),
            method: tuning.method.clone(),
            steps: steps.collect(),
            table: tuning.rows.iter().map(|row| table_row(row, tuning)).collect(),
            sensitivity: sensitivity.collect(),
            states: tuning.states,
            transitions: tuning.transitions,
            seconds: elapsed.as_secs_f64(),
        }
    }
}

fn configuration(row: &Row, tuning: &Tuning) -> Map<String, Json> {
    tuning.parameters.iter().zip(&row.values).map(|(name, v)| (name.clone(), value(v))).collect()
}

/// A configuration with what is known about it. A parameter whose name is that of another field comes first, and wins.
fn table_row(row: &Row, tuning: &Tuning) -> Map<String, Json> {
    let mut shape = configuration(row, tuning);
    let mut add = |name: &str, value: Json| {
        shape.entry(name.to_owned()).or_insert(value);
    };
    match row.time() {
        Some(time) => add("time", number(time)),
        None => {
            add("lo", number(row.lo));
            add("hi", number(row.hi));
        }
    }
    if let Some(greatest) = row.greatest {
        add("greatest", number(greatest));
    }
    if let Some(predicted) = row.predicted {
        add("predicted", number(predicted));
    }
    if let Some(alike) = row.all_alike {
        add("all_alike", Json::Bool(alike));
    }
    add("states", Json::from(row.states));
    add("evidence", Json::from(evidence_name(&row.evidence)));
    match &row.evidence {
        Evidence::Composed(why) => add("proof", Json::from(why.as_str())),
        Evidence::Invalid(why) => add("reason", Json::from(why.as_str())),
        _ => {}
    }
    shape
}

fn value(value: &Value) -> Json {
    match value {
        Value::Int(value) => Json::from(*value),
        Value::Float(value) => number(*value),
        Value::Bool(value) => Json::Bool(*value),
        Value::Text(value) => Json::from(value.as_str()),
    }
}

/// A number, whole where it is; infinite ones are strings.
fn number(value: f64) -> Json {
    if value.is_infinite() {
        return Json::from(if value > 0.0 { "inf" } else { "-inf" });
    }
    match value.fract() == 0.0 && value.abs() < 9e15 {
        true => Json::from(value as i64),
        false => Json::from(value),
    }
}
