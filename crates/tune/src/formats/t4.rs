//! T4, the format of results, schema 1.0.0.
//!
//! Times are milliseconds, as Kernel Tuner writes them (`metadata.timeunit`). A prediction is a measurement
//! without runs, with the objective `time`.

use super::json::{array, member, parse, to_json, value};
use super::{FAILURES, Measurement, Unreadable};
use crate::space::{Parameter, is_same};
use crate::strategy::Outcome;
use crate::{Evidence, Tuning, Value};
use serde_json::{Map, Value as Json, json};

/// The file of some measurements.
pub fn write(parameters: &[Parameter], measurements: &[Measurement]) -> String {
    let names: Vec<&str> = parameters.iter().map(|parameter| parameter.name.as_str()).collect();
    file(measurements.iter().map(|measurement| result(&names, measurement, "ms")).collect(), "milliseconds")
}

/// The file of a table of configurations: those with a known time, and those that cannot run.
pub fn write_tuning(tuning: &Tuning) -> String {
    let names: Vec<&str> = tuning.parameters.iter().map(String::as_str).collect();
    let rows = tuning.rows.iter().filter_map(|row| {
        let outcome = match (&row.evidence, row.time()) {
            (Evidence::Invalid(_), _) => Outcome::Failed(crate::strategy::Failure::Constraint),
            (_, Some(time)) => Outcome::Time(time),
            (_, None) => return None,
        };
        let mut measurement = Measurement::new(row.values.clone(), outcome);
        if row.evidence != Evidence::Measured {
            measurement.times.clear();
        }
        Some(result(&names, &measurement, &tuning.unit))
    });
    let unit = match tuning.unit.as_str() {
        "ns" => "nanoseconds",
        "us" | "µs" => "microseconds",
        "ms" => "milliseconds",
        "s" => "seconds",
        _ => "model time",
    };
    file(rows.collect(), unit)
}

fn file(results: Vec<Json>, unit: &str) -> String {
    let file = json!({
        "schema_version": "1.0.0",
        "metadata": { "timeunit": unit },
        "results": results,
    });
    format!("{file:#}\n")
}

fn result(names: &[&str], measurement: &Measurement, unit: &str) -> Json {
    let configuration: Map<String, Json> = names
        .iter()
        .zip(&measurement.values)
        .map(|(name, value)| ((*name).to_owned(), to_json(value)))
        .collect();
    let (invalidity, measured) = match &measurement.outcome {
        Outcome::Time(time) => ("correct", vec![json!({ "name": "time", "value": time, "unit": unit })]),
        Outcome::Failed(failure) => {
            let row =
                FAILURES.iter().find(|(other, ..)| other == failure).expect("all failures are in the table");
            (row.2, vec![json!({ "name": "failure", "value": failure.name(), "unit": "" })])
        }
    };
    let mut result = json!({
        "configuration": configuration,
        "times": {
            "compilation_time": measurement.compile_ms,
            "compilation": measurement.compile_ms,
            "benchmark": measurement.benchmark_ms,
            "framework": 0.0,
            "search_algorithm": measurement.strategy_ms,
            "validation": measurement.verification_ms,
            "runtimes": measurement.times,
        },
        "invalidity": invalidity,
        "correctness": if invalidity == "correctness" { 0 } else { 1 },
        "measurements": measured,
        "objectives": ["time"],
    });
    if !measurement.timestamp.is_empty() {
        result["timestamp"] = measurement.timestamp.as_str().into();
    }
    result
}

/// Reads a file: the names of the parameters (those of the first result, in the order of the file), and the
/// measurements.
///
/// # Errors
/// It is no JSON, or no such file.
pub fn read(contents: &str) -> Result<(Vec<Parameter>, Vec<Measurement>), Unreadable> {
    let json = parse(contents)?;
    let results = array(&json, "results", "the file")?;
    let mut parameters: Vec<Parameter> = Vec::new();
    let mut measurements = Vec::with_capacity(results.len());
    for (number, result) in results.iter().enumerate() {
        let of = format!("result {number}");
        let configuration = member(result, "configuration", &of)?.as_object();
        let configuration =
            configuration.ok_or_else(|| Unreadable::new(format!("the configuration of {of} is no table")))?;
        if parameters.is_empty() {
            let named = configuration.keys().map(|name| Parameter { name: name.clone(), values: Vec::new() });
            parameters = named.collect();
        }
        let mut values: Vec<Value> = Vec::with_capacity(parameters.len());
        for parameter in &mut parameters {
            let found = configuration.get(&parameter.name).and_then(value);
            let found = found.ok_or_else(|| Unreadable::new(format!("{of} has no `{}`", parameter.name)))?;
            if !parameter.values.iter().any(|other| is_same(other, &found)) {
                parameter.values.push(found.clone());
            }
            values.push(found);
        }
        measurements.push(read_result(result, values, &of)?);
    }
    Ok((parameters, measurements))
}

fn read_result(result: &Json, values: Vec<Value>, of: &str) -> Result<Measurement, Unreadable> {
    let measured = |name: &str| {
        let all = result.get("measurements").and_then(Json::as_array)?;
        all.iter().find(|one| one.get("name").and_then(Json::as_str) == Some(name))?.get("value")
    };
    let times = member(result, "times", of)?;
    let runtimes = times.get("runtimes").and_then(Json::as_array);
    let runtimes: Vec<f64> =
        runtimes.map(|all| all.iter().filter_map(Json::as_f64).collect()).unwrap_or_default();
    let outcome = match super::json::text(result, "invalidity", of)? {
        "correct" => {
            let mean = runtimes.iter().sum::<f64>() / runtimes.len().max(1) as f64;
            let objective = result.get("objectives").and_then(|all| all.get(0)).and_then(Json::as_str);
            let time = measured(objective.unwrap_or("time")).and_then(Json::as_f64);
            let time = time.or((!runtimes.is_empty()).then_some(mean));
            Outcome::Time(time.ok_or_else(|| Unreadable::new(format!("{of} has no time")))?)
        }
        word => {
            let said = measured("failure").and_then(Json::as_str);
            let known = FAILURES.iter().filter(|row| row.2 == word);
            let exact = known.clone().find(|row| Some(row.0.name()) == said);
            let row = exact.or_else(|| known.clone().next());
            Outcome::Failed(
                row.ok_or_else(|| Unreadable::new(format!("{of} has an unknown `invalidity`")))?.0,
            )
        }
    };
    let number = |name: &str| times.get(name).and_then(Json::as_f64);
    Ok(Measurement {
        values,
        outcome,
        times: runtimes,
        compile_ms: number("compilation_time").or_else(|| number("compilation")).unwrap_or(0.0),
        benchmark_ms: number("benchmark").unwrap_or(0.0),
        verification_ms: number("validation").unwrap_or(0.0),
        strategy_ms: number("search_algorithm").unwrap_or(0.0),
        timestamp: result.get("timestamp").and_then(Json::as_str).unwrap_or_default().to_owned(),
        detail: String::new(),
    })
}
