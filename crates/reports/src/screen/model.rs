//! The line about the state space.

use super::format::{bytes_short, count, kind, time};
use super::{Style, flow};
use volvelle_session::limits::counted;
use volvelle_session::report::ModelReport;

/// The line about a model; with details if `verbose`.
pub fn head(model: &ModelReport, verbose: bool, style: Style) -> String {
    let mut text = line(model, style);
    if verbose {
        text.push_str(&details(model, style));
    }
    text
}

/// `cluster.prism  CTMC  151,060 states  733,216 transitions  (0.02 s)`, ending with a newline.
fn line(model: &ModelReport, style: Style) -> String {
    let mut parts = vec![style.bold(&model.file), kind(&model.kind).to_owned()];
    if !model.constants.is_empty() {
        let constants: Vec<String> = model.constants.iter().map(|constant| constant.to_string()).collect();
        parts.push(constants.join(","));
    }
    parts.push(counted(model.states, if model.is_product { "product state" } else { "state" }));
    if let Some(choices) = model.choices {
        parts.push(counted(choices, "choice"));
    }
    parts.push(counted(model.transitions, "transition"));
    parts.extend(model.first_of.map(|searches| format!("in the first of {searches} searches")));
    if let Some(unexpanded) = model.unexpanded {
        parts.push(format!("{} not expanded", count(unexpanded)));
    }
    if let Some(initial) = model.initial_states.filter(|&n| n > 1) {
        parts.push(counted(initial, "initial state"));
    }
    if !model.complete && !model.ended_by_error {
        parts.push(style.doubtful("stopped before all states were found"));
    }
    parts.push(style.dim(&format!("({})", time(model.time))));
    flow::items("", &parts, "  ", 2, style)
}

/// The cost of the state space; a line, ending with a newline.
fn details(model: &ModelReport, style: Style) -> String {
    let mut parts = vec![
        format!("{} bits per state", model.bits),
        format!("{} in memory", bytes_short(model.bytes)),
        model.tier.to_string(),
    ];
    if let Some(deadlocks) = model.deadlocks.filter(|&n| n > 0) {
        parts.push(format!("{} without transitions", count(deadlocks)));
    }
    flow::text("  ", &style.dim(&parts.join(style.separator())), 4, style)
}
