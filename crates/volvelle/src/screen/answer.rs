//! Answers: a block for a single property, and the cells of a table.

use super::format::{count, error_short, number, time};
use super::{Style, witness};
use volvelle_verify::{Answer, Guarantee, PropertyReport, Value};

/// States of `filter(print, …)` that are shown without `-v`.
const STATES_SHOWN: usize = 20;

/// A property with its answer on the next line.
pub fn block(report: &PropertyReport, verbose: bool, style: Style) -> String {
    const INDENT: usize = 9;
    let name = report.name.as_deref().map_or(String::new(), |name| {
        let padded = format!("{name:<width$}", width = INDENT - 5);
        format!("{}   ", style.bold(&padded))
    });
    let constants: Vec<String> = report.constants.iter().map(|(n, v)| format!("{n}={v}")).collect();
    let mut out = format!("\n  {name}{}", report.text);
    if !constants.is_empty() {
        out.push_str(&format!("      {}", constants.join(", ")));
    }
    out.push('\n');
    let indent = " ".repeat(INDENT);
    match &report.outcome {
        Ok(answer) => {
            let mut parts = vec![format!("= {}", value(answer, style)), trust(answer, style)];
            parts.push(style.dim(&format!("{}, {}", answer.method, time(report.time))));
            out.push_str(&format!("{indent}{}\n", parts.join("      ")));
            if verbose {
                out.push_str(&bounds(answer, &indent, style));
            }
            if let Value::States(states) = &answer.value {
                out.push_str(&list(states, &report.states, verbose, &indent, style));
            }
            if let Some(evidence) = &report.evidence {
                out.push_str(&witness::block(evidence, verbose, &indent, style));
            }
        }
        Err(diagnostics) => {
            let message = diagnostics.first().map_or(String::new(), |d| format!("{}: {}", d.code, d.message));
            out.push_str(&format!("{indent}{}      {message}\n", style.bad("no answer")));
        }
    }
    out
}

fn bounds(answer: &Answer, indent: &str, style: Style) -> String {
    match answer.guarantee {
        Guarantee::Sound { lo, hi } => {
            let text = format!("{indent}between {lo:?} and {hi:?}, {}", answer.stop.name());
            format!("{}\n", style.dim(&text))
        }
        _ => String::new(),
    }
}

fn list(states: &[(u32, f64)], texts: &[String], verbose: bool, indent: &str, style: Style) -> String {
    let shown = if verbose { states.len() } else { STATES_SHOWN.min(states.len()) };
    let mut out = String::new();
    for ((_, value), text) in states.iter().zip(texts).take(shown) {
        out.push_str(&format!("{indent}  {}   {text}\n", number(*value, 0.0)));
    }
    if shown < states.len() {
        let more = format!("{indent}  and {} more (-v shows all)", count((states.len() - shown) as u64));
        out.push_str(&format!("{}\n", style.dim(&more)));
    }
    out
}

/// How far a number may be off on either side.
fn half_width(value: f64, guarantee: &Guarantee) -> f64 {
    match *guarantee {
        Guarantee::Exact => 0.0,
        Guarantee::Sound { lo, hi } => (value - lo).max(hi - value),
        Guarantee::Approximate { epsilon } => epsilon,
    }
}

/// The value, with as many digits as are known.
pub fn value(answer: &Answer, style: Style) -> String {
    match &answer.value {
        Value::Bool(truth) => {
            let word = if *truth { style.good("true") } else { style.bad("false") };
            match answer.compared {
                Some(x) => format!("{word}  ({})", number(x, half_width(x, &answer.guarantee))),
                None => word,
            }
        }
        Value::Number(x) => style.bold(&number(*x, half_width(*x, &answer.guarantee))),
        Value::Interval(lo, hi) => style.bold(&format!("[{}, {}]", number(*lo, 0.0), number(*hi, 0.0))),
        Value::States(states) => match states.len() {
            1 => "1 state".to_owned(),
            n => format!("{} states", count(n as u64)),
        },
    }
}

fn compared(answer: &Answer) -> Option<f64> {
    match answer.value {
        Value::Number(x) => Some(x),
        _ => answer.compared,
    }
}

/// `within ±3.8e-10 (sound)`
fn trust(answer: &Answer, style: Style) -> String {
    match answer.guarantee {
        Guarantee::Exact => "exact".to_owned(),
        Guarantee::Sound { lo, hi } => match compared(answer) {
            Some(x) if lo.is_finite() && hi.is_finite() => {
                format!(
                    "within {}{} (sound)",
                    style.plus_minus(),
                    error_short(half_width(x, &answer.guarantee))
                )
            }
            _ => format!("between {} and {} (sound)", number(lo, 0.0), number(hi, 0.0)),
        },
        Guarantee::Approximate { epsilon } => {
            style.doubtful(&format!("no guarantee: stopped at a difference of {}", error_short(epsilon)))
        }
    }
}

/// The same, for a column.
pub fn trust_short(answer: &Answer, style: Style) -> String {
    match answer.guarantee {
        Guarantee::Exact => "exact".to_owned(),
        Guarantee::Sound { lo, hi } => match compared(answer) {
            Some(x) if lo.is_finite() && hi.is_finite() => {
                format!("{}{} sound", style.plus_minus(), error_short(half_width(x, &answer.guarantee)))
            }
            _ => format!("{}..{} sound", number(lo, 0.0), number(hi, 0.0)),
        },
        Guarantee::Approximate { .. } => "no guarantee".to_owned(),
    }
}
