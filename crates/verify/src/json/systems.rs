//! Reductions, comparisons and formulas of transition systems.

use crate::systems::{CompareReport, FormulaReport, ReduceReport, SystemPart};
use crate::weighted::{WeightedReduction, WeightedRelation};
use serde::Serialize;

#[derive(Serialize)]
pub struct ReductionShape {
    relation: &'static str,
    states: u64,
    transitions: u64,
    /// Absent where transitions have weights in place of labels.
    #[serde(skip_serializing_if = "Option::is_none")]
    labels: Option<u64>,
    seconds: f64,
}

impl ReductionShape {
    pub fn of(report: &ReduceReport) -> Self {
        ReductionShape {
            relation: report.options.relation.name(),
            states: report.size.states,
            transitions: report.size.transitions,
            labels: Some(report.size.labels),
            seconds: report.time.as_secs_f64(),
        }
    }

    pub fn of_weighted(reduction: &WeightedReduction) -> Self {
        let structure = &reduction.model.structure;
        ReductionShape {
            relation: WeightedRelation::Bisimulation.name(),
            states: structure.num_states() as u64,
            transitions: structure.num_steps() as u64,
            labels: None,
            seconds: reduction.time.as_secs_f64(),
        }
    }
}

#[derive(Serialize)]
pub struct ComparisonShape<'a> {
    relation: &'static str,
    files: &'a [String; 2],
    equivalent: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    trace: Option<TraceShape<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    formula: Option<String>,
    seconds: f64,
}

#[derive(Serialize)]
struct TraceShape<'a> {
    /// The file that has it.
    of: &'a str,
    labels: &'a [String],
}

impl<'a> ComparisonShape<'a> {
    pub fn of(report: &'a CompareReport) -> Self {
        let [first, second] = &report.files;
        let trace = report.found.trace.as_ref().map(|trace| TraceShape {
            of: if trace.is_of_first { first } else { second },
            labels: &trace.labels,
        });
        ComparisonShape {
            relation: report.options.relation.name(),
            files: &report.files,
            equivalent: report.found.equivalent,
            trace,
            formula: report.found.formula.as_ref().map(ToString::to_string),
            seconds: report.time.as_secs_f64(),
        }
    }
}

#[derive(Serialize)]
pub struct FormulaShape<'a> {
    formula: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    verdict: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    evidence: Option<PartShape<'a>>,
    seconds: f64,
}

#[derive(Serialize)]
struct PartShape<'a> {
    shape: &'static str,
    /// Source, label, target.
    transitions: Vec<TransitionShape<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cycle_start: Option<usize>,
}

#[derive(Serialize)]
struct TransitionShape<'a> {
    source: u32,
    label: &'a str,
    target: u32,
}

impl<'a> FormulaShape<'a> {
    pub fn of(report: &'a FormulaReport) -> Self {
        let verdict = report.verdict.as_ref();
        FormulaShape {
            formula: &report.text,
            verdict: verdict.map(|verdict| verdict.holds),
            evidence: verdict.and_then(|verdict| verdict.evidence.as_ref()).map(PartShape::of),
            seconds: report.time.as_secs_f64(),
        }
    }
}

impl<'a> PartShape<'a> {
    fn of(part: &'a SystemPart) -> Self {
        let transition = |(source, label, target): &'a (u32, String, u32)| TransitionShape {
            source: *source,
            label,
            target: *target,
        };
        PartShape {
            shape: part.shape,
            transitions: part.transitions.iter().map(transition).collect(),
            cycle_start: part.cycle_start,
        }
    }
}
