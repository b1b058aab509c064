//! Answers for several values of constants: plots, and a line for each point.

use super::markup::{escaped, picture, table as table_of};
use super::{Context, PLAIN, model, texts};
use crate::screen::answer::{trust_short, value};
use crate::screen::format::{count, error_short, number};
use volvelle_diagnostics::Severity;
use volvelle_plot::{Chart, Format, render};
use volvelle_verify::{Experiment, PropertyReport, disagreements};

/// Points that the table has.
const MOST_POINTS: usize = 2_000;
/// State spaces that are described.
const MOST_MODELS: usize = 4;

/// The question: the properties, and the constants that take several values.
pub fn title(experiment: &Experiment, file: &str) -> String {
    let axes: Vec<&str> = experiment.axes.iter().map(|axis| axis.name.as_str()).collect();
    let results = experiment.points.first().map_or(&[][..], |point| &point.results);
    let what = super::answers::title(results, file);
    if axes.is_empty() { what } else { format!("{what}, for values of {}", axes.join(", ")) }
}

/// The plots, each as a picture with the values as tooltips.
pub fn plots(charts: &[Chart]) -> String {
    charts.iter().map(|chart| picture(&render(chart, Format::Svg))).collect()
}

/// The table.
pub fn table(experiment: &Experiment) -> String {
    let Some(head) = experiment.points.first() else { return String::new() };
    let verified = experiment.points.iter().flat_map(|p| &p.results).any(|r| r.verification.is_some());
    let mut heads: Vec<String> = experiment.axes.iter().map(|axis| axis.name.clone()).collect();
    let mut out = String::new();
    for (i, result) in head.results.iter().enumerate() {
        let name = result.name.clone().unwrap_or_else(|| match head.results.len() {
            1 => "value".to_owned(),
            _ => format!("({})", i + 1),
        });
        out.push_str(&format!(
            "<p><strong>{}</strong> <code>{}</code></p>\n",
            escaped(&name),
            escaped(&result.text)
        ));
        heads.extend([name, "guarantee".to_owned()]);
        if verified {
            heads.extend(["simulated".to_owned(), "verdict".to_owned()]);
        }
    }
    let rows = experiment.points.iter().take(MOST_POINTS).map(|point| {
        let mut cells: Vec<String> = point.values.iter().map(|value| escaped(&value.to_string())).collect();
        for result in &point.results {
            cells.extend(answer(result));
            if verified {
                cells.extend(simulated(result));
            }
        }
        cells
    });
    let heads: Vec<&str> = heads.iter().map(String::as_str).collect();
    out.push_str(&table_of("grid", &heads, rows));
    if experiment.points.len() > MOST_POINTS {
        let left = count((experiment.points.len() - MOST_POINTS) as u64);
        out.push_str(&format!("<p class=\"faint\">{left} more points are not shown; --csv lists all.</p>\n"));
    }
    if let Some(all) = disagreements(experiment.points.iter().flat_map(|p| &p.results)) {
        out.push_str(&format!("<p>{}</p>\n", escaped(&all.message())));
    }
    let done = experiment.done();
    if done < experiment.total {
        let (done, total) = (count(done as u64), count(experiment.total as u64));
        out.push_str(&format!("<p class=\"doubt\">{done} of {total} points are done.</p>\n"));
    }
    out
}

/// The value, and how far it can be trusted.
fn answer(result: &PropertyReport) -> [String; 2] {
    match &result.outcome {
        Ok(answer) => [escaped(&value(answer, PLAIN)), escaped(&trust_short(answer, PLAIN))],
        Err(diagnostics) => {
            let error = diagnostics.iter().find(|d| d.severity == Severity::Error);
            let code = error.map_or_else(|| PLAIN.nothing().to_owned(), |d| d.code.to_string());
            [format!("<span class=\"violated\">{code}</span>"), String::new()]
        }
    }
}

/// The estimate of paths, and what it says of the value.
fn simulated(result: &PropertyReport) -> [String; 2] {
    let Some(verification) = &result.verification else { return [String::new(), String::new()] };
    let Ok(verdict) = &verification.verdict else { return ["not verified".to_owned(), String::new()] };
    let [.., widest] = verdict.intervals;
    let half = 0.5 * (widest.hi - widest.lo);
    let estimate =
        format!("{} {}{}", number(verdict.estimate, 0.1 * half), PLAIN.plus_minus(), error_short(half));
    let word = match (verification.agrees(), &verification.repaired) {
        (Some(false), _) => "<span class=\"violated\">probably wrong</span>",
        (_, Some(_)) => "<span class=\"doubt\">recomputed</span>",
        _ => "agrees",
    };
    [estimate, word.to_owned()]
}

/// The state spaces, and the texts.
pub fn models(experiment: &Experiment, context: &Context<'_>) -> String {
    let (first, rest) = match experiment.models.as_slice() {
        [first, rest @ ..] => (Some(first), rest),
        [] => (None, &[][..]),
    };
    let mut out = String::new();
    for space in rest.iter().take(MOST_MODELS - 1) {
        out.push_str(&model::space(space));
    }
    if rest.len() >= MOST_MODELS {
        let left = count((rest.len() + 1 - MOST_MODELS) as u64);
        out.push_str(&format!("<p class=\"faint\">{left} more state spaces are not shown.</p>\n"));
    }
    match first {
        Some(first) => model::space(first) + &out + &texts(context.sources),
        None => model::section(None, context),
    }
}
