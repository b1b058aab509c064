//! Paths and critical subsystems on the screen.

use super::flow::Lines;
use super::format::{count, number};
use super::{Style, flow};
use volvelle_session::evidence::{
    DecisionReport, Evidence, MemoryReport, PathReport, SchedulerReport, StepReport, SubsystemReport,
};
use volvelle_session::limits::counted;

/// Steps of a path, and states of a subsystem, that are shown without `-v`.
const SHOWN: usize = 20;

/// The evidence shown below an answer; empty where there is none.
pub fn block(evidence: &Evidence, verbose: bool, indent: &str, style: Style) -> String {
    let mut out = String::new();
    if let Some(found) = &evidence.path {
        out.push_str(&paragraph(&title(found, evidence.against), indent, style));
        out.push_str(&steps(found, verbose, indent, style));
    }
    for (i, path) in evidence.further.iter().enumerate() {
        let place = count(i as u64 + 2);
        out.push_str(&paragraph(&format!("path {place}: {}", measures(path)), indent, style));
        out.push_str(&steps(path, verbose, indent, style));
    }
    if !evidence.further.is_empty() {
        let paths = count(evidence.further.len() as u64 + 1);
        let together = number(evidence.paths_together(), 0.0);
        let text = format!("the {paths} paths together: probability {together}");
        out.push_str(&paragraph(&text, indent, style));
    }
    if let Some(part) = &evidence.subsystem {
        out.push_str(&subsystem(part, verbose, indent, style));
    }
    if let Some(found) = &evidence.scheduler {
        out.push_str(&scheduler(found, verbose, indent, style));
    }
    out
}

/// A text behind an empty line.
fn paragraph(text: &str, indent: &str, style: Style) -> String {
    format!("\n{}", flow::text(indent, text, indent.len() + 2, style))
}

/// `most probable path: 3 steps, probability 0.125`
fn title(path: &PathReport, against: bool) -> String {
    let what = if against { "counterexample, the most probable path" } else { "most probable path" };
    let whither = if path.negated { " to where the formula fails" } else { "" };
    format!("{what}{whither}: {}", measures(path))
}

/// `3 steps, probability 0.125`
fn measures(path: &PathReport) -> String {
    let length = counted(path.steps.len() as u64 - 1, "step");
    let probability = match path.probability {
        0.0 => format!("1e{:.2}", path.log10),
        p => number(p, 0.0),
    };
    format!("{length}, probability {probability}")
}

fn steps(path: &PathReport, verbose: bool, indent: &str, style: Style) -> String {
    // The probability and the action that lead to a state stand before it.
    let reached: Vec<(String, String, &StepReport)> = (0..path.steps.len())
        .map(|i| match i.checked_sub(1).map(|before| &path.steps[before]) {
            None => (String::new(), String::new(), &path.steps[i]),
            Some(before) => {
                (before.probability.map_or(String::new(), |p| number(p, 0.0)), before.title(), &path.steps[i])
            }
        })
        .collect();
    let wide = |f: &dyn Fn(&(String, String, &StepReport)) -> usize| reached.iter().map(f).max().unwrap_or(0);
    let (first, second) = (wide(&|r| r.0.chars().count()), wide(&|r| r.1.chars().count()));
    let line = |(probability, action, step): &(String, String, &StepReport)| {
        let action = if second == 0 { String::new() } else { format!("{action:<second$}  ") };
        let start = format!("{indent}  {probability:<first$}  {action}");
        flow::text(&start, &step.state, flow::columns(&start), style)
    };
    if verbose || reached.len() <= SHOWN {
        return reached.iter().map(line).collect();
    }
    let half = SHOWN / 2;
    let left_out = count((reached.len() - 2 * half) as u64);
    let gap = format!("{indent}  {}\n", style.dim(&format!("... {left_out} more (-v shows all)")));
    let (head, tail) = (&reached[..half], &reached[reached.len() - half..]);
    head.iter().map(line).chain([gap]).chain(tail.iter().map(line)).collect()
}

