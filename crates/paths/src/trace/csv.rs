//! A path as CSV (RFC 4180): a line for each state.
//!
//! Columns: `step`; `time`, where times are drawn; `action` and `modules` of the step to the state; the variables; for every
//! reward structure what was earned up to there; for every property its value, in the line of the state that decides it.

use super::plan::PathPlan;
use super::step::{PathStep, PathValue};
use volvelle_session::csv::{line, number};

/// The heads of the columns.
pub fn header(plan: &PathPlan) -> String {
    let mut cells = vec!["step".to_owned()];
    cells.extend(plan.is_timed().then(|| "time".to_owned()));
    cells.extend(["action".to_owned(), "modules".to_owned()]);
    cells.extend(plan.variables().map(str::to_owned));
    cells.extend(plan.rewards().enumerate().map(|(i, name)| match name {
        Some(name) => format!("reward {name}"),
        None => format!("reward {}", i + 1),
    }));
    cells.extend(plan.followed().iter().map(|followed| followed.title().to_owned()));
    let mut out = String::new();
    line(&mut out, &cells);
    out
}

/// The line of a state.
pub fn row(plan: &PathPlan, step: &PathStep) -> String {
    let mut cells = vec![step.number.to_string()];
    cells.extend(step.time.map(number));
    let moved = step.moved.as_ref();
    let modules = moved.map(|m| m.commands.iter().map(|c| c.module.as_str()).collect::<Vec<_>>().join(" "));
    cells.extend([moved.map_or(String::new(), |m| m.action.clone()), modules.unwrap_or_default()]);
    cells.extend(step.state.iter().map(|value| value.to_string()));
    cells.extend(step.rewards.iter().map(|total| total.total.map_or(String::new(), number)));
    for property in 0..plan.followed().len() {
        let decided = step.decided.iter().find(|d| d.property == property);
        cells.push(decided.map_or(String::new(), |d| match d.value {
            PathValue::Truth(truth) => truth.to_string(),
            PathValue::Number(value) => number(value),
        }));
    }
    let mut out = String::new();
    line(&mut out, &cells);
    out
}
