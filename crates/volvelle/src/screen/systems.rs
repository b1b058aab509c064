//! Reductions and comparisons of transition systems.

use super::Style;
use super::flow;
use super::format::time;
use volvelle_verify::{CompareReport, ReduceReport, limits};

/// `branching  29 states  54 transitions  7 labels  (0.02 s)`, ending with a newline.
pub fn reduced(found: &ReduceReport, style: Style) -> String {
    let parts = [
        style.bold(found.options.relation.name()),
        limits::counted(found.size.states, "state"),
        limits::counted(found.size.transitions, "transition"),
        limits::counted(found.size.labels, "label"),
        format!("({})", time(found.time)),
    ];
    flow::items("", &parts, "  ", 2, style)
}

/// The verdict, and what tells the systems apart.
pub fn compared(found: &CompareReport, style: Style) -> String {
    let relation = found.options.relation.name();
    let verdict = if found.found.equivalent { "equivalent" } else { "not equivalent" };
    let parts = [
        style.bold(relation),
        if found.found.equivalent { style.good(verdict) } else { style.bad(verdict) },
        format!("({})", time(found.time)),
    ];
    let mut text = flow::items("", &parts, "  ", 2, style);
    let [first, second] = &found.files;
    if let Some(trace) = &found.found.trace {
        let (has, has_not) = if trace.is_of_first { (first, second) } else { (second, first) };
        let labels: Vec<String> = trace.labels.iter().map(|label| format!("\"{label}\"")).collect();
        let labels = if labels.is_empty() { "nothing".to_owned() } else { labels.join(" . ") };
        text.push_str(&format!("  trace of {has}, not of {has_not}:\n    {labels}\n"));
    }
    if let Some(formula) = &found.found.formula {
        text.push_str(&format!("  formula true of {first}, false of {second}:\n    {formula}\n"));
    }
    text
}