/// Narrowest column of commands.
const NARROWEST: usize = 32;

/// Widest column of states beside the commands of a scheduler.
const WIDEST_STATE: usize = 40;

/// What a scheduler does: the state, the command, and where it stands in the model.
fn scheduler(found: &SchedulerReport, verbose: bool, indent: &str, style: Style) -> String {
    let (states, deciding) = (counted(found.states, "state"), count(found.deciding));
    let text = match (found.deciding, &found.memory) {
        (decisions, Some(memory)) => remembering(found, decisions, memory),
        (0, None) => format!("scheduler ({}): there is no choice to make in {states}", found.optimum),
        (1, None) => {
            format!("scheduler ({}): 1 of {states} has several choices; there it takes", found.optimum)
        }
        (_, None) => format!(
            "scheduler ({}): {deciding} of {states} have several choices; there it takes",
            found.optimum
        ),
    };
    let mut out = paragraph(&text, indent, style);
    let shown = if verbose { found.decisions.len() } else { SHOWN.min(found.decisions.len()) };
    let decisions = &found.decisions[..shown];
    let state = |decision: &DecisionReport| match &decision.memory {
        Some(memory) => format!("{}, {memory}", decision.state),
        None => decision.state.clone(),
    };
    let widest = decisions.iter().map(|d| state(d).chars().count()).max().unwrap_or(0).min(WIDEST_STATE);
    for decision in decisions {
        let mut line = Lines::new(&format!("{indent}  "), indent.len() + 4, style);
        line.item("", &format!("{:<widest$}", state(decision)));
        if let Some(probability) = decision.probability {
            line.item("   ", &number(probability, 0.0));
        }
        line.column("   ", NARROWEST);
        line.words("   ", &decision.text());
        line.item("   ", &style.dim(&decision.place()));
        out.push_str(&line.finish());
    }
    let left = found.deciding - shown as u64;
    if left > 0 {
        let all = if verbose { "the file lists all" } else { "-v shows more, the file lists all" };
        let more = style.dim(&format!("... {} more ({all})", count(left)));
        out.push_str(&flow::text(&format!("{indent}  "), &more, indent.len() + 4, style));
    }
    out
}

/// `scheduler (max) with memory (the steps that are left, 5 at first): 7 decisions in states with several choices; there it takes`
fn remembering(found: &SchedulerReport, decisions: u64, memory: &MemoryReport) -> String {
    let optimum = found.optimum;
    let what = match memory.kind {
        "none" => "that draws choices by chance".to_owned(),
        "steps-left" => format!("with memory ({}, {} at first)", memory.what, count(memory.initial.into())),
        _ => format!("with {} memories ({})", count(memory.count.into()), memory.what),
    };
    match decisions {
        0 => format!("scheduler ({optimum}) {what}: there is no choice to make where it leads"),
        1 => {
            format!("scheduler ({optimum}) {what}: 1 decision in states with several choices; there it takes")
        }
        _ => {
            let decisions = count(decisions);
            format!(
                "scheduler ({optimum}) {what}: {decisions} decisions in states with several choices; there it takes"
            )
        }
    }
}

fn subsystem(part: &SubsystemReport, verbose: bool, indent: &str, style: Style) -> String {
    let few = part.states.len();
    let [lo, hi] = part.bounds;
    let text = format!(
        "{} of {} states suffice: within them the probability is {} > {}",
        count(few as u64),
        count(part.of),
        number(lo + 0.5 * (hi - lo), 0.5 * (hi - lo)),
        number(part.threshold, 0.0),
    );
    let mut out = flow::text(indent, &text, indent.len() + 2, style);
    let shown = if verbose { few } else { SHOWN.min(few) };
    for (_, state) in &part.states[..shown] {
        out.push_str(&flow::text(&format!("{indent}  "), state, indent.len() + 4, style));
    }
    if shown < few {
        let more = format!("... {} more (-v shows all)", count((few - shown) as u64));
        out.push_str(&format!("{indent}  {}\n", style.dim(&more)));
    }
    out
}
