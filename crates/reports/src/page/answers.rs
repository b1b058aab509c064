//! Answers: a table of all, and for each its value, its guarantee in words, its bounds, and what shows that it is right.

use super::bar::{Mark, bar};
use super::evidence::{first, more};
use super::markup::{cost, escaped, facts, table};
use super::{PLAIN, evidence, run, simulated};
use crate::screen::answer::{state_value, trust, trust_short, value, value_of_state};
use crate::screen::format::{count, number, time};
use volvelle_control::FactValue;
use volvelle_logic::{Answer, Guarantee, Value};
use volvelle_session::fractions;
use volvelle_session::report::PropertyReport;

/// Properties that are shown one by one; of more, the table says it all.
const MOST_DETAILED: usize = 200;

/// The question of a page: the property, or how many there are.
pub fn title(results: &[PropertyReport], file: &str) -> String {
    match results {
        [single] => match &single.name {
            Some(name) if *name != single.text && !single.text.is_empty() => {
                format!("{name}: {}", single.text)
            }
            Some(name) => name.clone(),
            None => single.text.clone(),
        },
        [] => file.to_owned(),
        several => format!("{} properties of {file}", several.len()),
    }
}

/// The section of answers; `searched`: they are verdicts of a search.
pub fn section(results: &[PropertyReport], searched: bool) -> String {
    let mut out = summary(results, searched);
    if results.len() > 1 {
        out.push_str(&all(results, searched));
    }
    let mut runs = 0;
    for result in results.iter().take(MOST_DETAILED) {
        out.push_str(&card(result, searched, &mut runs));
    }
    if results.len() > MOST_DETAILED {
        let left = results.len() - MOST_DETAILED;
        out.push_str(&format!("<p class=\"faint\">{left} more appear only in the table above.</p>\n"));
    }
    out
}

