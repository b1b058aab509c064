//! Verdicts about Promela models.

use super::format::{LONGEST_PROPERTY, shortened, time};
use super::{Style, trace};
use volvelle_verify::{Guarantee, PropertyReport, Value};

/// A verdict, with its counterexamples.
pub fn block(report: &PropertyReport, verbose: bool, style: Style) -> String {
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
    let method = report.outcome.as_ref().map_or(String::new(), |a| format!("{}, ", a.method));
    let mut out = format!(
        "\n  {:<10} {:<12} {}   {}\n",
        style.bold(&name),
        verdict,
        text,
        style.dim(&format!("({method}{})", time(report.time)))
    );
    for remark in &report.remarks {
        out.push_str(&format!("    {}\n", style.doubtful(remark)));
    }
    for example in &report.counterexamples {
        out.push_str(&trace::counterexample(example, verbose, style));
    }
    if let Ok(Guarantee::Partial { omission }) = report.outcome.as_ref().map(|a| &a.guarantee)
        && report.counterexamples.is_empty()
        && !report.is_cut()
    {
        let how_much = match omission {
            Some(0.0) => ", as far as measured: all states were found repeatedly".to_owned(),
            Some(omission) => format!(": a state was overlooked with a probability of about {omission:.1e}"),
            None => String::new(),
        };
        let what =
            if *omission == Some(0.0) { "all states were visited" } else { "states may have been missed" };
        out.push_str(&format!("    {}\n", style.doubtful(&format!("{what}{how_much}"))));
    }
    out
}
