//! Throughputs, probabilities over time and first passages as JSON.

use crate::{
    CONFIDENCE, CourseFound, DerivativeReport, LongRunFound, PerformanceReport, Point, SimulatedReport,
};
use serde::Serialize;
use std::collections::BTreeMap;
use volvelle_diagnostics::Sources;
use volvelle_imc::{Extremes, middle};
use volvelle_session::json::Document;
use volvelle_session::json::values::{Number, constant};

/// The answer to `steady`.
pub fn steady<'a>(report: &'a PerformanceReport<LongRunFound>, sources: &'a Sources) -> Document<'a> {
    Document::new(&report.diagnostics, sources).with("performance", of_long_run(report))
}

/// The answer to `transient`.
pub fn transient<'a>(report: &'a PerformanceReport<CourseFound>, sources: &'a Sources) -> Document<'a> {
    Document::new(&report.diagnostics, sources).with("performance", of_course(report))
}

/// The numbers of a system with rates.
#[derive(Serialize)]
pub struct PerformanceShape<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    system: Option<SystemShape<'a>>,
    points: Vec<PointShape<'a>>,
}

#[derive(Serialize)]
struct SystemShape<'a> {
    file: &'a str,
    states: u64,
    transitions: u64,
    tangible: u64,
}

#[derive(Serialize, Default)]
struct PointShape<'a> {
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    constants: BTreeMap<&'a str, serde_json::Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    throughputs: Option<BTreeMap<&'a str, Bounded>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    extremes: Option<BTreeMap<&'a str, ExtremesShape>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    components: Option<Vec<ComponentShape>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    states: Option<Vec<StateShape>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    moments: Option<Vec<MomentShape<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    passage: Option<PassageShape>,
    #[serde(skip_serializing_if = "Option::is_none")]
    passage_extremes: Option<PassageExtremesShape>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    derivatives: Vec<DerivativeShape<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    simulated: Vec<SimulatedShape<'a>>,
    method: &'a str,
    stop: &'static str,
    seconds: f64,
}

#[derive(Serialize)]
struct Bounded {
    value: Number,
    lo: Number,
    hi: Number,
}

#[derive(Serialize)]
struct ExtremesShape {
    min: Bounded,
    max: Bounded,
}

#[derive(Serialize)]
struct PassageExtremesShape {
    mean: ExtremesShape,
    ever: ExtremesShape,
    within: Vec<WithinExtremesShape>,
}

#[derive(Serialize)]
struct WithinExtremesShape {
    time: Number,
    #[serde(flatten)]
    extremes: ExtremesShape,
}

#[derive(Serialize)]
struct ComponentShape {
    states: u64,
    first: u32,
    probability: Bounded,
}

#[derive(Serialize)]
struct StateShape {
    number: u32,
    #[serde(flatten)]
    probability: Bounded,
}

#[derive(Serialize)]
struct MomentShape<'a> {
    time: Number,
    throughputs: BTreeMap<&'a str, Bounded>,
    #[serde(skip_serializing_if = "Option::is_none")]
    counts: Option<BTreeMap<&'a str, Bounded>>,
    states: Vec<StateShape>,
}

#[derive(Serialize)]
struct PassageShape {
    mean: Bounded,
    ever: Bounded,
    within: Vec<WithinShape>,
}

#[derive(Serialize)]
struct WithinShape {
    time: Number,
    #[serde(flatten)]
    probability: Bounded,
}

#[derive(Serialize)]
struct DerivativeShape<'a> {
    of: &'a str,
    with_respect_to: &'a str,
    #[serde(flatten)]
    value: Bounded,
}

#[derive(Serialize)]
struct SimulatedShape<'a> {
    quantity: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    action: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    time: Option<&'a str>,
    confidence: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    interval: Option<[f64; 2]>,
}

impl From<[f64; 2]> for Bounded {
    fn from(bounds: [f64; 2]) -> Self {
        Bounded { value: Number(middle(bounds)), lo: Number(bounds[0]), hi: Number(bounds[1]) }
    }
}

impl From<&Extremes> for ExtremesShape {
    fn from(extremes: &Extremes) -> Self {
        ExtremesShape { min: extremes.least.into(), max: extremes.greatest.into() }
    }
}

