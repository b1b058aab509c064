//! Witnesses and counterexamples as JSON.

use super::values::Number;
use crate::evidence::{Evidence, StepReport, SubsystemReport};
use serde::Serialize;

/// A path with, for a counterexample, the states that suffice.
#[derive(Serialize)]
pub struct EvidenceShape<'a> {
    probability: f64,
    log10_probability: Number,
    steps: Vec<StepShape<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    further: Vec<FurtherShape<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    paths_together: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    subsystem: Option<SubsystemShape<'a>>,
}

/// Another path.
#[derive(Serialize)]
struct FurtherShape<'a> {
    probability: f64,
    log10_probability: Number,
    steps: Vec<StepShape<'a>>,
}

#[derive(Serialize)]
struct StepShape<'a> {
    number: u32,
    state: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    action: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    choice: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    probability: Option<f64>,
}

#[derive(Serialize)]
struct SubsystemShape<'a> {
    threshold: f64,
    lo: f64,
    hi: f64,
    states: Vec<MemberShape<'a>>,
}

#[derive(Serialize)]
struct MemberShape<'a> {
    number: u32,
    state: &'a str,
}

impl<'a> EvidenceShape<'a> {
    /// Of a property with a path.
    pub fn of(evidence: &'a Evidence) -> Option<Self> {
        let path = evidence.path.as_ref()?;
        Some(EvidenceShape {
            probability: path.probability,
            log10_probability: Number(path.log10),
            steps: path.steps.iter().map(StepShape::of).collect(),
            further: (evidence.further.iter())
                .map(|path| FurtherShape {
                    probability: path.probability,
                    log10_probability: Number(path.log10),
                    steps: path.steps.iter().map(StepShape::of).collect(),
                })
                .collect(),
            paths_together: (!evidence.further.is_empty()).then(|| evidence.paths_together()),
            subsystem: evidence.subsystem.as_ref().map(SubsystemShape::of),
        })
    }
}

impl<'a> StepShape<'a> {
    fn of(step: &'a StepReport) -> Self {
        StepShape {
            number: step.number,
            state: &step.state,
            action: step.action.as_deref(),
            choice: step.choice,
            probability: step.probability,
        }
    }
}

impl<'a> SubsystemShape<'a> {
    fn of(part: &'a SubsystemReport) -> Self {
        let [lo, hi] = part.bounds;
        let member = |(number, state): &'a (u32, String)| MemberShape { number: *number, state };
        SubsystemShape { threshold: part.threshold, lo, hi, states: part.states.iter().map(member).collect() }
    }
}
