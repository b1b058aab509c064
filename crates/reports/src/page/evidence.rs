//! The most probable path, and critical subsystems.

use super::markup::{escaped, table};
use crate::screen::format::{count, number};
use volvelle_session::evidence::{CommandReport, Evidence, PathReport, SchedulerReport, SubsystemReport};

/// Rows of a table that are shown.
const MOST_ROWS: usize = 500;

/// The evidence of an answer; empty where there is none.
pub fn section(evidence: &Evidence) -> String {
    let mut out = String::new();
    if let Some(found) = &evidence.path {
        let what =
            if evidence.against { "Counterexample, the most probable path" } else { "Most probable path" };
        let whither = if found.negated { " to where the formula fails" } else { "" };
        let probability = match found.probability {
            0.0 => format!("1e{:.2}", found.log10),
            p => number(p, 0.0),
        };
        out.push_str(&format!(
            "<h4>{what}{whither}</h4>\n<p>Its probability is {probability}.</p>\n{}",
            path(found)
        ));
    }
    if let Some(part) = &evidence.subsystem {
        out.push_str(&subsystem(part));
    }
    if let Some(found) = &evidence.scheduler {
        out.push_str(&scheduler(found));
    }
    out
}

/// Commands as they stand in the model, each with its place.
fn commands(commands: &[CommandReport]) -> String {
    let has_several = commands.len() > 1;
    let shown = commands.iter().map(|command| {
        let module = if has_several { format!("{}: ", command.module) } else { String::new() };
        let place = format!("{}:{}", command.file, command.line);
        format!(
            "{}{} <span class=\"faint\">{}</span>",
            escaped(&module),
            escaped(&command.text),
            escaped(&place)
        )
    });
    shown.collect::<Vec<_>>().join("<br/>")
}

/// What a scheduler does where there are several choices.
fn scheduler(found: &SchedulerReport) -> String {
    let about = match &found.memory {
        None => {
            let verb = if found.deciding == 1 { "has" } else { "have" };
            format!("{} of {} states {verb} several choices.", count(found.deciding), count(found.states))
        }
        Some(memory) => {
            let memory = format!("Memory: {}, {} at first.", memory.what, memory.initial);
            format!("{memory} {} decisions in states with several choices.", count(found.deciding))
        }
    };
    let mut out = format!("<h4>Scheduler ({})</h4>\n<p>{}</p>\n", found.optimum, escaped(&about));
    if found.decisions.is_empty() {
        return out;
    }
    let rows = found.decisions.iter().take(MOST_ROWS).map(|decision| {
        let text = match decision.commands.is_empty() {
            true => escaped(&decision.text()),
            false => commands(&decision.commands),
        };
        let choice = format!("{} of {}", decision.choice + 1, decision.of);
        let action = decision.action.as_ref().map_or(String::new(), |action| format!("[{action}]"));
        let mut cells = vec![decision.number.to_string(), escaped(&decision.state)];
        if found.memory.is_some() {
            cells.push(decision.memory.as_deref().map_or(String::new(), escaped));
            cells.push(number(decision.probability.unwrap_or(1.0), 0.0));
        }
        cells.extend([choice, escaped(&action), text]);
        cells
    });
    let heads: &[&str] = match found.memory {
        None => &["number", "state", "choice", "action", "command"],
        Some(_) => &["number", "state", "memory", "probability", "choice", "action", "command"],
    };
    out.push_str(&table("states", heads, rows));
    out.push_str(&more(found.deciding as usize, "states"));
    out
}

fn path(path: &PathReport) -> String {
    let has_actions = path.steps.iter().any(|step| step.action.is_some() || step.choice.is_some());
    let rows = path.steps.iter().take(MOST_ROWS).enumerate().map(|(i, step)| {
        let before = i.checked_sub(1).and_then(|before| path.steps.get(before));
        let probability = before.and_then(|step| step.probability).map_or(String::new(), |p| number(p, 0.0));
        let action = before.map_or(String::new(), |step| match step.commands.is_empty() {
            true => escaped(&step.title()),
            false => commands(&step.commands),
        });
        let mut cells = vec![i.to_string(), probability, action, escaped(&step.state)];
        if !has_actions {
            cells.remove(2);
        }
        cells
    });
    let heads: &[&str] = match has_actions {
        true => &["step", "probability", "command", "state"],
        false => &["step", "probability", "state"],
    };
    let mut out = table("steps", heads, rows);
    out.push_str(&more(path.steps.len(), "steps"));
    out
}

fn subsystem(part: &SubsystemReport) -> String {
    let [lo, hi] = part.bounds;
    let mut out = format!(
        "<h4>Critical subsystem</h4>\n<p>{} of {} states suffice: within them the probability is {} &gt; {}.</p>\n",
        count(part.states.len() as u64),
        count(part.of),
        number(lo + 0.5 * (hi - lo), 0.5 * (hi - lo)),
        number(part.threshold, 0.0),
    );
    let rows = part.states.iter().take(MOST_ROWS);
    out.push_str(&table(
        "states",
        &["number", "state"],
        rows.map(|(number, state)| vec![number.to_string(), escaped(state)]),
    ));
    out.push_str(&more(part.states.len(), "states"));
    out
}

/// A remark that a table does not show all.
pub fn more(all: usize, what: &str) -> String {
    match all.saturating_sub(MOST_ROWS) {
        0 => String::new(),
        n => format!("<p class=\"faint\">{} more {what} are not shown.</p>\n", count(n as u64)),
    }
}

/// The first rows of a table, as many as [`more`] supposes.
pub fn first<T>(all: &[T]) -> &[T] {
    &all[..all.len().min(MOST_ROWS)]
}