impl<'a> PointShape<'a> {
    fn of<T>(point: &'a Point<T>) -> Self {
        let constants = point.constants.iter().map(|c| (c.name.as_str(), constant(&c.value)));
        let derivative = |one: &'a DerivativeReport| DerivativeShape {
            of: &one.of,
            with_respect_to: &one.with_respect_to,
            value: one.bounds.into(),
        };
        let simulated = |one: &'a SimulatedReport| SimulatedShape {
            quantity: one.quantity,
            action: one.action.as_deref(),
            time: one.time.as_deref(),
            confidence: CONFIDENCE,
            interval: one.interval,
        };
        PointShape {
            constants: constants.collect(),
            derivatives: point.derivatives.iter().map(derivative).collect(),
            simulated: point.simulated.iter().map(simulated).collect(),
            seconds: point.took.as_secs_f64(),
            ..PointShape::default()
        }
    }
}

fn system<T>(report: &PerformanceReport<T>) -> Option<SystemShape<'_>> {
    report.system.as_ref().map(|system| SystemShape {
        file: &system.file,
        states: system.states,
        transitions: system.transitions,
        tangible: system.tangible.len() as u64,
    })
}

/// Probabilities of states, by their numbers.
fn states(tangible: &[u32], probabilities: &[[f64; 2]]) -> Vec<StateShape> {
    let pairs = tangible.iter().zip(probabilities);
    pairs.map(|(&number, &bounds)| StateShape { number, probability: bounds.into() }).collect()
}

/// The answer to `steady`.
pub fn of_long_run(report: &PerformanceReport<LongRunFound>) -> PerformanceShape<'_> {
    let tangible = report.system.as_ref().map_or(&[][..], |system| &system.tangible);
    let point = |point| -> PointShape<'_> {
        let shape = PointShape::of(point);
        match &point.found {
            LongRunFound::Steady(steady) => {
                let throughputs = steady.throughputs.iter().map(|a| (a.action.as_str(), a.bounds.into()));
                let component = |c: &volvelle_imc::BottomComponent| ComponentShape {
                    states: c.members.len() as u64,
                    first: c.members.first().map_or(0, |&place| tangible[place as usize]),
                    probability: c.probability.into(),
                };
                PointShape {
                    throughputs: Some(throughputs.collect()),
                    components: Some(steady.components.iter().map(component).collect()),
                    states: steady.probabilities.as_deref().map(|all| states(tangible, all)),
                    method: &steady.method,
                    stop: steady.stop.name(),
                    ..shape
                }
            }
            LongRunFound::Extremes(found) => {
                let extremes = found.throughputs.iter().map(|(action, e)| (action.as_str(), e.into()));
                let (method, stop) = (&found.method, found.stop.name());
                PointShape { extremes: Some(extremes.collect()), method, stop, ..shape }
            }
        }
    };
    PerformanceShape { system: system(report), points: report.points.iter().map(point).collect() }
}

/// The answer to `transient`.
pub fn of_course(report: &PerformanceReport<CourseFound>) -> PerformanceShape<'_> {
    let tangible = report.system.as_ref().map_or(&[][..], |system| &system.tangible);
    let by_action = |all: &[[f64; 2]]| -> BTreeMap<&str, Bounded> {
        report.actions.iter().map(String::as_str).zip(all.iter().map(|bounds| (*bounds).into())).collect()
    };
    let point = |point| -> PointShape<'_> {
        let mut shape = PointShape::of(point);
        let found: &CourseFound = &point.found;
        if let Some(transient) = &found.transient {
            let moments = transient.moments.iter().map(|moment| MomentShape {
                time: Number(moment.time),
                throughputs: by_action(&moment.throughputs),
                counts: moment.counts.as_deref().map(by_action),
                states: states(tangible, &moment.probabilities),
            });
            shape.moments = Some(moments.collect());
            (shape.method, shape.stop) = (&transient.method, transient.stop.name());
        }
        if let Some(passage) = &found.passage {
            let within = report.times.iter().zip(&passage.within);
            let within = within.map(|((_, time), bounds)| WithinShape {
                time: Number(*time),
                probability: (*bounds).into(),
            });
            let within = within.collect();
            shape.passage =
                Some(PassageShape { mean: passage.mean.into(), ever: passage.ever.into(), within });
            (shape.method, shape.stop) = (&passage.method, passage.stop.name());
        }
        if let Some(found) = &found.passage_extremes {
            let within = report.times.iter().zip(&found.within);
            let within = within.map(|((_, time), extremes)| WithinExtremesShape {
                time: Number(*time),
                extremes: extremes.into(),
            });
            let (mean, ever) = ((&found.mean).into(), (&found.ever).into());
            shape.passage_extremes = Some(PassageExtremesShape { mean, ever, within: within.collect() });
            (shape.method, shape.stop) = (&found.method, found.stop.name());
        }
        shape
    };
    PerformanceShape { system: system(report), points: report.points.iter().map(point).collect() }
}
