//! Counterexamples of Promela models as JSON.

use crate::trace::{Actor, Counterexample, Standing, TraceStep, TrailLength, VariableValue};
use serde::Serialize;

/// A run.
#[derive(Serialize)]
pub struct RunShape<'a> {
    reason: &'a str,
    steps: Vec<StepShape<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cycle_start: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    omitted: Option<OmittedShape>,
    #[serde(skip_serializing_if = "Option::is_none")]
    shortest: Option<bool>,
    end: Vec<StandingShape<'a>>,
}

#[derive(Serialize)]
struct OmittedShape {
    after: usize,
    steps: u64,
}

#[derive(Serialize)]
struct StepShape<'a> {
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    actor: Option<ActorShape<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    partner: Option<ActorShape<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<MessageShape<'a>>,
    changes: Vec<ChangeShape<'a>>,
    #[serde(skip_serializing_if = "str::is_empty")]
    printed: &'a str,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    atomic: bool,
}

#[derive(Serialize)]
struct ActorShape<'a> {
    process: usize,
    name: &'a str,
    line: usize,
    statement: &'a str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    through: Vec<CallShape<'a>>,
}

#[derive(Serialize)]
struct CallShape<'a> {
    name: &'a str,
    line: usize,
}

#[derive(Serialize)]
struct MessageShape<'a> {
    kind: &'static str,
    channel: &'a str,
    values: Vec<serde_json::Value>,
}

#[derive(Serialize)]
struct ChangeShape<'a> {
    name: &'a str,
    before: serde_json::Value,
    after: serde_json::Value,
}

#[derive(Serialize)]
struct StandingShape<'a> {
    process: usize,
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    statement: Option<&'a str>,
    may_stay: bool,
}

impl<'a> RunShape<'a> {
    /// Of a run that violates a property.
    pub fn of(example: &'a Counterexample) -> Self {
        RunShape {
            reason: &example.reason,
            steps: example.steps.iter().map(StepShape::of).collect(),
            cycle_start: example.cycle_start,
            omitted: example.omitted.map(|o| OmittedShape { after: o.after, steps: o.steps }),
            shortest: match example.length {
                TrailLength::Unsaid => None,
                TrailLength::Shortest => Some(true),
                TrailLength::Unknown(_) => Some(false),
            },
            end: example.end.iter().map(StandingShape::of).collect(),
        }
    }
}

impl<'a> StepShape<'a> {
    fn of(step: &'a TraceStep) -> Self {
        StepShape {
            actor: step.actor.as_ref().map(ActorShape::of),
            partner: step.partner.as_ref().map(ActorShape::of),
            message: step.message.as_ref().map(|m| MessageShape {
                kind: m.moved.name(),
                channel: &m.channel,
                values: m.values.iter().map(value).collect(),
            }),
            changes: (step.changes.iter())
                .map(|c| ChangeShape { name: &c.name, before: value(&c.before), after: value(&c.after) })
                .collect(),
            printed: &step.printed,
            atomic: step.atomic,
        }
    }
}

impl<'a> ActorShape<'a> {
    fn of(actor: &'a Actor) -> Self {
        let call = |(name, line): &'a (String, usize)| CallShape { name, line: *line };
        ActorShape {
            process: actor.process,
            name: &actor.name,
            line: actor.at.line,
            statement: &actor.at.text,
            through: actor.at.through.iter().map(call).collect(),
        }
    }
}

impl<'a> StandingShape<'a> {
    fn of(standing: &'a Standing) -> Self {
        StandingShape {
            process: standing.process,
            name: &standing.name,
            line: standing.at.as_ref().map(|at| at.line),
            statement: standing.at.as_ref().map(|at| at.text.as_str()),
            may_stay: standing.is_end,
        }
    }
}

/// Numbers as numbers, everything else as text.
fn value(value: &VariableValue) -> serde_json::Value {
    match value {
        VariableValue::Int(number) => (*number).into(),
        other => other.to_string().into(),
    }
}
