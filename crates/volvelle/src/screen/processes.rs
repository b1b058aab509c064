//! Verdicts about models of processes, and counterexamples as tables.

use super::Style;
use super::format::time;
use volvelle_verify::{Counterexample, Guarantee, PropertyReport, TraceStep, Value};

/// Steps of a counterexample that are shown at its beginning and at its end without `-v`.
const STEPS_SHOWN: usize = 40;

/// A verdict, with its counterexamples.
pub fn block(report: &PropertyReport, verbose: bool, style: Style) -> String {
    let name = report.name.as_deref().unwrap_or("");
    let verdict = match &report.outcome {
        Ok(answer) if answer.value == Value::Bool(true) => match answer.guarantee {
            Guarantee::Partial { .. } => style.doubtful("no error found"),
            _ => style.good("holds"),
        },
        Ok(_) => style.bad("violated"),
        Err(_) => style.doubtful("not decided"),
    };
    let method = report.outcome.as_ref().map_or(String::new(), |a| format!("{}, ", a.method));
    let mut out = format!(
        "\n  {:<10} {:<12} {}   {}\n",
        style.bold(name),
        verdict,
        report.text,
        style.dim(&format!("({method}{})", time(report.time)))
    );
    for example in &report.counterexamples {
        out.push_str(&table(example, verbose, style));
    }
    if let Ok(Guarantee::Partial { omission }) = report.outcome.as_ref().map(|a| &a.guarantee)
        && report.counterexamples.is_empty()
    {
        let how_much = match omission {
            Some(0.0) => ", as far as can be told: all were met again and again".to_owned(),
            Some(omission) => format!(": a state was overlooked with a probability of about {omission:.1e}"),
            None => String::new(),
        };
        let what =
            if *omission == Some(0.0) { "all states were visited" } else { "states may have been left out" };
        out.push_str(&format!("    {}\n", style.doubtful(&format!("{what}{how_much}"))));
    }
    out
}

/// A counterexample, a line for each step.
fn table(example: &Counterexample, verbose: bool, style: Style) -> String {
    let mut out = format!("\n    {}\n", style.bold(&example.reason));
    let rows: Vec<[String; 5]> = example.steps.iter().enumerate().map(|(i, s)| row(i, s)).collect();
    let heads = ["step", "process", "line", "statement", "changes"].map(str::to_owned);
    let mut widths = heads.clone().map(|h| h.chars().count());
    let shown = |i: usize| verbose || i < STEPS_SHOWN || i + STEPS_SHOWN >= rows.len();
    for (_, row) in rows.iter().enumerate().filter(|(i, _)| shown(*i)) {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let line = |cells: &[String; 5]| {
        let number = format!("{:>w$}", cells[0], w = widths[0]);
        let rest = (1..4).map(|i| format!("{:<w$}", cells[i], w = widths[i])).collect::<Vec<_>>().join("  ");
        format!("    {number}  {rest}  {}", cells[4]).trim_end().to_owned()
    };
    if rows.is_empty() {
        out.push_str("    in the initial state\n");
    } else {
        out.push_str(&format!("{}\n", style.dim(&line(&heads))));
    }
    let mut skipped = false;
    for (i, row) in rows.iter().enumerate() {
        if example.cycle_start == Some(i) {
            out.push_str(&format!("    {}\n", style.bold("from here on again and again:")));
        }
        if shown(i) {
            out.push_str(&format!("{}\n", line(row)));
        } else if !skipped {
            skipped = true;
            let hidden = rows.len() - 2 * STEPS_SHOWN;
            out.push_str(&format!("    {}\n", style.dim(&format!("... {hidden} steps (-v shows all) ..."))));
        }
    }
    out
}

fn row(number: usize, step: &TraceStep) -> [String; 5] {
    let mut process = step.process.as_ref().map_or(String::new(), |(slot, name)| format!("{name}({slot})"));
    let mut statement = step.statement.clone();
    if let Some((slot, name, _, text)) = &step.partner {
        process.push_str(&format!(" > {name}({slot})"));
        statement.push_str(&format!("  {text}"));
    }
    let changes: Vec<String> = step.changes.iter().map(|(n, _, v)| format!("{n}={v}")).collect();
    let line = if step.line == 0 { String::new() } else { step.line.to_string() };
    [(number + 1).to_string(), process, line, statement, changes.join(" ")]
}
