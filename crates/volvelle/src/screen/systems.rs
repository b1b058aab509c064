//! Reductions, comparisons and formulas of transition systems.

use super::flow;
use super::format::time;
use super::{Style, push_line};
use volvelle_verify::{CompareReport, FormulaReport, ReduceReport, SystemPart, limits};

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
        push_line(&mut text, &format!("  trace of {has}, not of {has_not}:"));
        push_line(&mut text, &format!("    {labels}"));
    }
    if let Some(formula) = &found.found.formula {
        push_line(&mut text, &format!("  formula true of {first}, false of {second}:"));
        push_line(&mut text, &format!("    {formula}"));
    }
    text
}

/// The verdict of a formula, and what it rests on.
pub fn formula(found: &FormulaReport, style: Style) -> String {
    let one_line = found.text.split_whitespace().collect::<Vec<_>>().join(" ");
    let verdict = match &found.verdict {
        None => style.doubtful("no verdict"),
        Some(verdict) if verdict.holds => style.good("true"),
        Some(_) => style.bad("false"),
    };
    let parts = [style.bold(&one_line), verdict, format!("({})", time(found.time))];
    let mut text = flow::items("", &parts, "  ", 2, style);
    if let Some(part) = found.verdict.as_ref().and_then(|verdict| verdict.evidence.as_ref()) {
        text.push_str(&shown(part, style));
    }
    text
}

/// Transitions of a trace that are shown.
const SHOWN: usize = 60;

/// Transitions of a part without a shape that a person may look at one by one.
const FEW: usize = 8;

/// A part of a system, a transition on each line.
fn shown(part: &SystemPart, style: Style) -> String {
    if part.transitions.is_empty() {
        return "  rests on the initial state alone\n".to_owned();
    }
    if part.shape == "graph" && part.transitions.len() > FEW {
        let count = limits::count(part.transitions.len() as u64);
        return format!("  rests on {count} transitions, which --json lists\n");
    }
    let what = match part.shape {
        "trace" => "rests on the trace",
        "lasso" => "rests on a trace that goes round for ever",
        _ => "rests on the transitions",
    };
    let mut text = format!("  {what}\n");
    for (place, (source, label, target)) in part.transitions.iter().enumerate().take(SHOWN) {
        if part.cycle_start == Some(place) {
            text.push_str(&format!("    {}\n", style.dim("again and again:")));
        }
        push_line(&mut text, &format!("    {source}  \"{label}\"  {target}"));
    }
    let more = part.transitions.len().saturating_sub(SHOWN);
    if more > 0 {
        text.push_str(&format!("    {} more; all of them with --json\n", limits::count(more as u64)));
    }
    text
}