fn summary(results: &[PropertyReport], searched: bool) -> String {
    let of = |n: usize, one: &str, many: &str| match n {
        0 => None,
        1 => Some(format!("1 property {one}")),
        n => Some(format!("{n} properties {many}")),
    };
    let is_false = results.iter().filter(|r| r.is_false()).count();
    let failed = results.iter().filter(|r| r.outcome.is_err()).count();
    let parts = [
        match searched {
            true => of(is_false, "is violated", "are violated"),
            false => of(is_false, "is false", "are false"),
        },
        of(failed, "has no answer", "have no answer"),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    match (results.len(), parts.is_empty()) {
        (0 | 1, _) | (_, true) => String::new(),
        _ => format!("<p class=\"summary\">{}</p>\n", parts.join(", ")),
    }
}

/// A value as markup: what is true is green, what is false is red.
fn shown(report: &PropertyReport, searched: bool) -> String {
    let answer = match &report.outcome {
        Ok(answer) => answer,
        Err(diagnostics) => {
            let code = diagnostics.first().map_or(String::new(), |d| d.code.to_string());
            let why = report.unanswered().map_or(String::new(), |why| format!(" {why}"));
            return format!(
                "<span class=\"violated\">no answer</span> <span class=\"faint\">{code}{why}</span>"
            );
        }
    };
    let text = value(answer, PLAIN);
    let (class, text) = match (&answer.value, &answer.guarantee, searched) {
        (Value::Bool(true), Guarantee::Partial { .. }, _) => ("doubt", "no error found"),
        (Value::Bool(true), _, true) => ("holds", "holds"),
        (Value::Bool(false), _, true) => ("violated", "violated"),
        (Value::Bool(true), ..) => ("holds", text.as_str()),
        (Value::Bool(false), ..) => ("violated", text.as_str()),
        _ => return escaped(&text),
    };
    format!("<span class=\"{class}\">{}</span>", escaped(text))
}

fn all(results: &[PropertyReport], searched: bool) -> String {
    let rows = results.iter().enumerate().map(|(i, result)| {
        let name = result.name.as_ref().filter(|name| **name != result.text);
        let name = name.map_or(String::new(), |name| format!("<strong>{}</strong> ", escaped(name)));
        let trust = result.outcome.as_ref().map_or(String::new(), |answer| trust_short(answer, PLAIN));
        vec![
            result.number.unwrap_or(i + 1).to_string(),
            format!("{name}<code>{}</code>{}", escaped(&result.text), constants(result)),
            shown(result, searched),
            escaped(&trust),
            cost(&time(result.time)),
        ]
    });
    table("answers", &["#", "property", "answer", "guarantee", "time"], rows)
}

fn constants(result: &PropertyReport) -> String {
    let constants: Vec<String> = result.constants.iter().map(|constant| constant.to_string()).collect();
    if constants.is_empty() {
        return String::new();
    }
    format!(" <span class=\"faint\">{}</span>", escaped(&constants.join(", ")))
}

/// Everything about one property.
fn card(report: &PropertyReport, searched: bool, runs: &mut usize) -> String {
    let name = report.name.as_ref().filter(|name| **name != report.text);
    let name = name.map_or(String::new(), |name| format!("{} ", escaped(name)));
    let text = if report.text.is_empty() {
        String::new()
    } else {
        format!("<code>{}</code>", escaped(&report.text))
    };
    let mut out = format!(
        "<article class=\"answer\">\n<h3>{name}{text}{}</h3>\n<p class=\"value\">{}</p>\n",
        constants(report),
        shown(report, searched)
    );
    for remark in &report.remarks {
        out.push_str(&format!("<p class=\"doubt\">{}</p>\n", escaped(remark)));
    }
    if let Ok(answer) = &report.outcome {
        out.push_str(&bounds_drawn(answer));
        out.push_str(&facts(&[
            ("guarantee", escaped(&guarantee(answer))),
            ("bounds", escaped(&bounds(answer))),
            ("exactly", exactly(answer)),
            ("method", escaped(&answer.method)),
            ("time", cost(&time(report.time))),
        ]));
        out.push_str(&points(answer));
        out.push_str(&states(report, answer));
    } else if let Some([lo, hi]) = report.known {
        out.push_str(&facts(&[(
            "known so far",
            format!("between {} and {}", number(lo, 0.0), number(hi, 0.0)),
        )]));
    }
    if let Some(statistics) = &report.statistics {
        out.push_str(&simulated::statistics(statistics));
    }
    if let Some(verification) = &report.verification {
        out.push_str(&simulated::verification(verification));
    }
    if let Some(evidence) = &report.evidence {
        out.push_str(&evidence::section(evidence));
    }
    out.push_str(&explanation(report));
    out.push_str("</article>\n");
    for example in &report.counterexamples {
        out.push_str(&run::section(example, *runs));
        *runs += 1;
    }
    out
}

/// The guarantee of an answer in words.
pub fn guarantee(answer: &Answer) -> String {
    let short = trust(answer, PLAIN);
    let why = match &answer.guarantee {
        Guarantee::Exact { .. } => "nothing was rounded, or nothing was left to chance",
        Guarantee::Sound { .. } => "the true value lies between the bounds, rounding errors included",
        Guarantee::Within { .. } => {
            "schedulers achieve every point of the curve, and none beyond it by more than the precision"
        }
        Guarantee::Approximate { .. } => {
            "the iteration stopped when values changed little; the error may be larger than that change"
        }
        Guarantee::Statistical { interval: None, .. } => {
            "all paths gave the same value, or there were too few paths"
        }
        Guarantee::Statistical { .. } => {
            "this share of the intervals constructed in this way contains the true value"
        }
        Guarantee::Partial { .. } => "states may have been missed",
    };
    if let Guarantee::Exact { .. } = answer.guarantee { short } else { format!("{short}: {why}") }
}

/// The bounds with all their digits.
fn bounds(answer: &Answer) -> String {
    match answer.guarantee.interval() {
        Some([lo, hi]) if lo == hi => format!("{lo:?}"),
        Some([lo, hi]) => format!("{lo:?} to {hi:?}"),
        None => String::new(),
    }
}

fn bounds_drawn(answer: &Answer) -> String {
    let (Some(interval), Some(x)) = (answer.guarantee.interval(), compared(answer)) else {
        return String::new();
    };
    let name = match answer.guarantee {
        Guarantee::Statistical { .. } => "estimate",
        _ => "value",
    };
    bar("bounds", &[interval], &[Mark { at: x, name, is_wrong: false }]).unwrap_or_default()
}

fn compared(answer: &Answer) -> Option<f64> {
    match answer.value {
        Value::Number(x) => Some(x),
        _ => answer.compared,
    }
}

/// Digits of a fraction that are shown.
const MOST_DIGITS: usize = 2_000;

fn exactly(answer: &Answer) -> String {
    match (&answer.value, answer.exact.first()) {
        (Value::Number(_) | Value::Bool(_), Some(exact)) => {
            let text = exact.to_string();
            match text.len() > MOST_DIGITS {
                true => format!("a fraction of {} digits", count(text.len() as u64)),
                false => format!("<code>{}</code>", escaped(&text)),
            }
        }
        _ => String::new(),
    }
}

/// The corners of a Pareto curve.
fn points(answer: &Answer) -> String {
    let Value::Pareto(points) = &answer.value else { return String::new() };
    let heads: Vec<String> =
        (1..=points.first().map_or(0, Vec::len)).map(|i| format!("objective {i}")).collect();
    let heads: Vec<&str> = heads.iter().map(String::as_str).collect();
    let text = |place: usize, x: f64| {
        let short = answer.exact.get(place).and_then(fractions::short);
        short.unwrap_or_else(|| number(x, 0.0))
    };
    let rows = first(points)
        .iter()
        .enumerate()
        .map(|(i, point)| point.iter().enumerate().map(|(j, &x)| text(i * point.len() + j, x)).collect());
    table("states", &heads, rows) + &more(points.len(), "points")
}

/// The states that an answer consists of, or the values in all states.
fn states(report: &PropertyReport, answer: &Answer) -> String {
    let mut out = String::new();
    if let Value::States(states) = &answer.value {
        let rows = first(states).iter().zip(&report.states).map(|((number, value), text)| {
            let [value, trust] = state_value(*value, &answer.guarantee, PLAIN);
            vec![number.to_string(), escaped(text), escaped(&value), escaped(&trust)]
        });
        out.push_str(&table("states", &["number", "state", "value", "guarantee"], rows));
        out.push_str(&more(states.len(), "states"));
    }
    if let Some(values) = &report.values {
        let rows = first(values).iter().enumerate().map(|(i, entry)| {
            let [value, trust] = value_of_state(entry, &answer.guarantee, PLAIN);
            vec![i.to_string(), escaped(&entry.state), escaped(&value), escaped(&trust)]
        });
        out.push_str("<h4>In each state</h4>\n");
        out.push_str(&table("states", &["number", "state", "value", "guarantee"], rows));
        out.push_str(&more(values.len(), "states"));
    }
    out
}

/// How the answer was computed, and why so.
fn explanation(report: &PropertyReport) -> String {
    if report.facts.is_empty() {
        return String::new();
    }
    let rows = report.facts.iter().map(|fact| {
        let value = match &fact.value {
            FactValue::Count(n) => count(*n),
            FactValue::Number(x) => number(*x, 0.0),
            FactValue::Text(text) => text.clone(),
        };
        vec![escaped(&fact.what), cost(&value), cost(&fact.why)]
    });
    let table = table("states", &["what", "choice", "why"], rows);
    format!("<details>\n<summary>How it was computed</summary>\n{table}</details>\n")
}
