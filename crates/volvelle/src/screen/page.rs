//! Counterexamples as a page: verdicts, and for each run its message sequence chart and its table. Nothing is loaded
//! from elsewhere; colours follow those of the reader.

use super::chart::chart;
use super::markup::escaped;
use volvelle_verify::{Actor, Counterexample, PropertyReport, Report, TraceStep, Value};

const STYLE: &str = "
:root { color-scheme: light dark; --ink: #1d2330; --paper: #ffffff; --faint: #6b7385; --line: #c9ced9; --message: #0b61a4;
  --bad: #b3261e; --good: #1b7a3d; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e7ee; --paper: #14171d; --faint: #98a1b3; --line: #3a4150;
  --message: #7cc0ff; --bad: #ff8a80; --good: #7ddc9a; } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); margin: 2rem; }
code, td { font-family: ui-monospace, monospace; font-size: 13px; }
table { border-collapse: collapse; margin: 1rem 0; }
th { text-align: left; font-weight: 600; color: var(--faint); }
td, th { padding: 2px 14px 2px 0; border-bottom: 1px solid var(--line); vertical-align: top; }
td.number { text-align: right; color: var(--faint); }
tr.cycle td { border-top: 2px solid var(--bad); }
.violated { color: var(--bad); } .holds { color: var(--good); } .faint { color: var(--faint); }
.scroll { overflow-x: auto; }
.chart text { font: 12px ui-monospace, monospace; fill: var(--ink); }
.chart .name { font-weight: 600; text-anchor: middle; } .chart .row { fill: var(--faint); text-anchor: end; }
.chart .own { fill: var(--faint); } .chart .sent { fill: var(--message); }
.chart .life { stroke: var(--line); stroke-width: 1.5; } .chart .step { fill: var(--ink); }
.chart .message { stroke: var(--message); stroke-width: 1.5; fill: none; } .chart .tip { fill: var(--message); }
.chart .waiting { fill: none; stroke: var(--message); } .chart .cycle { stroke: var(--bad); stroke-dasharray: 6 4; }
pre { margin: 0; }
";

/// The page of a report.
pub fn page(report: &Report, file: &str) -> String {
    let title = escaped(file);
    let mut out = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n<title>{title}</title>\n\
         <style>{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n"
    );
    for result in &report.results {
        out.push_str(&section(result));
    }
    out.push_str("</body>\n</html>\n");
    out
}

fn section(result: &PropertyReport) -> String {
    let name = escaped(result.name.as_deref().unwrap_or(&result.text));
    let verdict = match &result.outcome {
        Ok(answer) if answer.value == Value::Bool(true) => "<span class=\"holds\">holds</span>",
        Ok(_) => "<span class=\"violated\">violated</span>",
        Err(_) => "<span class=\"faint\">not decided</span>",
    };
    let mut out = format!("<h2>{name}: {verdict}</h2>\n<p><code>{}</code></p>\n", escaped(&result.text));
    for example in &result.counterexamples {
        out.push_str(&format!("<h3>{}</h3>\n<div class=\"scroll\">\n", escaped(&example.reason)));
        out.push_str(&chart(example));
        out.push_str("</div>\n");
        out.push_str(&table(example));
        out.push_str(&end(example));
    }
    out
}

fn table(example: &Counterexample) -> String {
    let mut out = String::from(
        "<table>\n<tr><th>step</th><th>process</th><th>line</th><th>statement</th><th>message</th><th>changes</th></tr>\n",
    );
    for (i, step) in example.steps.iter().enumerate() {
        let class = if example.cycle_start == Some(i) { " class=\"cycle\"" } else { "" };
        out.push_str(&format!("<tr{class}><td class=\"number\">{}</td>{}</tr>\n", i + 1, cells(step)));
    }
    out.push_str("</table>\n");
    if let Some(start) = example.cycle_start {
        let text = match start < example.steps.len() {
            true => format!("From step {} on, this cycle repeats.", start + 1),
            false => "Nothing happens after the last step.".to_owned(),
        };
        out.push_str(&format!("<p>{text}</p>\n"));
    }
    out
}

fn cells(step: &TraceStep) -> String {
    let both = |f: &dyn Fn(&Actor) -> String| {
        let all: Vec<String> = step.actor.iter().chain(&step.partner).map(|a| escaped(&f(a))).collect();
        all.join("<br/>")
    };
    let process = both(&|a| format!("{}({})", a.name, a.process));
    let line = both(&|a| a.at.line.to_string());
    let mut statement = both(&|a| {
        let calls: String =
            a.at.through.iter().map(|(name, line)| format!("  [{name}, line {line}]")).collect();
        format!("{}{calls}", a.at.text)
    });
    if step.actor.is_none() {
        statement = "nothing can move any more".to_owned();
    }
    if !step.printed.is_empty() {
        statement.push_str(&format!("<pre class=\"faint\">{}</pre>", escaped(&step.printed)));
    }
    let message = step.message.as_ref().map_or(String::new(), |m| escaped(&m.to_string()));
    let changes: Vec<String> =
        step.changes.iter().map(|c| escaped(&format!("{}={}", c.name, c.after))).collect();
    [process, line, statement, message, changes.join("<br/>")]
        .iter()
        .map(|c| format!("<td>{c}</td>"))
        .collect()
}

fn end(example: &Counterexample) -> String {
    if !example.is_stuck {
        return String::new();
    }
    let mut out = String::from("<table>\n<tr><th>process</th><th>stands before</th></tr>\n");
    for standing in &example.end {
        let place = match &standing.at {
            Some(at) => format!("line {}: {}", at.line, at.text),
            None => "its end".to_owned(),
        };
        let note = if standing.is_end { " (may stay there)" } else { "" };
        out.push_str(&format!(
            "<tr><td>{}({})</td><td>{}{note}</td></tr>\n",
            escaped(&standing.name),
            standing.process,
            escaped(&place)
        ));
    }
    out.push_str("</table>\n");
    out
}
