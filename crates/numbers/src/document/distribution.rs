//! Distributions over states as documents: a line for each state, or for each class of states.

use crate::{Class, Distributions, Moment};
use volvelle_logic::FormulaValue;
use volvelle_present::document::{Block, Cell, Column, Document, Heading, Name, Table, Text, cost, faint};
use volvelle_present::format::{count, time};
use volvelle_present::text;

/// Classes that are shown without `-v`.
const SHOWN: usize = 20;

/// The tables, most probable classes first.
pub fn document(found: &Distributions, file: &str) -> Document {
    let [.., last] = found.moments.as_slice() else { return Document::default() };
    let when = |moment: &Moment| {
        moment.time.as_ref().map_or("in the long run".to_owned(), |time| format!("at time {time}"))
    };
    let title = match found.moments.as_slice() {
        [_] => format!("distribution {}", when(last)),
        _ => "distribution".to_owned(),
    };
    let mut document = Document::new(format!("The {title} of the states of {file}"));
    let took = time(found.moments.iter().map(|moment| moment.took).sum());
    document.push(Block::Gap);
    let about = text![methods(found), ", ", cost(took)];
    document.push(Heading { title: title.into(), about, gap: 6, indent: 2 });
    if found.initial_states > 1 {
        let states = count(found.initial_states);
        document.note(2, faint(format!("from {states} equally likely initial states")));
    }
    document.push(Block::Gap);
    let mut columns: Vec<Column> =
        found.moments.iter().map(|moment| Column::bounds(head(found, moment))).collect();
    match found.by.as_slice() {
        [] => columns.push(Column::words("state")),
        by => columns.extend(by.iter().map(|name| Column::words(Name(name.clone())))),
    }
    let table = Table::new(columns, 0, found.classes.iter().map(cells)).keyed_behind(found.by.len().max(1));
    let brief = Some((SHOWN, "-v shows all, --csv and --json list all"));
    document.push(Table { indent: 4, brief, ..table });
    document
}

/// Probabilities, then the class.
fn cells(class: &Class) -> Vec<Cell> {
    let mut cells: Vec<Cell> = class.bounds.iter().map(|bounds| Cell::between(*bounds)).collect();
    if class.values.is_empty() {
        cells.push(Cell::name(class.state.clone()));
    }
    cells.extend(class.values.iter().map(|value| match *value {
        FormulaValue::Truth(truth) => Cell::words(truth.to_string()),
        FormulaValue::Bounds([x, _]) => Cell::shown(x.to_string()),
    }));
    cells
}

fn head(found: &Distributions, moment: &Moment) -> Text {
    match (&moment.time, found.moments.len()) {
        (_, 1) => "probability".into(),
        (Some(time), _) => format!("t={time}").into(),
        (None, _) => "long run".into(),
    }
}

/// The methods, each once: those of the longest time and of the long run.
fn methods(found: &Distributions) -> String {
    let timed = found.moments.iter().rev().find(|moment| moment.time.is_some());
    let long_run = found.moments.iter().find(|moment| moment.time.is_none());
    let all: Vec<&str> = timed.into_iter().chain(long_run).map(|moment| moment.method.as_str()).collect();
    all.join("; ")
}
