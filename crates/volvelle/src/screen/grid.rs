//! The table of an experiment: a line for each point, a column for each property.

use super::answer::{trust_short, value};
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
    let trusts = Trusts::of(experiment, plain);
    let with_trusts = trusts.columns && !verbose;
    let mut header: Vec<String> = experiment.axes.iter().map(|a| a.name.clone()).collect();
    for label in &labels {
        header.push(label.clone());
        header.extend(with_trusts.then(String::new));
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
            cells.extend(with_trusts.then(|| trusts.cell(result, style)));
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
    let per_property =
        1 + usize::from(with_trusts) + if verified { 3 } else { 0 } + if verbose { 2 } else { 0 };
    let columns =
        Columns { head: header, rows, keys: Keys::Before(experiment.axes.len()), group: per_property };
    out.push_str(&columns.draw(2, style, |row, line| {
        let failed = experiment.points[row].results.iter().any(|r| r.outcome.is_err());
        if failed { style.bad(line) } else { line.to_owned() }
    }));
    if let Some(shared) = &trusts.shared {
        out.push_str(&format!("\n{}", flow::text("  ", &style.dim(shared), 4, style)));
    }
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

/// The guarantees of values. What all of them have in common is told once, below the table; the rest stands beside each value.
struct Trusts {
    /// Whether there is something to say beside values.
    columns: bool,
    /// What is told below the table.
    shared: Option<String>,
    /// The end of a guarantee with `±` that is told below the table.
    ending: String,
}

impl Trusts {
    fn of(experiment: &Experiment, style: Style) -> Self {
        let results = experiment.points.iter().flat_map(|point| &point.results);
        let answers = results.filter_map(|result| result.outcome.as_ref().ok());
        let mut all: Vec<String> = answers.map(|answer| trust_short(answer, style)).collect();
        all.sort_unstable();
        all.dedup();
        if all.len() <= 1 {
            let shared = all.pop().map(|trust| match trust.as_str() {
                "exact" => "all values are exact".to_owned(),
                _ => format!("all values: {trust}"),
            });
            return Trusts { columns: false, shared, ending: String::new() };
        }
        let with_error =
            all.iter().filter_map(|trust| trust.strip_prefix(style.plus_minus())?.split_once(' '));
        let mut endings: Vec<&str> = with_error.map(|(_, ending)| ending).collect();
        endings.sort_unstable();
        endings.dedup();
        let [ending] = endings[..] else {
            return Trusts { columns: true, shared: None, ending: String::new() };
        };
        let what = match ending.strip_prefix("at ") {
            Some(confidence) => format!("confidence intervals at {confidence}"),
            None => format!("{ending} bounds"),
        };
        let shared = Some(format!("{}: {what}", style.plus_minus()));
        Trusts { columns: true, shared, ending: format!(" {ending}") }
    }

    /// What is told beside a value.
    fn cell(&self, result: &PropertyReport, style: Style) -> String {
        let trust = result.outcome.as_ref().map_or(String::new(), |answer| trust_short(answer, style));
        match trust.strip_suffix(&self.ending) {
            Some(error) if error.starts_with(style.plus_minus()) => error.to_owned(),
            _ => trust,
        }
    }
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
