//! State spaces, and the reasons behind what was done.

use super::values::constants;
use crate::report::ModelReport;
use serde::Serialize;
use std::collections::BTreeMap;
use volvelle_control::{Fact, FactValue};

#[derive(Default, Serialize)]
pub struct Model<'a> {
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
    product: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    first_of: Option<u64>,
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
    tier: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seconds: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explain: Option<Explanation<'a>>,
}

/// Facts by what they are about; of several about the same, all.
pub type Explanation<'a> = BTreeMap<&'a str, Vec<FactShape<'a>>>;

#[derive(Serialize)]
pub struct FactShape<'a> {
    value: serde_json::Value,
    #[serde(skip_serializing_if = "str::is_empty")]
    why: &'a str,
}

impl<'a> Model<'a> {
    /// A model whose states were not built.
    pub fn without_space(file: &'a str, kind: Option<String>) -> Self {
        Model { file, kind, ..Model::default() }
    }
}

pub fn model(report: &ModelReport) -> Model<'_> {
    Model {
        file: &report.file,
        kind: Some(report.kind.to_lowercase()),
        constants: constants(&report.constants),
        complete: (!report.complete).then_some(false),
        states: Some(report.states),
        product: report.is_product.then_some(true),
        first_of: report.first_of,
        choices: report.choices,
        transitions: Some(report.transitions),
        initial_states: report.initial_states,
        deadlocks: report.deadlocks,
        not_expanded: report.unexpanded,
        state_bits: Some(report.bits),
        bytes: Some(report.bytes),
        tier: Some(&report.tier),
        seconds: Some(report.time.as_secs_f64()),
        explain: None,
    }
}

pub fn explanation(facts: &[Fact]) -> Explanation<'_> {
    let mut all = Explanation::new();
    for fact in facts {
        let value = match &fact.value {
            FactValue::Count(n) => (*n).into(),
            FactValue::Number(x) => serde_json::Number::from_f64(*x).map_or("inf".into(), Into::into),
            FactValue::Text(text) => text.as_str().into(),
        };
        all.entry(&fact.what).or_default().push(FactShape { value, why: &fact.why });
    }
    all
}
