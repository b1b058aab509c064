//! Runs of processes: the message sequence chart, the table of steps, and where every process is at the end.

use super::chart::chart;
use super::markup::{escaped, table};
use volvelle_session::trace::{Actor, Counterexample, TraceStep};

/// Steps that the table has.
const MOST_STEPS: usize = 5_000;

/// A run; `number` tells it from other runs of the page.
pub fn section(example: &Counterexample, number: usize) -> String {
    let mut out = format!("<h4>{}</h4>\n", escaped(&example.reason));
    if example.steps.is_empty() {
        out.push_str("<p>In the initial state.</p>\n");
    } else {
        out.push_str(&format!("<figure class=\"scroll\">\n{}</figure>\n", chart(example, number)));
        out.push_str(&steps(example));
    }
    out.push_str(&end(example));
    out
}

fn steps(example: &Counterexample) -> String {
    let mut out = String::from(
        "<div class=\"scroll\"><table class=\"steps\">\n<thead><tr><th scope=\"col\">step</th><th scope=\"col\">process</th>\
         <th scope=\"col\">line</th><th scope=\"col\">statement</th><th scope=\"col\">message</th>\
         <th scope=\"col\">changes</th></tr></thead>\n<tbody>\n",
    );
    for (i, step) in example.steps.iter().take(MOST_STEPS).enumerate() {
        let class = if example.cycle_start == Some(i) { " class=\"cycle\"" } else { "" };
        let number = example.number(i);
        out.push_str(&format!("<tr{class}><td class=\"number\">{number}</td>{}</tr>\n", cells(step)));
    }
    out.push_str("</tbody>\n</table></div>\n");
    out.push_str(&match example.steps.len().saturating_sub(MOST_STEPS) {
        0 => match example.omitted {
            Some(omitted) => {
                format!("<p class=\"faint\">{} steps are left out.</p>\n", omitted.steps)
            }
            None => String::new(),
        },
        more => format!("<p class=\"faint\">{more} more steps are not shown.</p>\n"),
    });
    if let Some(start) = example.cycle_start {
        let text = match start < example.steps.len() {
            true => format!("From step {} on, this cycle repeats.", example.number(start)),
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
        statement = "no process can move".to_owned();
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

/// Where every process is at the end.
fn end(example: &Counterexample) -> String {
    if example.end.is_empty() {
        return String::new();
    }
    let rows = example.end.iter().map(|standing| {
        let place = match &standing.at {
            Some(at) => format!("line {}: {}", at.line, at.text),
            None => "its end".to_owned(),
        };
        let note = if standing.is_end { " (valid end state)" } else { "" };
        let process = format!("{}({})", standing.name, standing.process);
        vec![escaped(&process), escaped(&format!("{place}{note}"))]
    });
    format!("<h4>At the end</h4>\n{}", table("steps", &["process", "next statement"], rows))
}
