//! Distributions over states: a line for each state, or for each class of states.

use super::answer::state_value;
use super::columns::{Columns, Keys};
use super::format::{count, time};
use super::{Style, flow};
use volvelle_verify::{Class, Distributions, FormulaValue, Moment, gate};

/// Classes that are shown without `-v`.
const SHOWN: usize = 20;

/// The tables, most probable classes first.
pub fn table(found: &Distributions, verbose: bool, style: Style) -> String {
    let Some(last) = found.moments.last() else { return String::new() };
    let mut out = String::from("\n");
    let title = match found.moments.as_slice() {
        [_] => format!("distribution {}", when(last)),
        _ => "distribution".to_owned(),
    };
    let took = time(found.moments.iter().map(|moment| moment.took).sum());
    let how = style.dim(&format!("{}, {took}", methods(found)));
    out.push_str(&flow::items("  ", &[style.bold(&title), how], "      ", 4, style));
    if found.initial_states > 1 {
        let states = count(found.initial_states);
        let text = style.dim(&format!("from {states} equally likely initial states"));
        out.push_str(&flow::text("  ", &text, 4, style));
    }
    out.push('\n');

    let shown = if verbose { found.classes.len() } else { SHOWN.min(found.classes.len()) };
    let mut header: Vec<String> = Vec::new();
    for moment in &found.moments {
        header.push(if found.moments.len() == 1 { "probability".to_owned() } else { column(moment) });
        match verbose {
            true => header.extend(["lo".to_owned(), "hi".to_owned()]),
            false => header.push(String::new()),
        }
    }
    header.extend(if found.by.is_empty() { vec!["state".to_owned()] } else { found.by.clone() });
    let rows: Vec<Vec<String>> =
        (found.classes.iter().take(shown)).map(|class| cells(class, verbose, style)).collect();
    let keys = Keys::Behind(found.by.len().max(1));
    let group = header.len().saturating_sub(found.by.len().max(1)) / found.moments.len();
    out.push_str(&Columns { head: header, rows, keys, group }.draw(4, style, |_, line| line.to_owned()));
    if shown < found.classes.len() {
        let more = count((found.classes.len() - shown) as u64);
        let more = format!("and {more} more (-v shows all, --csv and --json list all)");
        out.push_str(&flow::text("    ", &style.dim(&more), 6, style));
    }
    out
}

/// Probabilities, then the class.
fn cells(class: &Class, verbose: bool, style: Style) -> Vec<String> {
    let mut cells = Vec::new();
    for &[lo, hi] in &class.bounds {
        let [value, trust] = state_value(FormulaValue::Bounds([lo, hi]), &gate::exact(), style);
        cells.push(value);
        match verbose {
            true => cells.extend([format!("{lo:?}"), format!("{hi:?}")]),
            false => cells.push(trust),
        }
    }
    if class.values.is_empty() {
        cells.push(class.state.clone());
    }
    cells.extend(class.values.iter().map(|value| match *value {
        FormulaValue::Truth(truth) => truth.to_string(),
        FormulaValue::Bounds([x, _]) => x.to_string(),
    }));
    cells
}

fn when(moment: &Moment) -> String {
    moment.time.as_ref().map_or("in the long run".to_owned(), |time| format!("at time {time}"))
}

fn column(moment: &Moment) -> String {
    moment.time.as_ref().map_or("long run".to_owned(), |time| format!("t={time}"))
}

/// The methods, each once: those of the longest time and of the long run.
fn methods(found: &Distributions) -> String {
    let timed = found.moments.iter().rev().find(|moment| moment.time.is_some());
    let long_run = found.moments.iter().find(|moment| moment.time.is_none());
    let all: Vec<&str> = timed.into_iter().chain(long_run).map(|moment| moment.method.as_str()).collect();
    all.join("; ")
}
