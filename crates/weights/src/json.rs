//! Relations and distances of weighted systems as JSON.

use crate::document::Way;
use crate::{
    AllDistances, AnsweredStep, Closeness, ExplainedPart, Group, GroupStep, RefutedPair, ShownStep,
    WctlResult, WeightedComparison, WeightedDistance, WeightedOptimum,
};
use crate::{WctlReport, WeightedReduction, WeightedRelation};
use serde::Serialize;
use volvelle_diagnostics::{Diagnostic, Sources};
use volvelle_session::json::Document;
use volvelle_session::report::Report;

/// The answer to `compare` with a relation of weighted systems.
pub fn of_comparison<'a>(
    report: &'a Report,
    found: Option<&'a WeightedComparison>,
    sources: &'a Sources,
) -> Document<'a> {
    let document = Document::of_report(report, sources);
    document.with_some("weighted_comparison", found.map(WeightedComparisonShape::of))
}

/// The answer to `step`.
pub fn of_walk<'a>(
    file: &'a str,
    way: &'a Way,
    diagnostics: &'a [Diagnostic],
    sources: &'a Sources,
) -> Document<'a> {
    let steps = way.steps.iter().map(|(source, weight, target)| WalkStepShape { source, weight, target });
    let walk = WalkShape { reason: &way.reason, weight: &way.total, steps: steps.collect() };
    let document = Document::new(diagnostics, sources).of_file(file, Some("wks".into()));
    document.with("weighted_walk", walk)
}

#[derive(Serialize)]
struct WalkShape<'a> {
    reason: &'a str,
    weight: &'a str,
    steps: Vec<WalkStepShape<'a>>,
}

#[derive(Serialize)]
struct WalkStepShape<'a> {
    source: &'a str,
    weight: &'a str,
    target: &'a str,
}

/// The answer to `check --wctl`.
pub fn of_wctl<'a>(found: &'a WctlReport, sources: &'a Sources) -> Document<'a> {
    let formulas: Vec<_> = found.formulas.iter().map(WctlShape::of).collect();
    Document::of_report(&found.report, sources).with("wctl", formulas)
}

/// The answer to `distance`.
pub fn of_distance<'a>(
    report: &'a Report,
    found: Option<&'a WeightedDistance>,
    sources: &'a Sources,
) -> Document<'a> {
    Document::of_report(report, sources).with_some("distance", found.map(DistanceShape::of))
}

/// The answer to `distance` between all states, with the files written.
pub fn of_all_distances<'a>(
    report: &'a Report,
    found: Option<(&'a AllDistances, Option<&'a Closeness>)>,
    exports: &'a [String],
    sources: &'a Sources,
) -> Document<'a> {
    let shape = found.map(|(distances, groups)| DistancesShape::of(distances, groups));
    Document::of_exploration(report, exports, sources).with_some("distances", shape)
}

/// The answer to `distance` with a question about parameters.
pub fn of_optimum<'a>(
    report: &'a Report,
    found: Option<&'a WeightedOptimum>,
    sources: &'a Sources,
) -> Document<'a> {
    Document::of_report(report, sources).with_some("optimum", found.map(OptimumShape::of))
}

/// The answer to `reduce` by a relation of weighted systems.
pub fn of_reduction<'a>(
    report: &'a Report,
    reduced: Option<&WeightedReduction>,
    exports: &'a [String],
    sources: &'a Sources,
) -> Document<'a> {
    let document = Document::of_exploration(report, exports, sources);
    document.with_some("reduction", reduced.map(ReductionShape::of))
}

#[derive(Serialize)]
struct WeightedComparisonShape<'a> {
    relation: &'static str,
    states: &'a [String; 2],
    related: bool,
    refuted: Vec<RefutedShape<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    formula: Option<&'a str>,
    /// They differ only in whether they can stay for ever by steps of weight 0.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    diverges: bool,
    seconds: f64,
}

#[derive(Serialize)]
struct RefutedShape<'a> {
    states: &'a [String; 2],
    #[serde(skip_serializing_if = "Option::is_none")]
    step: Option<StepShape<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stays: Option<StaysShape<'a>>,
    passing: &'a [usize],
    ending: &'a [usize],
}

/// A path of steps of weight 0, and the place to which its end leads back.
#[derive(Serialize)]
struct StaysShape<'a> {
    path: &'a [String],
    back_to: usize,
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
    fn of(found: &'a WeightedComparison) -> Self {
        let refuted = |pair: &'a RefutedPair| RefutedShape {
            states: &pair.states,
            step: pair.step.as_ref().map(StepShape::of),
            stays: pair.stays.as_ref().map(|(path, back_to)| StaysShape { path, back_to: *back_to }),
            passing: &pair.passing,
            ending: &pair.ending,
        };
        WeightedComparisonShape {
            relation: found.relation.name(),
            states: &found.names,
            related: found.related,
            refuted: found.refuted.iter().map(refuted).collect(),
            formula: found.formula.as_deref(),
            diverges: found.diverges,
            seconds: found.time.as_secs_f64(),
        }
    }
}

