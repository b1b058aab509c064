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

/// A line for each question, statement or fact: its name, its text, the answer, and what is told of it. Nothing where there is none.
fn answers(blocks: &[Block]) -> String {
    let mut out = String::new();
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
            Block::Labels(_, labels) => {
                for (name, text) in labels {
                    tell([name.plain(), String::new(), text.plain(), String::new()]);
                }
            }
            _ => {}
        }
    }
    if out.is_empty() {
        return out;
    }
    let mut head = String::new();
    line(&mut head, &["name", "question", "answer", "about"]);
    head + &out
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Answer, Column, Finding, Step, name};

    #[test]
    fn a_document_without_tables_is_a_table_of_its_answers() {
        let mut found = Document::default();
        assert_eq!(document(&found), "");
        let verdict = "true".into();
        found.push(Answer { question: "A[] x<4".into(), verdict, ..Answer::default() });
        let about = vec!["exact".into(), "12 states".into()];
        let text = name("P=? [ F \"full\" ]");
        found.push(Block::Finding(Box::new(Finding { question: text, about, ..Finding::default() })));
        found.push(Block::Verdict(None, "nobody waits, for ever".into()));
        let lines = [
            "name,question,answer,about",
            ",A[] x<4,true,",
            ",\"P=? [ F \"\"full\"\" ]\",,exact; 12 states",
            ",\"nobody waits, for ever\",,",
        ];
        assert_eq!(document(&found).lines().collect::<Vec<_>>(), lines);
    }

    #[test]
    fn a_run_is_a_table_of_its_steps() {
        let columns = vec![Column::numbers("step"), Column::words("process")];
        let step = |number: &str, changes: &[&str]| Step {
            cells: vec![name(number), name("P(0)")],
            changes: changes.iter().map(|text| name(*text)).collect(),
            printed: "a\nb".to_owned(),
            ..Step::default()
        };
        let steps = vec![step("1", &[]), step("2", &["x=1", "y=2"])];
        let run = Document {
            blocks: vec![Steps { columns, steps, ..Steps::default() }.into()],
            ..Document::default()
        };
        let expected = "step,process,changes,prints\n1,P(0),,\"a\nb\"\n2,P(0),x=1; y=2,\"a\nb\"\n";
        assert_eq!(document(&run), expected);
    }
}
