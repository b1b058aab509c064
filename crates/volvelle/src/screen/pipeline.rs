//! The steps of a pipeline: their numbers, then a table of all.

use super::columns::{Columns, Keys};
use super::format::{count, time};
use super::{Style, performance, systems, written};
use volvelle_verify::limits::counted;
use volvelle_verify::pipeline::{Made, PointReport, StepAnswer, StepReport};

/// Points whose unexpected verdicts are explained.
const EXPLAINED: usize = 5;

/// Everything about a run.
pub fn run(reports: &[StepReport], files: &[String], verbose: bool, style: Style) -> String {
    let mut out = String::new();
    for report in reports {
        for point in &report.points {
            let text = match &point.answer {
                Some(StepAnswer::LongRun(found)) => performance::long_run(found, false, verbose, style),
                Some(StepAnswer::Course(found)) => performance::course(found, verbose, style),
                _ => continue,
            };
            out.push_str(&format!("{}\n{text}\n", style.bold(&titled(report, point))));
        }
        for point in report.unexpected().take(EXPLAINED) {
            let text = match &point.answer {
                Some(StepAnswer::Formula(found)) => systems::formula(found, style),
                Some(StepAnswer::Comparison(found)) => systems::compared(found, style),
                _ => continue,
            };
            out.push_str(&format!("{}\n{text}\n", style.bold(&titled(report, point))));
        }
    }
    let head = ["step", "what", "states", "transitions", "system", "answer", "time"];
    let rows = reports.iter().map(|report| row(report, style));
    let columns = Columns {
        head: head.map(str::to_owned).to_vec(),
        rows: rows.collect(),
        keys: Keys::Before(2),
        group: 1,
    };
    out.push_str(&columns.draw(2, style, |number, line| {
        match reports.get(number).is_some_and(|report| report.unexpected().next().is_some()) {
            true => style.bad(line),
            false => line.to_owned(),
        }
    }));
    out.push_str(&written(files, style));
    out
}

/// The name of a step, with the constants of a point.
fn titled(report: &StepReport, point: &PointReport) -> String {
    let constants = point.constants.iter().map(|constant| format!("  {constant}"));
    format!("{}{}", report.name, constants.collect::<String>())
}

fn row(report: &StepReport, style: Style) -> Vec<String> {
    let sizes = |which: usize| {
        let sizes = report.points.iter().filter_map(|point| point.size.map(|size| size[which]));
        match (sizes.clone().min(), sizes.max()) {
            (Some(least), Some(most)) if least == most => count(least),
            (Some(least), Some(most)) => format!("{}..{}", count(least), count(most)),
            _ => style.nothing().to_owned(),
        }
    };
    vec![
        report.name.clone(),
        report.what.clone(),
        sizes(0),
        sizes(1),
        made(report, style),
        answer(report, style),
        time(report.time),
    ]
}

/// How the systems of a step came about.
fn made(report: &StepReport, style: Style) -> String {
    let all = [Made::Built, Made::UpToDate, Made::Wanted, Made::Failed, Made::Skipped];
    let mut parts = Vec::new();
    for made in all {
        // A step that makes no system has those of another, and they are told there.
        if !report.makes_system && matches!(made, Made::Built | Made::UpToDate | Made::Wanted) {
            continue;
        }
        match report.points.iter().filter(|point| point.made == made).count() {
            0 => {}
            number if number == report.points.len() => parts.push(made.name().to_owned()),
            number => parts.push(format!("{} {}", count(number as u64), made.name())),
        }
    }
    if parts.is_empty() { style.nothing().to_owned() } else { parts.join(style.separator()) }
}

/// The verdicts of a step, or how much was computed.
fn answer(report: &StepReport, style: Style) -> String {
    let answers = || report.points.iter().filter_map(|point| point.answer.as_ref());
    let computed: usize = answers().map(StepAnswer::points).sum();
    if computed > 0 {
        return counted(computed as u64, "point");
    }
    let is_comparison = answers().any(|answer| matches!(answer, StepAnswer::Comparison(_)));
    let mut parts = Vec::new();
    for verdict in [true, false] {
        let name = match (is_comparison, verdict) {
            (true, true) => "equivalent",
            (true, false) => "not equivalent",
            (false, true) => "TRUE",
            (false, false) => "FALSE",
        };
        match answers().filter(|answer| answer.verdict() == Some(verdict)).count() {
            0 => {}
            number if number == report.points.len() => parts.push(name.to_owned()),
            number => parts.push(format!("{} {name}", count(number as u64))),
        }
    }
    if parts.is_empty() {
        return style.nothing().to_owned();
    }
    let as_expected = match (report.expect, report.unexpected().next().is_some()) {
        (None, _) => "",
        (Some(_), false) => ", as expected",
        (Some(_), true) => ", NOT as expected",
    };
    format!("{}{as_expected}", parts.join(style.separator()))
}
