//! Reductions, comparisons and formulas of transition systems as JSON.

use crate::{CompareReport, FormulaReport, FormulasReport, ReduceReport, SystemPart};
use serde::Serialize;
use volvelle_diagnostics::{Diagnostic, Sources};
use volvelle_session::json::Document;
use volvelle_session::report::Report;

/// The answer to `reduce`, with the files written.
pub fn of_reduction<'a>(
    report: &'a Report,
    reduced: Option<&ReduceReport>,
    exports: &'a [String],
    sources: &'a Sources,
) -> Document<'a> {
    let document = Document::of_exploration(report, exports, sources);
    document.with_some("reduction", reduced.map(ReductionShape::of))
}

/// The answer to `compare`.
pub fn of_comparison<'a>(
    report: &'a Report,
    found: Option<&'a CompareReport>,
    sources: &'a Sources,
) -> Document<'a> {
    Document::of_report(report, sources).with_some("comparison", found.map(ComparisonShape::of))
}

/// The answer to `check --mcl`.
pub fn of_formulas<'a>(found: &'a FormulasReport, sources: &'a Sources) -> Document<'a> {
    let formulas: Vec<_> = found.formulas.iter().map(FormulaShape::of).collect();
    Document::of_report(&found.report, sources).with("formulas", formulas)
}

/// The answer to `step`: the transitions of a walk in their order, and why it ends.
pub fn of_walk<'a>(
    file: &'a str,
    transitions: &'a [(u32, String, u32)],
    reason: &'a str,
    diagnostics: &'a [Diagnostic],
    sources: &'a Sources,
) -> Document<'a> {
    let transitions = transitions.iter().map(TransitionShape::of).collect();
    let document = Document::new(diagnostics, sources).of_file(file, Some("lts".into()));
    document.with("walk", WalkShape { reason, transitions })
}

/// A walk through a system.
#[derive(Serialize)]
struct WalkShape<'a> {
    reason: &'a str,
    transitions: Vec<TransitionShape<'a>>,
}

/// A reduced system.
#[derive(Serialize)]
pub struct ReductionShape {
    relation: &'static str,
    states: u64,
    transitions: u64,
    labels: u64,
    seconds: f64,
}

impl ReductionShape {
    /// Of its report.
    pub fn of(report: &ReduceReport) -> Self {
        ReductionShape {
            relation: report.options.relation.name(),
            states: report.size.states,
            transitions: report.size.transitions,
            labels: report.size.labels,
            seconds: report.time.as_secs_f64(),
        }
    }
}

/// Whether two systems are equivalent.
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
    /// Of its report.
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

/// A formula with its verdict.
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
    /// Of its report.
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

impl<'a> TransitionShape<'a> {
    fn of((source, label, target): &'a (u32, String, u32)) -> Self {
        TransitionShape { source: *source, label, target: *target }
    }
}

impl<'a> PartShape<'a> {
    fn of(part: &'a SystemPart) -> Self {
        PartShape {
            shape: part.shape,
            transitions: part.transitions.iter().map(TransitionShape::of).collect(),
            cycle_start: part.cycle_start,
        }
    }
}
