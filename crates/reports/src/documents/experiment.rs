//! Answers for several values of constants: a line for each point, a column for each property.

use super::value::{trust_short, value};
use volvelle_diagnostics::Severity;
use volvelle_logic::Guarantee;
use volvelle_present::document::{
    Block, Cell, Column, Document, Number, Row, Table, Tone, Trust, faint, name, strong,
};
use volvelle_present::format::{count, error_short, number};
use volvelle_present::page::PLAIN;
use volvelle_session::disagreements::disagreements;
use volvelle_session::points::Experiment;
use volvelle_session::report::PropertyReport;

/// Texts of properties longer than this are named by a letter, and written out above the table.
const WIDEST_LABEL: usize = 24;

/// The table, of a file with this name.
pub fn document(experiment: &Experiment, file: &str) -> Document {
    let mut document = Document::new(title(experiment, file));
    add(&mut document, experiment);
    document
}

/// The question: the properties, and the constants that take several values.
fn title(experiment: &Experiment, file: &str) -> String {
    let axes: Vec<&str> = experiment.axes.iter().map(|axis| axis.name.as_str()).collect();
    let results = experiment.points.first().map_or(&[][..], |point| &point.results);
    let what = super::answers::title(results, file);
    if axes.is_empty() { what } else { format!("{what}, for values of {}", axes.join(", ")) }
}

/// Adds the table to a document.
pub fn add(document: &mut Document, experiment: &Experiment) {
    let Some(first) = experiment.points.first() else { return };
    document.push(Block::Gap);
    let labels = labels(document, &first.results);
    let verified = experiment.points.iter().flat_map(|p| &p.results).any(|r| r.verification.is_some());
    let trusts = Trusts::of(experiment);
    let trust = if trusts.columns { Trust::Beside } else { Trust::Shared };
    let mut columns: Vec<Column> =
        experiment.axes.iter().map(|axis| Column::numbers(name(&axis.name))).collect();
    for label in labels {
        columns.push(Column { trust, ..Column::numbers(name(label)) });
        if verified {
            columns.extend(["simulated", "99 % interval"].map(Column::numbers));
            columns.push(Column::words(""));
        }
    }
    let row = |point: &volvelle_session::points::Point| {
        let mut cells: Vec<Cell> = point.values.iter().map(|value| Cell::shown(value.to_string())).collect();
        for result in &point.results {
            cells.push(cell(result, &trusts));
            cells.extend(verified.then(|| simulated(result)).into_iter().flatten());
        }
        let failed = point.results.iter().any(|result| result.outcome.is_err());
        Row { cells, tone: if failed { Tone::Bad } else { Tone::Plain } }
    };
    let rows = experiment.points.iter().map(row).collect();
    let group = if verified { 4 } else { 1 };
    document.push(Table { rows, group, ..Table::new(columns, experiment.axes.len(), []) });
    let disagreements = disagreements(experiment.points.iter().flat_map(|p| &p.results));
    for told in trusts.shared.into_iter().chain(disagreements.map(|all| all.message())) {
        document.push(Block::Gap);
        document.note(2, faint(told));
    }
    let done = experiment.done();
    if done < experiment.total {
        document.push(Block::Gap);
        let all = count(experiment.total as u64);
        document.note(0, strong(format!("{} of {all} points", count(done as u64))));
    }
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
    fn of(experiment: &Experiment) -> Self {
        let results = experiment.points.iter().flat_map(|point| &point.results);
        let answers = results.filter_map(|result| result.outcome.as_ref().ok());
        let mut all: Vec<String> = answers.map(trust_short).collect();
        all.sort_unstable();
        all.dedup();
        if all.len() <= 1 {
            let shared = all.pop().map(|trust| match trust.as_str() {
                "exact" => "all values are exact".to_owned(),
                _ => format!("all values: {trust}"),
            });
            return Trusts { columns: false, shared, ending: String::new() };
        }
        let with_error = all.iter().filter_map(|trust| trust.strip_prefix('±')?.split_once(' '));
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
        Trusts { columns: true, shared: Some(format!("±: {what}")), ending: format!(" {ending}") }
    }

    /// What is told beside a value.
    fn beside(&self, result: &PropertyReport) -> String {
        let trust = result.outcome.as_ref().map_or(String::new(), trust_short);
        match trust.strip_suffix(&self.ending) {
            Some(error) if error.starts_with('±') => error.to_owned(),
            _ => trust,
        }
    }
}

/// Short names for the columns; what they stand for goes above the table.
fn labels(document: &mut Document, results: &[PropertyReport]) -> Vec<String> {
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
            let width = short.chars().count() + 2;
            document.push(Block::Labels(width, vec![(strong(name(&short)), name(&result.text))]));
            written = true;
        }
        labels.push(short);
    }
    if written {
        document.push(Block::Gap);
    }
    labels
}

/// The comparison of a value with paths: estimate, half-width of the 99 % interval, and a word if they disagree.
fn simulated(result: &PropertyReport) -> [Cell; 3] {
    let Some(verification) = &result.verification else { return [Cell::Empty, Cell::Empty, Cell::Empty] };
    let Ok(verdict) = &verification.verdict else {
        return [Cell::words("not verified"), Cell::Empty, Cell::Empty];
    };
    let [.., widest] = verdict.intervals;
    let half = 0.5 * widest.width();
    let word = match (verification.agrees(), &verification.repaired) {
        (Some(false), _) => "probably wrong",
        (_, Some(_)) => "recomputed",
        _ => "",
    };
    [
        Cell::shown(number(verdict.estimate, 0.1 * half)),
        Cell::words(format!("±{}", error_short(half))),
        Cell::words(word),
    ]
}

/// A value with its guarantee, or the code of the diagnostic.
fn cell(result: &PropertyReport, trusts: &Trusts) -> Cell {
    let (text, bounds) = match &result.outcome {
        Ok(answer) => {
            let bounds = match answer.guarantee {
                Guarantee::Sound { lo, hi, .. } => Some([lo, hi]),
                Guarantee::Statistical { interval, .. } => interval,
                _ => None,
            };
            (value(answer).plain(), bounds)
        }
        Err(diagnostics) => {
            let error = diagnostics.iter().find(|d| d.severity == Severity::Error);
            (error.map_or_else(|| PLAIN.nothing().to_owned(), |d| d.code.to_string()), result.known)
        }
    };
    // Where it is told once for all, the bounds need not be told by words.
    let guarantee = trusts.beside(result);
    Cell::Number(Number { text, bounds, guarantee })
}
