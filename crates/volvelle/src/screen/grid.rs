//! The table of an experiment: a line for each point, a column for each property.

use super::answer::value;
use super::columns::{Columns, Keys};
use super::format::{count, error_short, number};
use super::{Style, flow};
use volvelle_diagnostics::Severity;
use volvelle_verify::{ConstantValue, Experiment, Guarantee, PropertyReport, disagreements};

/// Texts of properties longer than this are named by a letter, and written out above the table.
const WIDEST_LABEL: usize = 24;

/// The table; with the bounds of every value where `verbose`.
pub fn table(experiment: &Experiment, verbose: bool, style: Style) -> String {
    let plain = Style { color: false, ..style };
    let Some(first) = experiment.points.first() else { return String::new() };
    let mut out = String::from("\n");
    let labels = labels(&first.results, &mut out, style);

    let verified = experiment.points.iter().flat_map(|p| &p.results).any(|r| r.verification.is_some());
    let mut header: Vec<String> = experiment.axes.iter().map(|a| a.name.clone()).collect();
    for label in &labels {
        header.push(label.clone());
        if verified {
            header.extend(["simulated".to_owned(), "99 % interval".to_owned(), String::new()]);
        }
        if verbose {
            header.extend(["lo".to_owned(), "hi".to_owned()]);
        }
    }
    let cells = |results: &[PropertyReport], values: &[ConstantValue], style: Style| {
        let mut cells: Vec<String> = values.iter().map(|value| value.to_string()).collect();
        for result in results {
            cells.push(cell(result, style));
            if verified {
                cells.extend(simulated(result, style));
            }
            if verbose {
                cells.extend(bounds(result));
            }
        }
        cells
    };
    let rows: Vec<Vec<String>> =
        experiment.points.iter().map(|p| cells(&p.results, &p.values, plain)).collect();
    let per_property = 1 + if verified { 3 } else { 0 } + if verbose { 2 } else { 0 };
    let columns =
        Columns { head: header, rows, keys: Keys::Before(experiment.axes.len()), group: per_property };
    out.push_str(&columns.draw(2, style, |row, line| {
        let failed = experiment.points[row].results.iter().any(|r| r.outcome.is_err());
        if failed { style.bad(line) } else { line.to_owned() }
    }));
    if let Some(disagreements) = disagreements(experiment.points.iter().flat_map(|p| &p.results)) {
        out.push('\n');
        out.push_str(&flow::text("  ", &style.dim(&disagreements.message()), 4, style));
    }
    let done = experiment.done();
    if done < experiment.total {
        let text = format!("{} of {} points", count(done as u64), count(experiment.total as u64));
        out.push_str(&format!("\n{}\n", style.bold(&text)));
    }
    out
}

/// Short names for the columns; what they stand for goes above the table.
fn labels(results: &[PropertyReport], out: &mut String, style: Style) -> Vec<String> {
    let mut labels = Vec::new();
    let mut written = false;
    for (i, result) in results.iter().enumerate() {
        let short = match (&result.name, result.text.chars().count() <= WIDEST_LABEL) {
            (Some(name), _) => name.clone(),
            (None, true) => result.text.clone(),
            (None, false) if results.len() == 1 => "value".to_owned(),
            (None, false) => result.number.map_or_else(|| format!("({})", i + 1), |n| format!("#{n}")),
        };
        if short != result.text {
            let start = format!("  {}   ", style.bold(&short));
            out.push_str(&flow::text(&start, &result.text, flow::columns(&start), style));
            written = true;
        }
        labels.push(short);
    }
    if written {
        out.push('\n');
    }
    labels
}

/// The comparison of a value with paths: estimate, half-width of the 99 % interval, and a word if they disagree.
fn simulated(result: &PropertyReport, style: Style) -> [String; 3] {
    let nothing = || [String::new(), String::new(), String::new()];
    let Some(verification) = &result.verification else { return nothing() };
    let Ok(verdict) = &verification.verdict else {
        return ["not verified".to_owned(), String::new(), String::new()];
    };
    let [.., widest] = verdict.intervals;
    let half = 0.5 * widest.width();
    let word = match (verification.agrees(), &verification.repaired) {
        (Some(false), _) => "probably wrong",
        (_, Some(_)) => "recomputed",
        _ => "",
    };
    [
        number(verdict.estimate, 0.1 * half),
        format!("{}{}", style.plus_minus(), error_short(half)),
        word.to_owned(),
    ]
}

/// A value, or the code of the diagnostic.
fn cell(result: &PropertyReport, style: Style) -> String {
    match &result.outcome {
        Ok(answer) => value(answer, style),
        Err(diagnostics) => {
            let error = diagnostics.iter().find(|d| d.severity == Severity::Error);
            error.map_or_else(|| style.nothing().to_owned(), |d| d.code.to_string())
        }
    }
}

fn bounds(result: &PropertyReport) -> [String; 2] {
    let known = match &result.outcome {
        Ok(answer) => match answer.guarantee {
            Guarantee::Sound { lo, hi, .. } => Some([lo, hi]),
            Guarantee::Exact { .. } => return ["exact".to_owned(), "exact".to_owned()],
            Guarantee::Statistical { interval, .. } => interval,
            Guarantee::Approximate { .. } | Guarantee::Within { .. } | Guarantee::Partial { .. } => None,
        },
        Err(_) => result.known,
    };
    known.map_or([String::new(), String::new()], |bounds| {
        bounds.map(|b| if b.is_finite() { format!("{b:?}") } else { number(b, 0.0) })
    })
}
