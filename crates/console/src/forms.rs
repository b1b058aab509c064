//! An answer in the form that is wanted: which of JSON, a table and a text are printed, and the file of the table. Pages need more
//! ([`presented`](crate::presented)).

use crate::files;
use crate::options::AnswerArgs;
use crate::output::Output;
use volvelle_diagnostics::Diagnostic;

/// Makes the table and writes it to its file, if one is wanted. The run `is_whole`, or ended early.
pub fn write_table(
    answer: &AnswerArgs,
    is_whole: bool,
    table: impl FnOnce() -> String,
    written: &mut Vec<String>,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let Some(path) = answer.csv.as_deref().filter(|_| !answer.is_table_printed()) else { return };
    let table = table();
    // A question that has no answer takes no place from one that had.
    if !table.is_empty() {
        files::write_as(is_whole, path, table.as_bytes(), written, diagnostics);
    }
}

/// Prints one of these, unless the page takes their place: that is printed where it is made.
pub fn print(
    answer: &AnswerArgs,
    json: impl FnOnce() -> String,
    table: impl FnOnce() -> String,
    text: impl FnOnce() -> String,
    output: &Output,
) {
    if answer.output.json {
        output.print(&json());
    } else if answer.is_table_printed() {
        output.print(&table());
    } else if !answer.is_page_printed() {
        output.print(&text());
    }
}
