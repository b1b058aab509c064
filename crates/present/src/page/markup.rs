//! Text, tables and lists inside HTML and SVG.

use crate::format::count;
use crate::terminal::columns::{Columns, Keys};
use std::ops::Range;
pub use volvelle_media::markup::escaped;

/// A table with a line for each row. Cells are markup.
pub fn table(class: &str, heads: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    table_of(class, heads, rows, 0..0)
}

/// A table as the screen has it: numbers to the right, behind what the rows are about. It has `most` rows at most, and says so.
pub fn columns(table: &Columns, most: usize) -> String {
    let heads: Vec<&str> = table.head.iter().map(String::as_str).collect();
    let keys = match table.keys {
        Keys::Before(keys) => 0..keys,
        Keys::Behind(keys) => heads.len().saturating_sub(keys)..heads.len(),
    };
    let rows = table.rows.iter().take(most).map(|row| row.iter().map(|cell| escaped(cell)).collect());
    let mut out = table_of("figures", &heads, rows, keys);
    if table.rows.len() > most {
        let more = count((table.rows.len() - most) as u64);
        out.push_str(&format!("<p class=\"faint\">{more} more rows are not shown.</p>\n"));
    }
    out
}

/// A table whose cells in these columns are marked as what a row is about.
fn table_of(
    class: &str,
    heads: &[&str],
    rows: impl IntoIterator<Item = Vec<String>>,
    keys: Range<usize>,
) -> String {
    let mark = |i: usize| if keys.contains(&i) { " class=\"key\"" } else { "" };
    let mut out = format!("<div class=\"scroll\"><table class=\"{class}\">\n<thead><tr>");
    for (i, head) in heads.iter().enumerate() {
        out.push_str(&format!("<th scope=\"col\"{}>{}</th>", mark(i), escaped(head)));
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    for row in rows {
        out.push_str("<tr>");
        for (i, cell) in row.iter().enumerate() {
            out.push_str(&format!("<td{}>{cell}</td>", mark(i)));
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody>\n</table></div>\n");
    out
}

/// A picture that is an SVG document.
pub fn picture(document: &[u8]) -> String {
    let document = String::from_utf8_lossy(document);
    let picture = document.find("<svg").map_or("", |start| &document[start..]);
    format!("<figure class=\"plot\">\n{picture}</figure>\n")
}

/// A list of names with values, as markup; what has no value is left out.
pub fn facts(facts: &[(&str, String)]) -> String {
    let facts = facts.iter().filter(|(_, value)| !value.is_empty());
    let lines: String =
        facts.map(|(name, value)| format!("<div><dt>{name}</dt><dd>{value}</dd></div>\n")).collect();
    if lines.is_empty() { lines } else { format!("<dl>\n{lines}</dl>\n") }
}

/// What differs from run to run: times, and the code that was fastest.
pub fn cost(text: &str) -> String {
    format!("<span class=\"cost\">{}</span>", escaped(text))
}
