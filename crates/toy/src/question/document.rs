//! The answer for people: one document, which terminals, pages and tables draw.

use super::ranges::Range;
use volvelle_present::document::{Answer, Cell, Column, Document, Table};

/// A table of the variables.
pub fn ranges(ranges: &[Range], only_unused: bool) -> Document {
    let question =
        if only_unused { "values that are declared and not taken" } else { "values that are taken" };
    let answer = Answer { question: question.into(), ..Answer::default() };
    let mut document = Document::answering("The values of variables", answer);
    if ranges.is_empty() {
        document.note(2, "there are none");
        return document;
    }
    let columns = vec![
        Column::words("variable"),
        Column::numbers("least"),
        Column::numbers("greatest"),
        Column::words("declared"),
    ];
    let rows = ranges.iter().map(|range| {
        let [least, most] = range.taken.map(|value| Cell::shown(value.to_string()));
        let [low, high] = range.declared;
        vec![Cell::name(range.name.as_str()), least, most, Cell::shown(format!("{low}..{high}"))]
    });
    document.push(Table::new(columns, 1, rows));
    document
}