#[derive(Serialize)]
struct DistanceShape<'a> {
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
    fn of(found: &'a WeightedDistance) -> Self {
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
struct DistancesShape<'a> {
    kind: &'static str,
    states: &'a [String],
    /// From the state of the row to that of the column.
    matrix: Vec<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    within: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    groups: Option<Vec<GroupShape<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    steps: Option<Vec<GroupStepShape>>,
    seconds: f64,
}

#[derive(Serialize)]
struct GroupShape<'a> {
    members: &'a [String],
    representative: &'a str,
    diameter: &'a str,
}

#[derive(Serialize)]
struct GroupStepShape {
    source: usize,
    target: usize,
    weights: [String; 2],
    /// Whether all members have such a step.
    everywhere: bool,
}

impl<'a> DistancesShape<'a> {
    fn of(found: &'a AllDistances, groups: Option<&'a Closeness>) -> Self {
        let states = 0..found.names.len();
        let group = |group: &'a Group| GroupShape {
            members: &group.members,
            representative: &group.representative,
            diameter: &group.diameter,
        };
        let step = |step: GroupStep| GroupStepShape {
            source: step.ends[0],
            target: step.ends[1],
            weights: step.weights,
            everywhere: step.is_everywhere,
        };
        DistancesShape {
            kind: found.kind.name(),
            states: &found.names,
            matrix: states.clone().map(|s| states.clone().map(|t| found.text(s, t)).collect()).collect(),
            within: groups.map(|groups| groups.within.as_str()),
            groups: groups.map(|groups| groups.groups.iter().map(group).collect()),
            steps: groups.map(|groups| groups.steps().into_iter().map(step).collect()),
            seconds: found.time.as_secs_f64(),
        }
    }
}

#[derive(Serialize)]
struct OptimumShape<'a> {
    kind: &'static str,
    states: &'a [String; 2],
    #[serde(skip_serializing_if = "Option::is_none")]
    at_most: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    exists: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parameters: Option<Vec<ParameterShape<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    distance: Option<&'a str>,
    /// No values of the parameters give a smaller one.
    #[serde(skip_serializing_if = "Option::is_none")]
    lower: Option<&'a str>,
    seconds: f64,
}

#[derive(Serialize)]
struct ParameterShape<'a> {
    name: &'a str,
    value: &'a str,
}

impl<'a> OptimumShape<'a> {
    fn of(found: &'a WeightedOptimum) -> Self {
        let parameter = |(name, value): &'a (String, String)| ParameterShape { name, value };
        OptimumShape {
            kind: found.kind.name(),
            states: &found.names,
            at_most: found.at_most.as_deref(),
            exists: found.exists,
            parameters: found.best.as_ref().map(|(values, _)| values.iter().map(parameter).collect()),
            distance: found.best.as_ref().map(|(_, distance)| distance.as_str()),
            lower: found.lower.as_deref(),
            seconds: found.time.as_secs_f64(),
        }
    }
}

#[derive(Serialize)]
struct WctlShape<'a> {
    formula: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    verdict: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    values: Vec<BoundShape<'a>>,
    explanation: Vec<ExplainedShape<'a>>,
    expanded: u64,
    seconds: f64,
}

#[derive(Serialize)]
struct BoundShape<'a> {
    state: &'a str,
    value: &'a str,
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
    fn of(found: &'a WctlResult) -> Self {
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
            value: found.value.as_deref(),
            values: found.values.iter().map(|(state, value)| BoundShape { state, value }).collect(),
            explanation: found.explanation.iter().map(part).collect(),
            expanded: found.expanded,
            seconds: found.time.as_secs_f64(),
        }
    }
}

/// A reduction; transitions have weights in place of labels.
#[derive(Serialize)]
struct ReductionShape {
    relation: &'static str,
    states: u64,
    transitions: u64,
    seconds: f64,
}

impl ReductionShape {
    fn of(reduction: &WeightedReduction) -> Self {
        let structure = &reduction.model.structure;
        ReductionShape {
            relation: WeightedRelation::Bisimulation.name(),
            states: structure.num_states() as u64,
            transitions: structure.num_steps() as u64,
            seconds: reduction.time.as_secs_f64(),
        }
    }
}
