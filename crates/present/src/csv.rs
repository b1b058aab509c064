//! Tables as CSV: every row, and numbers with their bounds.

use crate::document::{Block, Cell, Document, Steps, Table, Text, Trust};
use volvelle_media::csv::line;

/// The tables and runs of a document, with an empty line between them; its answers, where it has none.
pub fn document(document: &Document) -> String {
    let tables = document.blocks.iter().filter_map(|block| match block {
        Block::Table(found) => Some(table(found)),
        Block::Steps(run) => Some(steps(run)),
        _ => None,
    });
    let tables: Vec<String> = tables.collect();
    if tables.is_empty() { answers(&document.blocks) } else { tables.join("\n") }
}

/// A line for each step of a run that is listed: its cells, what it changes, and what it prints.
fn steps(run: &Steps) -> String {
    let mut out = String::new();
    let heads = run.columns.iter().map(|column| column.title().plain());
    line(&mut out, &heads.chain(["changes".to_owned(), "prints".to_owned()]).collect::<Vec<_>>());
    for step in &run.steps {
        let mut cells: Vec<String> = step.cells.iter().map(Text::plain).collect();
        cells.resize(run.columns.len(), String::new());
        cells.push(step.changes.iter().map(Text::plain).collect::<Vec<_>>().join("; "));
        cells.push(step.printed.clone());
        line(&mut out, &cells);
    }
    out
}

/// A line for each question, statement or fact: its name, its text, the answer, and what is told of it.
fn answers(blocks: &[Block]) -> String {
    let mut out = String::new();
    line(&mut out, &["name", "question", "answer", "about"]);
    let all = |about: &[Text]| about.iter().map(Text::plain).collect::<Vec<_>>().join("; ");
    let mut tell = |cells: [String; 4]| line(&mut out, &cells);
    for block in blocks {
        match block {
            Block::Answer(found) => {
                tell([String::new(), found.question.plain(), found.verdict.plain(), all(&found.about)]);
            }
            Block::Finding(found) => {
                let about = all(&found.about);
                tell([found.name.plain(), found.question.plain(), found.verdict.plain(), about]);
            }
            Block::Verdict(holds, statement) => {
                let holds = holds.map_or(String::new(), |holds| holds.to_string());
                tell([String::new(), statement.plain(), holds, String::new()]);
            }
            Block::Facts(facts) => {
                for fact in facts {
                    tell([fact.name.plain(), String::new(), fact.value.plain(), fact.why.plain()]);
                }
            }
            _ => {}
        }
    }
    out
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
