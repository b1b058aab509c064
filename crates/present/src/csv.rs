//! Tables as CSV: every row, and numbers with their bounds.

use crate::document::{Block, Cell, Document, Table, Trust};
use volvelle_media::csv::line;

/// The tables of a document, with an empty line between them.
pub fn document(document: &Document) -> String {
    let tables = document.blocks.iter().filter_map(|block| match block {
        Block::Table(found) => Some(table(found)),
        _ => None,
    });
    tables.collect::<Vec<_>>().join("\n")
}

/// A line for the heads, then one for each row. A column with bounds is three.
pub fn table(table: &Table) -> String {
    let mut out = String::new();
    let mut heads = Vec::new();
    for column in &table.columns {
        let head = column.title().plain();
        let bounds = ["lo", "hi"].map(|end| format!("{head} {end}"));
        heads.push(head);
        heads.extend(bounds.into_iter().filter(|_| column.trust != Trust::Elsewhere));
    }
    line(&mut out, &heads);
    for row in &table.rows {
        let mut cells = Vec::new();
        for (column, cell) in table.columns.iter().zip(&row.cells) {
            cells.push(match cell {
                Cell::Count(n) => n.to_string(),
                Cell::Missing => String::new(),
                Cell::Time(time) => time.as_secs_f64().to_string(),
                cell => cell.text().plain(),
            });
            if column.trust != Trust::Elsewhere {
                let bounds = match cell {
                    Cell::Number(number) => number.bounds,
                    _ => None,
                };
                cells.extend(
                    bounds.map_or([String::new(), String::new()], |ends| ends.map(|end| end.to_string())),
                );
            }
        }
        line(&mut out, &cells);
    }
    out
}
