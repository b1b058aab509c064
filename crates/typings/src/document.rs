//! Answers for people.

use crate::run::{Checked, Replied};
use volvelle_diagnostics::{Severity, Sources};
use volvelle_present::document::{Answer as Asked, Cell, Column, Document, Name, Table, bad, good};
use volvelle_rules::machine::Statistics;
use volvelle_rules::system::{Answer, Line, Reply};

/// A line for each program.
pub(crate) fn of_check(
    system: &str,
    checked: &[Checked],
    statistics: Option<Statistics>,
    sources: &Sources,
) -> Document {
    let errors = |one: &Checked| {
        one.report.findings.iter().filter(|finding| finding.diagnostic.severity == Severity::Error).count()
    };
    let total: usize = checked.iter().map(errors).sum();
    let is_whole = checked.iter().all(|one| one.report.stopped.is_none());
    let verdict = match (checked.len(), total) {
        (0, _) => good("the rules have no errors"),
        (_, 0) if is_whole => good("all rules are kept"),
        (_, 0) => "not decided".into(),
        (_, 1) => bad("1 error"),
        (_, total) => bad(format!("{total} errors")),
    };
    let answer = Asked { question: format!("system {system}").into(), verdict, ..Asked::default() };
    let mut document = Document::answering("Programs and rules", answer);
    if checked.len() > 1 {
        let columns = vec![Column::words("program"), Column::numbers("errors")];
        let rows = checked.iter().map(|one| {
            vec![Cell::name(sources.file(one.file).name.as_str()), Cell::shown(errors(one).to_string())]
        });
        document.push(Table::new(columns, 1, rows));
    }
    count(&mut document, statistics);
    document
}

/// A table of what a judgment gave for nodes.
pub(crate) fn add_types(document: &mut Document, checked: &[Checked], sources: &Sources) {
    let columns = vec![Column::words("place"), Column::words("text"), Column::words("type")];
    let rows = checked.iter().flat_map(|one| &one.types).map(|typed| {
        let at = sources.line_column(typed.span);
        let file = &sources.file(typed.span.file).name;
        let text = sources.text(typed.span).split_whitespace().collect::<Vec<_>>().join(" ");
        vec![
            Cell::name(format!("{file}:{}:{}", at.line, at.column)),
            Cell::Text(Name::shortened(&text, LONGEST).into()),
            Cell::name(typed.ty.as_str()),
        ]
    });
    document.push(Table::new(columns, 1, rows));
}

/// Characters of a node that are shown.
const LONGEST: usize = 40;

/// The outputs of a judgment.
pub(crate) fn of_ask(replied: &Replied, is_counted: bool) -> Document {
    let verdict = match &replied.reply {
        Reply::Holds(outputs) if outputs.is_empty() => good("holds"),
        Reply::Holds(outputs) => {
            let outputs: Vec<String> = outputs.iter().map(written).collect();
            good(outputs.join(", "))
        }
        Reply::Fails(_) => bad("does not hold"),
        Reply::Stopped(_) => "not decided".into(),
    };
    let answer = Asked { question: replied.judgment.as_str().into(), verdict, ..Asked::default() };
    let mut document = Document::answering("A judgment", answer);
    count(&mut document, is_counted.then_some(replied.statistics));
    add_derivation(&mut document, &replied.derivation);
    document
}

/// Premises stand one blank deeper than what follows from them, up to so many; from there on the level is told.
const DEEPEST: usize = 60;

fn add_derivation(document: &mut Document, lines: &[Line]) {
    for line in lines {
        let text = match line.depth {
            0..=DEEPEST => line.text.clone(),
            depth => format!("(level {depth}) {}", line.text),
        };
        document.note(2 + line.depth.min(DEEPEST), Name(text));
    }
}

fn count(document: &mut Document, statistics: Option<Statistics>) {
    if let Some(Statistics { applications, hits, instructions }) = statistics {
        document.note(
            2,
            format!(
                "{applications} rules were applied, {hits} results were known, {instructions} instructions"
            ),
        );
    }
}

pub(crate) fn written(answer: &Answer) -> String {
    match answer {
        Answer::Null => "null".to_owned(),
        Answer::Truth(truth) => truth.to_string(),
        Answer::Number(number) => number.to_string(),
        Answer::Text(text) => text.clone(),
        Answer::List(items) => {
            let items: Vec<String> = items.iter().map(written).collect();
            format!("[{}]", items.join(", "))
        }
    }
}
