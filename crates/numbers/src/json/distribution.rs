//! Distributions over states.

use crate::distribution::{Class, Distributions};
use serde::Serialize;
use std::collections::BTreeMap;
use volvelle_diagnostics::Sources;
use volvelle_logic::FormulaValue;
use volvelle_session::json::Document;
use volvelle_session::json::values::{Number, constant};

/// The answer to `check --transient` and `check --steady-state`.
pub fn of_distributions<'a>(found: &'a Distributions, sources: &'a Sources) -> Document<'a> {
    let document = Document::new(&found.diagnostics, sources).about(found.model.as_ref());
    document.with("distributions", distributions(found))
}

#[derive(Serialize)]
pub struct DistributionShape<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    time: Option<serde_json::Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    long_run: Option<bool>,
    method: &'a str,
    stop: &'static str,
    seconds: f64,
    entries: Vec<EntryShape<'a>>,
}

#[derive(Serialize)]
struct EntryShape<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    number: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    state: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    values: Option<BTreeMap<&'a str, serde_json::Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    states: Option<u64>,
    value: Number,
    lo: Number,
    hi: Number,
}

/// One for each moment.
pub fn distributions(found: &Distributions) -> Vec<DistributionShape<'_>> {
    let entry = |class, moment| EntryShape::of(class, &found.by, moment);
    let moments = found.moments.iter().enumerate().map(|(i, moment)| DistributionShape {
        time: moment.time.as_ref().map(constant),
        long_run: moment.time.is_none().then_some(true),
        method: &moment.method,
        stop: moment.stop.name(),
        seconds: moment.took.as_secs_f64(),
        entries: found.classes.iter().map(|class| entry(class, i)).collect(),
    });
    moments.collect()
}

impl<'a> EntryShape<'a> {
    fn of(class: &'a Class, by: &'a [String], moment: usize) -> Self {
        let is_state = by.is_empty();
        let values = by.iter().zip(&class.values).map(|(name, value)| {
            let value = match *value {
                FormulaValue::Truth(truth) => truth.into(),
                FormulaValue::Bounds([x, _]) => x.into(),
            };
            (name.as_str(), value)
        });
        let [lo, hi] = class.bounds[moment];
        EntryShape {
            number: is_state.then_some(class.first),
            state: is_state.then_some(&class.state),
            values: (!is_state).then(|| values.collect()),
            states: (!is_state).then_some(class.states),
            value: Number(FormulaValue::Bounds([lo, hi]).middle()),
            lo: Number(lo),
            hi: Number(hi),
        }
    }
}
