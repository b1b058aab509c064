//! What is said of tuning: the best configurations, their proof, the table, and how much each parameter matters.

use std::time::Duration;
use volvelle_present::document::{
    Block, Cell, Chart, Column, Document, Row as Line, Table, Text, Tone, bad, doubtful, faint, name, strong,
    took,
};
use volvelle_present::format::{count, number};
use volvelle_session::limits::counted;
use volvelle_tune::{Evidence, Proof, Row, Tuning};

/// Configurations that a terminal lists at first.
const LISTED: usize = 40;

/// Best configurations that are listed above the table.
const BEST: usize = 8;

/// Room for names in front of texts.
const LABEL: usize = 12;

/// The whole result of a file with this name, with a picture.
pub fn document(tuning: &Tuning, elapsed: Duration, file: &str, chart: Option<Chart>) -> Document {
    let parameters = tuning.parameters.join(", ");
    let mut document = Document::new(format!("The least {} of {file}, over {parameters}", tuning.objective));
    document.push(Block::Gap);
    document.push(Block::Labels(LABEL, answer(tuning, elapsed)));
    document.blocks.extend(chart.map(Block::from));
    if !tuning.steps.is_empty() {
        let columns = vec![Column::words("step"), Column::words("found"), Column::numbers("states")];
        let rows = tuning.steps.iter();
        let rows = rows
            .map(|step| vec![Cell::name(&step.text), Cell::words(&step.outcome), Cell::Count(step.states)]);
        document.push(Block::Gap);
        document.push(Table { group: 2, ..Table::new(columns, 1, rows) });
    }
    if !tuning.rows.is_empty() {
        document.push(Block::Gap);
        document.push(table(tuning));
    }
    sensitivity(&mut document, tuning);
    document
}

/// The best configurations, their proof, and what it took.
fn answer(tuning: &Tuning, elapsed: Duration) -> Vec<(Text, Text)> {
    let mut labels: Vec<(Text, Text)> = Vec::new();
    let mut line = |name: &str, text: Text| labels.push((name.into(), text));
    let unit = if tuning.unit.is_empty() { String::new() } else { format!(" {}", tuning.unit) };
    let least = match tuning.time() {
        None => bad("none"),
        Some(least) => strong(number(least, 0.0) + &unit),
    };
    line(&format!("least {}", tuning.objective), least);
    let best: Vec<String> = tuning.best().map(|row| configuration(row, tuning)).collect();
    for (i, text) in best.iter().take(BEST).enumerate() {
        line(if i == 0 { "with" } else { "or" }, strong(name(text)));
    }
    if best.len() > BEST {
        line("", format!("and {} more", count((best.len() - BEST) as u64)).into());
    }
    match &tuning.proof {
        Proof::Proven(why) => line("proven", why.as_str().into()),
        Proof::Unproven(why) => line("not proven", doubtful(why.as_str())),
    }
    if let Some(all) = tuning.configurations {
        let decided = tuning.decided();
        if decided < all {
            let (decided, all) = (count(decided), count(all));
            line("coverage", format!("the time of {decided} of {all} configurations is known").into());
        }
    }
    line("method", tuning.method.as_str().into());
    match tuning.states + tuning.transitions {
        // Nothing is explored where times are computed.
        0 => line("took", took(elapsed)),
        _ => {
            let sizes = [counted(tuning.states, "state"), counted(tuning.transitions, "transition")];
            let all = sizes.map(Text::from).into_iter().chain([took(elapsed)]);
            line("explored", Text::separated(all));
        }
    }
    labels
}

/// `WG=4 TS=2`
pub fn configuration(row: &Row, tuning: &Tuning) -> String {
    let pairs = tuning.parameters.iter().zip(&row.values).map(|(name, value)| format!("{name}={value}"));
    pairs.collect::<Vec<_>>().join(" ")
}

/// The time of a row, or its bounds.
pub fn time_of(row: &Row) -> String {
    match (row.time(), &row.evidence) {
        (_, Evidence::Invalid(_)) => "invalid".to_owned(),
        (Some(time), _) => number(time, 0.0),
        _ if row.never_ends() => "never".to_owned(),
        (None, Evidence::Found) if row.hi.is_finite() && row.lo <= 0.0 => {
            format!("<= {}", number(row.hi, 0.0))
        }
        _ if row.hi.is_finite() => format!("{} .. {}", number(row.lo, 0.0), number(row.hi, 0.0)),
        _ => format!(">= {}", number(row.lo, 0.0)),
    }
}

fn table(tuning: &Tuning) -> Table {
    let mut columns: Vec<Column> = tuning.parameters.iter().map(|text| Column::numbers(name(text))).collect();
    columns.push(Column::numbers(tuning.objective.as_str()).unit(&tuning.unit));
    // Measured times have no states, others no prediction beside them.
    let (has_states, has_predictions) = (tuning.is_about_states(), tuning.has_predictions());
    columns.extend(has_predictions.then(|| Column::numbers("predicted").unit(&tuning.unit)));
    if has_states {
        columns.extend([Column::words("all runs"), Column::numbers("states")]);
    }
    columns.extend(["known by", ""].map(Column::words));
    let best = tuning.time();
    let line = |row: &Row| {
        let mut cells: Vec<Cell> = row.values.iter().map(|value| Cell::name(value.to_string())).collect();
        cells.push(Cell::shown(time_of(row)));
        if has_predictions {
            cells.push(row.predicted.map_or(Cell::Empty, |time| Cell::number(time, 0.0)));
        }
        if has_states {
            let alike = match (row.all_alike, row.greatest) {
                (Some(true), _) => "same time".to_owned(),
                (Some(false), Some(most)) if most > row.hi => format!("up to {}", number(most, 0.0)),
                (Some(false), _) => "differ".to_owned(),
                (None, _) => String::new(),
            };
            cells.extend([Cell::words(alike), Cell::Count(row.states)]);
        }
        let is_best = best == Some(row.hi);
        cells.extend([Cell::words(evidence(&row.evidence)), Cell::words(if is_best { "best" } else { "" })]);
        Line { cells, tone: if is_best { Tone::Strong } else { Tone::Plain } }
    };
    let rows = tuning.rows.iter().map(line).collect();
    let brief = Some((LISTED, "--verbose shows all, --csv FILE lists all"));
    Table { rows, group: 5, brief, ..Table::new(columns, tuning.parameters.len(), []) }
}

fn evidence(evidence: &Evidence) -> String {
    match evidence {
        Evidence::Certified => "certificate".to_owned(),
        Evidence::Exhaustive => "all states".to_owned(),
        Evidence::Composed(_) => "composition".to_owned(),
        Evidence::Found => "a run".to_owned(),
        Evidence::Unknown => "-".to_owned(),
        Evidence::Predicted => "prediction".to_owned(),
        Evidence::Measured => "measurement".to_owned(),
        Evidence::Invalid(why) => why.clone(),
    }
}

fn sensitivity(document: &mut Document, tuning: &Tuning) {
    let all = tuning.sensitivities();
    if all.is_empty() {
        return;
    }
    document.push(Block::Gap);
    document.note(2, faint("around the best configuration, one parameter at a time"));
    let line = all.into_iter().map(|one| {
        let ratio = one.ratio();
        let [worst, best] =
            [one.worst, one.best].map(|(with, time)| format!("{} with {with}", number(time, 0.0)));
        let text = format!("worst / best {ratio:.2}: {worst}, {best}");
        (name(&tuning.parameters[one.parameter]), text.into())
    });
    document.push(Block::Labels(LABEL, line.collect()));
}
