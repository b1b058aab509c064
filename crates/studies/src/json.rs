//! Studies as JSON.

use crate::{
    AccessShare, ConfigurationReport, Influence, Performance, StudyReport, Sum, Verdict, VerdictStep,
    Verified,
};
use serde::Serialize;
use std::collections::BTreeMap;
use volvelle_diagnostics::Sources;
use volvelle_session::json::Document;
use volvelle_session::json::values::Number;

/// The answer to `mpi`, with the files written.
pub fn of_study<'a>(report: &'a StudyReport, exports: &'a [String], sources: &'a Sources) -> Document<'a> {
    let document = Document::new(&report.diagnostics, sources);
    document.with("study", StudyShape::of(report)).exported(exports)
}

#[derive(Serialize)]
struct StudyShape<'a> {
    title: &'a str,
    file: &'a str,
    unit: &'a str,
    what: &'a str,
    explorations: usize,
    verifications: Vec<VerifiedShape<'a>>,
    configurations: Vec<ConfigurationShape<'a>>,
}

#[derive(Serialize)]
struct VerifiedShape<'a> {
    protocol: &'a str,
    states: u64,
    transitions: u64,
    verdicts: Vec<VerdictShape<'a>>,
}

#[derive(Serialize)]
struct VerdictShape<'a> {
    name: &'static str,
    statement: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    verdict: Option<bool>,
    #[serde(skip_serializing_if = "str::is_empty")]
    reason: &'a str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    steps: Vec<StepShape<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    for_ever: Vec<StepShape<'a>>,
}

#[derive(Serialize)]
struct StepShape<'a> {
    #[serde(skip_serializing_if = "str::is_empty")]
    process: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    file: &'a str,
    #[serde(skip_serializing_if = "is_zero")]
    line: u32,
    #[serde(skip_serializing_if = "str::is_empty")]
    statement: &'a str,
    what: &'a str,
}

fn is_zero(line: &u32) -> bool {
    *line == 0
}

#[derive(Serialize)]
struct ConfigurationShape<'a> {
    parameters: BTreeMap<&'a str, &'a str>,
    protocol: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    verification: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    performance: Option<PerformanceShape<'a>>,
    seconds: f64,
}

#[derive(Serialize)]
struct PerformanceShape<'a> {
    states: u64,
    transitions: u64,
    recurrent: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    ends: Option<usize>,
    time: BoundedShape,
    throughput: BoundedShape,
    #[serde(skip_serializing_if = "Option::is_none")]
    bandwidth: Option<Number>,
    round: Number,
    #[serde(skip_serializing_if = "Option::is_none")]
    misses: Option<Number>,
    classes: Vec<SumShape>,
    variables: Vec<SumShape>,
    transfers: Vec<SumShape>,
    lines: Vec<LineShape>,
    accesses: Vec<AccessShape<'a>>,
    influences: Vec<InfluenceShape<'a>>,
    method: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    simulated: Option<SimulatedShape>,
}

#[derive(Serialize)]
struct SimulatedShape {
    time: Number,
    half_width: Number,
    confidence: f64,
    events: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    agrees: Option<bool>,
}

#[derive(Serialize)]
struct BoundedShape {
    value: Number,
    lo: Number,
    hi: Number,
}

#[derive(Serialize)]
struct SumShape {
    name: String,
    misses: Number,
    accesses: Number,
    share: Number,
}

#[derive(Serialize)]
struct LineShape {
    file: String,
    line: u32,
    misses: Number,
    accesses: Number,
    share: Number,
}

#[derive(Serialize)]
struct AccessShape<'a> {
    process: &'a str,
    variable: &'a str,
    class: &'a str,
    transfer: &'a str,
    distance: u32,
    miss: bool,
    file: &'a str,
    line: u32,
    per_message: Number,
    per_round: Number,
    share: Number,
}

#[derive(Serialize)]
struct InfluenceShape<'a> {
    what: &'a str,
    variable: bool,
    saved: Number,
    part: Number,
}

