//! Verdicts about Promela models.

use super::flow::Lines;
use super::format::{LONGEST_PROPERTY, shortened, time};
use super::{Style, flow, trace};
use volvelle_control::FactValue;
use volvelle_logic::{Guarantee, Value};
use volvelle_session::limits::count;
use volvelle_session::report::PropertyReport;

/// A verdict, with its counterexamples; one of `several` says how many states its search visited.
pub fn block(report: &PropertyReport, several: bool, verbose: bool, style: Style) -> String {
    let name = report.name.as_deref().unwrap_or("");
    // A formula of the command line is its own name.
    let plain = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let text = if plain(name) == report.text { "" } else { report.text.as_str() };
    let (name, text) = (shortened(name, LONGEST_PROPERTY), shortened(text, LONGEST_PROPERTY));
    let verdict = match &report.outcome {
        Ok(answer) if answer.value == Value::Bool(true) => match answer.guarantee {
            Guarantee::Partial { .. } => style.doubtful("no error found"),
            _ => style.good("holds"),
        },
        Ok(_) => style.bad("violated"),
        Err(_) => style.doubtful("not decided"),
    };
    let mut costs: Vec<String> = report.outcome.iter().map(|answer| answer.method.clone()).collect();
    costs.extend(visited(report).filter(|_| several));
    costs.push(time(report.time));
    let padded = |text: String, width: usize| {
        let padding = " ".repeat(width.saturating_sub(flow::columns(&text)));
        format!("{text}{padding}")
    };
    let mut line = Lines::new("  ", 4, style);
    line.item("", &padded(style.bold(&name), 10));
    line.item(" ", &padded(verdict, 12));
    line.item(" ", &text);
    line.item("   ", &style.dim(&format!("({})", costs.join(", "))));
    let mut out = format!("\n{}", line.finish());
    for remark in &report.remarks {
        out.push_str(&flow::text("    ", &style.doubtful(remark), 4, style));
    }
    for example in &report.counterexamples {
        out.push_str(&trace::counterexample(example, verbose, style));
    }
    if let Ok(Guarantee::Partial { omission }) = report.outcome.as_ref().map(|a| &a.guarantee)
        && report.counterexamples.is_empty()
        && !report.is_cut()
    {
        let how_much = match omission {
            Some(0.0) => ", as far as can be measured: each was found repeatedly".to_owned(),
            Some(omission) => format!(": a state was overlooked with a probability of about {omission:.1e}"),
            None => String::new(),
        };
        let what =
            if *omission == Some(0.0) { "all states were visited" } else { "states may have been missed" };
        out.push_str(&flow::text("    ", &style.doubtful(&format!("{what}{how_much}")), 4, style));
    }
    out
}

/// `695 product states`
fn visited(report: &PropertyReport) -> Option<String> {
    let fact = report.facts.iter().find(|fact| fact.what.ends_with("states"))?;
    match fact.value {
        FactValue::Count(1) => Some(format!("1 {}", fact.what.trim_end_matches('s'))),
        FactValue::Count(n) => Some(format!("{} {}", count(n), fact.what)),
        _ => None,
    }
}
