//! The steps of a pipeline: their numbers, then a table of all.

use crate::{Made, PointReport, StepAnswer, StepReport};
use volvelle_present::document::{
    Block, Cell, Column, Document, Heading, Row, Table, Text, Tone, cost, name,
};
use volvelle_present::format::{count, counted};
use volvelle_rates::document;
use volvelle_systems::document as systems;

/// Points whose unexpected verdicts are explained.
const EXPLAINED: usize = 5;

/// Everything about a run; with the probabilities of states if `states`.
pub fn run(reports: &[StepReport], file: &str, states: bool) -> Document {
    let mut document = Document::new(format!("The steps of {file}"));
    for report in reports {
        for point in &report.points {
            match &point.answer {
                Some(StepAnswer::LongRun(found)) => {
                    titled(&mut document, report, point);
                    document::long_run(&mut document, found, states);
                }
                Some(StepAnswer::Course(found)) => {
                    titled(&mut document, report, point);
                    document::course(&mut document, found, states);
                }
                _ => continue,
            }
            document.push(Block::Gap);
        }
        for point in report.unexpected().take(EXPLAINED) {
            match &point.answer {
                Some(StepAnswer::Formula(found)) => {
                    titled(&mut document, report, point);
                    systems::formula(&mut document, found);
                }
                Some(StepAnswer::Comparison(found)) => {
                    titled(&mut document, report, point);
                    systems::comparison(&mut document, found);
                }
                _ => continue,
            }
            document.push(Block::Gap);
        }
    }
    let columns = vec![
        Column::words("step"),
        Column::words("what"),
        Column::numbers("states"),
        Column::numbers("transitions"),
        Column::words("system"),
        Column::words("answer"),
        Column::numbers("time"),
    ];
    let rows = reports.iter().map(row).collect();
    document.push(Table { rows, ..Table::new(columns, 2, []) });
    document
}

/// The name of a step, with the constants of a point, as a title.
fn titled(document: &mut Document, report: &StepReport, point: &PointReport) {
    let constants: String = point.constants.iter().map(|constant| format!("  {constant}")).collect();
    document.push(Heading { title: name(&report.name).then(constants), ..Heading::default() });
}

fn row(report: &StepReport) -> Row {
    let sizes = |which: usize| {
        let sizes = report.points.iter().filter_map(|point| point.size.map(|size| size[which]));
        match (sizes.clone().min(), sizes.max()) {
            (Some(least), Some(most)) if least == most => Cell::Count(least),
            (Some(least), Some(most)) => Cell::shown(format!("{}..{}", count(least), count(most))),
            _ => Cell::Missing,
        }
    };
    let is_expected = report.unexpected().next().is_none();
    let cells = vec![
        Cell::name(&report.name),
        Cell::words(&report.what),
        sizes(0),
        sizes(1),
        made(report),
        answer(report, is_expected),
        Cell::Time(report.time),
    ];
    Row { cells, tone: if is_expected { Tone::Plain } else { Tone::Bad } }
}

/// How the systems of a step came about.
fn made(report: &StepReport) -> Cell {
    let all = [Made::Built, Made::UpToDate, Made::Wanted, Made::Failed, Made::Skipped];
    let mut told = Vec::new();
    for made in all {
        // A step that makes no system has those of another, and they are told there.
        if !report.makes_system && matches!(made, Made::Built | Made::UpToDate | Made::Wanted) {
            continue;
        }
        match report.points.iter().filter(|point| point.made == made).count() {
            0 => {}
            number if number == report.points.len() => told.push(made.name().to_owned()),
            number => told.push(format!("{} {}", count(number as u64), made.name())),
        }
    }
    // The next run finds systems up to date that this one builds.
    if told.is_empty() { Cell::Missing } else { cost(told.join(" · ")).into() }
}

/// The verdicts of a step, or how much was computed.
fn answer(report: &StepReport, is_expected: bool) -> Cell {
    let answers = || report.points.iter().filter_map(|point| point.answer.as_ref());
    let computed: usize = answers().map(StepAnswer::points).sum();
    if computed > 0 {
        return Cell::words(counted(computed as u64, "point"));
    }
    let is_comparison = answers().any(|answer| matches!(answer, StepAnswer::Comparison(_)));
    let mut told = Vec::new();
    for verdict in [true, false] {
        let name = match (is_comparison, verdict) {
            (true, true) => "equivalent",
            (true, false) => "not equivalent",
            (false, true) => "TRUE",
            (false, false) => "FALSE",
        };
        match answers().filter(|answer| answer.verdict() == Some(verdict)).count() {
            0 => {}
            number if number == report.points.len() => told.push(name.to_owned()),
            number => told.push(format!("{} {name}", count(number as u64))),
        }
    }
    let as_expected = match (report.expect, is_expected) {
        (None, _) => "",
        (Some(_), true) => ", as expected",
        (Some(_), false) => ", NOT as expected",
    };
    match told.is_empty() {
        true => Cell::Missing,
        false => Text::separated(told).then(as_expected).into(),
    }
}
