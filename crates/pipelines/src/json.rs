//! Steps of a pipeline as JSON.

use crate::{PointReport, StepAnswer, StepReport};
use serde::Serialize;
use std::collections::BTreeMap;
use volvelle_diagnostics::{Diagnostic, Sources};
use volvelle_rates::json::{self as performance, PerformanceShape};
use volvelle_session::json::Document;
use volvelle_session::json::values::constant;
use volvelle_systems::json::{ComparisonShape, FormulaShape};

/// The answer to `run`, with the files written. Diagnostics are of several texts.
pub fn of_pipeline<'a>(
    steps: &'a [StepReport],
    exports: &'a [String],
    diagnostics: &'a [(Vec<Diagnostic>, Sources)],
) -> Document<'a> {
    let steps: Vec<_> = steps.iter().map(StepShape::of).collect();
    Document::of_several(diagnostics).with("steps", steps).exported(exports)
}

/// A step of a pipeline.
#[derive(Serialize)]
pub struct StepShape<'a> {
    name: &'a str,
    what: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    expected: Option<bool>,
    /// Whether all verdicts are the expected one; absent where nothing is expected or a verdict is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    as_expected: Option<bool>,
    points: Vec<PointShape<'a>>,
    seconds: f64,
}

#[derive(Serialize)]
struct PointShape<'a> {
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    constants: BTreeMap<&'a str, serde_json::Value>,
    system: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    states: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    transitions: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    formula: Option<FormulaShape<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    comparison: Option<ComparisonShape<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    performance: Option<PerformanceShape<'a>>,
}

impl<'a> StepShape<'a> {
    /// Of its report.
    pub fn of(report: &'a StepReport) -> Self {
        let verdicts = report.points.iter().map(|point| point.answer.as_ref().and_then(StepAnswer::verdict));
        let is_complete = !report.points.is_empty() && verdicts.clone().all(|verdict| verdict.is_some());
        let fails = report.unexpected().next().is_some();
        StepShape {
            name: &report.name,
            what: &report.what,
            expected: report.expect,
            as_expected: report.expect.filter(|_| is_complete || fails).map(|_| !fails),
            points: report.points.iter().map(PointShape::of).collect(),
            seconds: report.time.as_secs_f64(),
        }
    }
}

impl<'a> PointShape<'a> {
    fn of(point: &'a PointReport) -> Self {
        let (mut formula, mut comparison, mut performance) = (None, None, None);
        match &point.answer {
            None => {}
            Some(StepAnswer::Formula(found)) => formula = Some(FormulaShape::of(found)),
            Some(StepAnswer::Comparison(found)) => comparison = Some(ComparisonShape::of(found)),
            Some(StepAnswer::LongRun(found)) => performance = Some(performance::of_long_run(found)),
            Some(StepAnswer::Course(found)) => performance = Some(performance::of_course(found)),
        }
        PointShape {
            constants: point.constants.iter().map(|c| (c.name.as_str(), constant(&c.value))).collect(),
            system: point.made.name(),
            states: point.size.map(|size| size[0]),
            transitions: point.size.map(|size| size[1]),
            formula,
            comparison,
            performance,
        }
    }
}
