//! The threshold of `check --find`.

use crate::find::{Found, Threshold};
use serde::Serialize;
use volvelle_diagnostics::Sources;
use volvelle_session::json::Document;
use volvelle_session::json::values::constant;

/// The answer to `check --find`: results in the order of the values that were tried.
pub fn of_threshold<'a>(found: &'a Found, sources: &'a Sources) -> Document<'a> {
    Document::of_points(&found.evaluated, sources).with("find", FindShape::of(found))
}

#[derive(Serialize)]
pub struct FindShape<'a> {
    constant: &'a str,
    extreme: &'static str,
    outcome: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<serde_json::Value>,
    values: usize,
    evaluated: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    assumed: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    contradiction: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fails: Option<serde_json::Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    holds: Option<serde_json::Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    too_large: Option<serde_json::Value>,
}

impl<'a> FindShape<'a> {
    pub fn of(found: &'a Found) -> Self {
        let (outcome, value) = match &found.threshold {
            Threshold::Found(value) => ("found", Some(constant(value))),
            Threshold::Nowhere => ("none", None),
            Threshold::Open => ("unknown", None),
        };
        FindShape {
            constant: &found.constant.name,
            extreme: found.extreme.name(),
            outcome,
            value,
            values: found.constant.values.len(),
            evaluated: found.evaluated.points.len(),
            assumed: found.assumes_monotone.then_some("monotone"),
            contradiction: found.contradiction.as_deref(),
            fails: found.fails.as_ref().map(constant),
            holds: found.holds.as_ref().map(constant),
            too_large: found.too_large.as_ref().map(constant),
        }
    }
}
