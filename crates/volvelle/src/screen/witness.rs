//! Paths and critical subsystems on the screen.

use super::Style;
use super::format::{count, number};
use volvelle_verify::{Evidence, PathReport, StepReport, SubsystemReport};

/// Steps of a path, and states of a subsystem, that are shown without `-v`.
const SHOWN: usize = 20;

/// The evidence shown below an answer; empty where there is none.
pub fn block(evidence: &Evidence, verbose: bool, indent: &str, style: Style) -> String {
    let mut out = String::new();
    if let Some(found) = &evidence.path {
        out.push_str(&format!("\n{indent}{}\n", title(found, evidence.against)));
        out.push_str(&steps(found, verbose, indent, style));
    }
    for (i, path) in evidence.further.iter().enumerate() {
        let place = count(i as u64 + 2);
        out.push_str(&format!("\n{indent}path {place}: {}\n", measures(path)));
        out.push_str(&steps(path, verbose, indent, style));
    }
    if !evidence.further.is_empty() {
        let paths = count(evidence.further.len() as u64 + 1);
        let together = number(evidence.paths_together(), 0.0);
        out.push_str(&format!("\n{indent}the {paths} paths together: probability {together}\n"));
    }
    if let Some(part) = &evidence.subsystem {
        out.push_str(&subsystem(part, verbose, indent, style));
    }
    out
}

/// `most probable path: 3 steps, probability 0.125`
fn title(path: &PathReport, against: bool) -> String {
    let what = if against { "counterexample, the most probable path" } else { "most probable path" };
    let whither = if path.negated { " to where the formula fails" } else { "" };
    format!("{what}{whither}: {}", measures(path))
}

/// `3 steps, probability 0.125`
fn measures(path: &PathReport) -> String {
    let length = match path.steps.len() - 1 {
        1 => "1 step".to_owned(),
        n => format!("{} steps", count(n as u64)),
    };
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
                (before.probability.map_or(String::new(), |p| number(p, 0.0)), action(before), &path.steps[i])
            }
        })
        .collect();
    let wide = |f: &dyn Fn(&(String, String, &StepReport)) -> usize| reached.iter().map(f).max().unwrap_or(0);
    let (first, second) = (wide(&|r| r.0.chars().count()), wide(&|r| r.1.chars().count()));
    let line = |(probability, action, step): &(String, String, &StepReport)| {
        let action = if second == 0 { String::new() } else { format!("{action:<second$}  ") };
        format!("{indent}  {probability:<first$}  {action}{}\n", step.state)
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

/// `[up]`, or the number of the choice where the action has no name.
fn action(step: &StepReport) -> String {
    match (&step.action, step.choice) {
        (Some(action), _) => format!("[{action}]"),
        (None, Some(choice)) => format!("[] #{choice}"),
        (None, None) => String::new(),
    }
}

fn subsystem(part: &SubsystemReport, verbose: bool, indent: &str, style: Style) -> String {
    let few = part.states.len();
    let [lo, hi] = part.bounds;
    let mut out = format!(
        "{indent}{} of {} states suffice: within them the probability is {} > {}\n",
        count(few as u64),
        count(part.of),
        number(lo + 0.5 * (hi - lo), 0.5 * (hi - lo)),
        number(part.threshold, 0.0),
    );
    let shown = if verbose { few } else { SHOWN.min(few) };
    for (_, state) in &part.states[..shown] {
        out.push_str(&format!("{indent}  {state}\n"));
    }
    if shown < few {
        let more = format!("... {} more (-v shows all)", count((few - shown) as u64));
        out.push_str(&format!("{indent}  {}\n", style.dim(&more)));
    }
    out
}
