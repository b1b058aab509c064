//! Paths of models of probabilities as JSON.

use crate::{PathEnd, PathMoved, PathPlan, PathStep, PathValue, Total, VariableChange};
use serde::Serialize;
use volvelle_diagnostics::{Diagnostic, Sources};
use volvelle_session::json::Document;
use volvelle_session::json::values::Number;
use volvelle_session::trace::VariableValue;

/// The answer to `trace`: the states of a path in their order, and why it ends (`None`: it was cut short).
pub fn of_path<'a>(
    file: &'a str,
    plan: &'a PathPlan,
    steps: &'a [PathStep],
    end: Option<&'a PathEnd>,
    complaints: &'a [Diagnostic],
    sources: &'a Sources,
) -> Document<'a> {
    let document = Document::new(complaints, sources).of_file(file, Some(plan.kind().into()));
    document.with("path", PathShape::of(plan, steps, end))
}

/// A path.
#[derive(Serialize)]
struct PathShape<'a> {
    seed: u64,
    path: u64,
    generator: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    scheduler: Option<&'a str>,
    timed: bool,
    end: &'static str,
    reason: String,
    steps: Vec<StepShape<'a>>,
}

#[derive(Serialize)]
struct StepShape<'a> {
    step: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    time: Option<Number>,
    #[serde(skip_serializing_if = "Option::is_none")]
    action: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    commands: Vec<CommandShape<'a>>,
    changes: Vec<ChangeShape<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    rewards: Vec<RewardShape<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    decided: Vec<DecidedShape<'a>>,
}

#[derive(Serialize)]
struct CommandShape<'a> {
    module: &'a str,
    line: usize,
    update: &'a str,
}

#[derive(Serialize)]
struct ChangeShape<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<serde_json::Value>,
    after: serde_json::Value,
}

#[derive(Serialize)]
struct RewardShape<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    state: Option<Number>,
    #[serde(skip_serializing_if = "Option::is_none")]
    step: Option<Number>,
    #[serde(skip_serializing_if = "Option::is_none")]
    total: Option<Number>,
}

#[derive(Serialize)]
struct DecidedShape<'a> {
    property: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    value: ValueShape,
}

#[derive(Serialize)]
#[serde(untagged)]
enum ValueShape {
    Truth(bool),
    Number(Number),
}

impl<'a> PathShape<'a> {
    /// Of a path; without an end it was cut short.
    fn of(plan: &'a PathPlan, steps: &'a [PathStep], end: Option<&'a PathEnd>) -> Self {
        let tracing = plan.tracing();
        PathShape {
            seed: tracing.seed,
            path: tracing.path,
            generator: tracing.generator.to_string(),
            scheduler: plan.choices(),
            timed: plan.is_timed(),
            end: match end {
                Some(PathEnd::Decided) => "decided",
                Some(PathEnd::Met) => "condition",
                Some(PathEnd::Deadlock) => "deadlock",
                Some(PathEnd::Loop) => "loop",
                Some(PathEnd::Failed(_)) => "error",
                None => "stopped",
            },
            reason: end.map_or_else(|| "more steps are possible".to_owned(), PathEnd::message),
            steps: steps.iter().map(|step| StepShape::of(plan, step)).collect(),
        }
    }
}

impl<'a> StepShape<'a> {
    fn of(plan: &'a PathPlan, step: &'a PathStep) -> Self {
        let moved = step.moved.as_ref();
        let rewards = plan.rewards().zip(&step.rewards);
        StepShape {
            step: step.number,
            time: step.time.map(Number),
            action: moved.map(|moved| moved.action.as_str()).filter(|action| !action.is_empty()),
            commands: moved.map_or(Vec::new(), commands),
            changes: step.changes.iter().map(change).collect(),
            rewards: rewards.map(|(name, total)| reward(step.number, name, total)).collect(),
            decided: step
                .decided
                .iter()
                .map(|decided| {
                    let followed = &plan.followed()[decided.property];
                    DecidedShape {
                        property: &followed.text,
                        name: followed.name.as_deref(),
                        value: match decided.value {
                            PathValue::Truth(truth) => ValueShape::Truth(truth),
                            PathValue::Number(number) => ValueShape::Number(Number(number)),
                        },
                    }
                })
                .collect(),
        }
    }
}

fn commands(moved: &PathMoved) -> Vec<CommandShape<'_>> {
    let commands = moved.commands.iter();
    commands.map(|c| CommandShape { module: &c.module, line: c.line, update: &c.update }).collect()
}

fn change(change: &VariableChange) -> ChangeShape<'_> {
    let before = change.before.as_ref().map(value);
    ChangeShape { name: &change.name, before, after: value(&change.after) }
}

fn value(value: &VariableValue) -> serde_json::Value {
    match value {
        VariableValue::Bool(truth) => (*truth).into(),
        VariableValue::Int(number) => (*number).into(),
        VariableValue::Text(text) => text.as_str().into(),
    }
}

fn reward<'a>(number: u32, name: Option<&'a str>, total: &Total) -> RewardShape<'a> {
    RewardShape {
        name,
        state: total.state.map(Number),
        step: total.step.filter(|_| number > 0).map(Number),
        total: total.total.map(Number),
    }
}
