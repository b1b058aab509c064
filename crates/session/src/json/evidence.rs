//! Witnesses and counterexamples as JSON.

use super::values::Number;
use crate::evidence::{
    CommandReport, DecisionReport, Evidence, MemoryReport, SchedulerReport, StepReport, SubsystemReport,
};
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
    #[serde(skip_serializing_if = "Vec::is_empty")]
    commands: Vec<CommandShape<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    probability: Option<f64>,
}

/// A command of the model.
#[derive(Serialize)]
struct CommandShape<'a> {
    module: &'a str,
    file: &'a str,
    line: usize,
    command: &'a str,
}

/// A scheduler: what it does where there are several choices.
#[derive(Serialize)]
pub struct SchedulerShape<'a> {
    optimum: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    lo: Option<Number>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hi: Option<Number>,
    states: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    memory: Option<MemoryShape>,
    deciding: u64,
    decisions: Vec<DecisionShape<'a>>,
}

#[derive(Serialize)]
struct MemoryShape {
    kind: &'static str,
    count: u32,
    initial: u32,
}

#[derive(Serialize)]
struct DecisionShape<'a> {
    number: u32,
    state: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    memory: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    probability: Option<f64>,
    choice: u32,
    of: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    action: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    commands: Vec<CommandShape<'a>>,
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
            commands: step.commands.iter().map(CommandShape::of).collect(),
            probability: step.probability,
        }
    }
}

impl<'a> CommandShape<'a> {
    fn of(command: &'a CommandReport) -> Self {
        let CommandReport { module, file, line, text } = command;
        CommandShape { module, file, line: *line, command: text }
    }
}

impl<'a> SchedulerShape<'a> {
    /// Of a property for which one was asked.
    pub fn of(scheduler: &'a SchedulerReport) -> Self {
        let decision = |decision: &'a DecisionReport| DecisionShape {
            number: decision.number,
            state: &decision.state,
            memory: decision.memory.as_deref(),
            probability: decision.probability,
            choice: decision.choice,
            of: decision.of,
            action: decision.action.as_deref(),
            commands: decision.commands.iter().map(CommandShape::of).collect(),
        };
        SchedulerShape {
            optimum: scheduler.optimum,
            lo: scheduler.bounds.map(|[lo, _]| Number(lo)),
            hi: scheduler.bounds.map(|[_, hi]| Number(hi)),
            states: scheduler.states,
            memory: (scheduler.memory.as_ref())
                .map(|&MemoryReport { kind, count, initial, .. }| MemoryShape { kind, count, initial }),
            deciding: scheduler.deciding,
            decisions: scheduler.decisions.iter().map(decision).collect(),
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
