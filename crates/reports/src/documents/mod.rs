//! What each answer says, as a document: once, for the terminal, for pages and for CSV.

pub mod answers;
mod chart;
pub mod devices;
mod evidence;
pub mod experiment;
pub mod facts;
pub mod model;
pub mod outline;
mod paths;
pub mod runs;
pub mod value;

use volvelle_present::document::{Path, Text, bad, doubtful, good};

/// What is asked, for the title of a page: the question, or how many there are.
pub fn question<'q>(questions: impl ExactSizeIterator<Item = &'q str>, file: &str) -> String {
    let count = questions.len();
    match (count, questions.last()) {
        (1, Some(only)) => one_line(only),
        _ => format!("{count} formulas of {file}"),
    }
}

/// A number whose error is not known, or zero.
fn number(x: f64) -> String {
    volvelle_present::format::number(x, 0.0)
}

/// A text in one line.
pub fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The verdict of a formula.
pub fn verdict(holds: Option<bool>) -> Text {
    match holds {
        None => doubtful("no verdict"),
        Some(true) => good("true"),
        Some(false) => bad("false"),
    }
}

/// Sizes and the like.
pub fn listed(texts: impl IntoIterator<Item = String>) -> Vec<Text> {
    texts.into_iter().map(Text::from).collect()
}

/// Places in a list, as people count.
pub fn places(places: &[usize]) -> String {
    places.iter().map(|place| (place + 1).to_string()).collect::<Vec<_>>().join(", ")
}

/// A run without steps that begins in a column.
pub fn evidence(indent: usize) -> Path {
    Path { most: usize::MAX, indent, ..Path::default() }
}
