//! The layout of results: the answer first, then its guarantee, then its cost.
//!
//! Takes reports; gives text. Plain ASCII without colour when standard output is no terminal. Lines fit the columns of the
//! output ([`Style::width`]): texts go on in further lines, tables of many columns in further blocks, and only properties in
//! tables are shortened. Answers never are.

use volvelle_present::document::Document;
pub use volvelle_present::format;
use volvelle_present::terminal::draw;
pub use volvelle_present::terminal::{Style, columns, flow};
use volvelle_session::report::ModelReport;

/// The line about a model; with details if `verbose`.
pub fn head(model: &ModelReport, verbose: bool, style: Style) -> String {
    draw(&Document { blocks: crate::documents::model::blocks(model), ..Document::default() }, verbose, style)
}

/// The line that lists the written files, behind an empty line; nothing if there are none.
pub fn written(names: &[String], style: Style) -> String {
    if names.is_empty() { String::new() } else { format!("\n{}", written_line(names, "", style)) }
}

/// The line that lists the written files, and what there is to say about them.
pub fn written_line(names: &[String], about: &str, style: Style) -> String {
    let last = names.len().saturating_sub(1);
    let comma = |i: usize| if i < last { "," } else { "" };
    let mut items: Vec<String> =
        names.iter().enumerate().map(|(i, name)| format!("{name}{}", comma(i))).collect();
    if !about.is_empty() {
        items.push(format!(" {about}"));
    }
    flow::items("  written: ", &items, " ", 11, style)
}
