//! Relations and distances of weighted systems.

use crate::weighted::{
    AnsweredStep, ExplainedPart, RefutedPair, ShownStep, WctlResult, WeightedComparison, WeightedDistance,
};
use serde::Serialize;

#[derive(Serialize)]
pub struct WeightedComparisonShape<'a> {
    relation: &'static str,
    states: &'a [String; 2],
    related: bool,
    refuted: Vec<RefutedShape<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    formula: Option<&'a str>,
    seconds: f64,
}

#[derive(Serialize)]
struct RefutedShape<'a> {
    states: &'a [String; 2],
    #[serde(skip_serializing_if = "Option::is_none")]
    step: Option<StepShape<'a>>,
    passing: &'a [usize],
    ending: &'a [usize],
}

#[derive(Serialize)]
struct StepShape<'a> {
    weight: &'a str,
    target: &'a str,
}

impl<'a> StepShape<'a> {
    fn of((weight, target): &'a (String, String)) -> Self {
        StepShape { weight, target }
    }
}

impl<'a> WeightedComparisonShape<'a> {
    pub fn of(found: &'a WeightedComparison) -> Self {
        let refuted = |pair: &'a RefutedPair| RefutedShape {
            states: &pair.states,
            step: pair.step.as_ref().map(StepShape::of),
            passing: &pair.passing,
            ending: &pair.ending,
        };
        WeightedComparisonShape {
            relation: found.relation.name(),
            states: &found.names,
            related: found.related,
            refuted: found.refuted.iter().map(refuted).collect(),
            formula: found.formula.as_deref(),
            seconds: found.time.as_secs_f64(),
        }
    }
}

#[derive(Serialize)]
pub struct DistanceShape<'a> {
    kind: &'static str,
    states: &'a [String; 2],
    value: &'a str,
    /// Bounds; absent where the distance is infinite.
    #[serde(skip_serializing_if = "Option::is_none")]
    log: Option<[f64; 2]>,
    play: Vec<AnsweredShape<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    realised: Option<AnsweredShape<'a>>,
    seconds: f64,
}

#[derive(Serialize)]
struct AnsweredShape<'a> {
    states: &'a [String; 2],
    step: StepShape<'a>,
    answer: Vec<StepShape<'a>>,
}

impl<'a> AnsweredShape<'a> {
    fn of(step: &'a AnsweredStep) -> Self {
        AnsweredShape {
            states: &step.states,
            step: StepShape::of(&step.step),
            answer: step.answer.iter().map(StepShape::of).collect(),
        }
    }
}

impl<'a> DistanceShape<'a> {
    pub fn of(found: &'a WeightedDistance) -> Self {
        DistanceShape {
            kind: found.kind.name(),
            states: &found.names,
            value: &found.exact,
            log: found.value.is_finite().then_some(found.logarithm),
            play: found.play.iter().map(AnsweredShape::of).collect(),
            realised: found.realised.as_ref().map(AnsweredShape::of),
            seconds: found.time.as_secs_f64(),
        }
    }
}

#[derive(Serialize)]
pub struct WctlShape<'a> {
    formula: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    verdict: Option<bool>,
    explanation: Vec<ExplainedShape<'a>>,
    expanded: u64,
    seconds: f64,
}

#[derive(Serialize)]
struct ExplainedShape<'a> {
    depth: usize,
    formula: &'a str,
    state: &'a str,
    holds: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    path: Vec<PathStepShape<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cycle_start: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    remark: Option<&'a str>,
}

#[derive(Serialize)]
struct PathStepShape<'a> {
    source: &'a str,
    weight: &'a str,
    target: &'a str,
}

impl<'a> WctlShape<'a> {
    pub fn of(found: &'a WctlResult) -> Self {
        let step = |(source, weight, target): &'a ShownStep| PathStepShape { source, weight, target };
        let part = |part: &'a ExplainedPart| ExplainedShape {
            depth: part.depth,
            formula: &part.formula,
            state: &part.state,
            holds: part.holds,
            path: part.path.iter().map(step).collect(),
            cycle_start: part.cycle_start,
            remark: part.remark.as_deref(),
        };
        WctlShape {
            formula: &found.text,
            verdict: found.holds,
            explanation: found.explanation.iter().map(part).collect(),
            expanded: found.expanded,
            seconds: found.time.as_secs_f64(),
        }
    }
}