impl<'a> StudyShape<'a> {
    fn of(report: &'a StudyReport) -> Self {
        StudyShape {
            title: &report.title,
            file: &report.file,
            unit: &report.unit,
            what: &report.what,
            explorations: report.explorations,
            verifications: report.verified.iter().map(verified).collect(),
            configurations: report.configurations.iter().map(configuration).collect(),
        }
    }
}

fn verified(verified: &Verified) -> VerifiedShape<'_> {
    VerifiedShape {
        protocol: &verified.protocol,
        states: verified.states,
        transitions: verified.transitions,
        verdicts: verified.verdicts.iter().map(verdict).collect(),
    }
}

fn verdict(verdict: &Verdict) -> VerdictShape<'_> {
    VerdictShape {
        name: verdict.name,
        statement: &verdict.statement,
        verdict: verdict.holds,
        reason: &verdict.reason,
        steps: verdict.steps.iter().map(step).collect(),
        for_ever: verdict.for_ever.iter().map(step).collect(),
    }
}

fn step(step: &VerdictStep) -> StepShape<'_> {
    StepShape {
        process: &step.process,
        file: &step.place.0,
        line: step.place.1,
        statement: &step.statement,
        what: &step.what,
    }
}

fn configuration(report: &ConfigurationReport) -> ConfigurationShape<'_> {
    ConfigurationShape {
        parameters: report.values.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect(),
        protocol: &report.protocol,
        verification: report.verified,
        performance: report.performance.as_ref().map(performance),
        seconds: report.took.as_secs_f64(),
    }
}

fn bounded([lo, hi]: [f64; 2]) -> BoundedShape {
    BoundedShape { value: Number(volvelle_imc::middle([lo, hi])), lo: Number(lo), hi: Number(hi) }
}

fn sum(sum: Sum) -> SumShape {
    SumShape {
        name: sum.name,
        misses: Number(sum.misses),
        accesses: Number(sum.accesses),
        share: Number(sum.share),
    }
}

fn performance(found: &Performance) -> PerformanceShape<'_> {
    let line = |((file, line), sum): ((String, u32), Sum)| LineShape {
        file,
        line,
        misses: Number(sum.misses),
        accesses: Number(sum.accesses),
        share: Number(sum.share),
    };
    PerformanceShape {
        states: found.states,
        transitions: found.transitions,
        recurrent: found.recurrent,
        ends: found.ends,
        time: bounded(found.latency),
        throughput: bounded(found.throughput),
        bandwidth: found.bandwidth.map(Number),
        round: Number(found.round),
        misses: (!found.is_partial).then(|| Number(found.misses())),
        classes: found.by_class().into_iter().map(sum).collect(),
        variables: found.by_variable().into_iter().map(sum).collect(),
        transfers: found.by_transfer().into_iter().map(sum).collect(),
        lines: found.by_line().into_iter().filter(|((file, _), _)| !file.is_empty()).map(line).collect(),
        accesses: found.accesses.iter().map(access).collect(),
        influences: found.influences.iter().map(influence).collect(),
        method: &found.method,
        simulated: found.simulated.as_ref().map(|found| SimulatedShape {
            time: Number(found.time),
            half_width: Number(found.half_width),
            confidence: found.confidence,
            events: found.events,
            agrees: found.agrees,
        }),
    }
}

fn access(access: &AccessShare) -> AccessShape<'_> {
    AccessShape {
        process: &access.process,
        variable: &access.variable,
        class: &access.class,
        transfer: &access.transfer,
        distance: access.distance,
        miss: access.is_miss,
        file: &access.place.0,
        line: access.place.1,
        per_message: Number(access.per_message),
        per_round: Number(access.per_round),
        share: Number(access.share),
    }
}

fn influence(influence: &Influence) -> InfluenceShape<'_> {
    InfluenceShape {
        what: &influence.what,
        variable: influence.is_variable,
        saved: Number(influence.saved),
        part: Number(influence.part),
    }
}
