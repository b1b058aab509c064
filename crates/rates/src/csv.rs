//! Results as tables of comma-separated values.

use super::{CourseFound, LongRunFound, PerformanceReport, Point};
use volvelle_imc::middle;
use volvelle_session::csv::{line, number};

/// Columns of constants.
fn constants<T>(point: &Point<T>) -> Vec<String> {
    point.constants.iter().map(|constant| constant.value.to_string()).collect()
}

fn names<T>(report: &PerformanceReport<T>) -> Vec<String> {
    let first = report.points.first();
    first.map_or(Vec::new(), |point| point.constants.iter().map(|constant| constant.name.clone()).collect())
}

fn text(rows: &[Vec<String>]) -> String {
    let mut out = String::new();
    rows.iter().for_each(|cells| line(&mut out, cells));
    out
}

fn bounded([lo, hi]: [f64; 2]) -> [String; 3] {
    [middle([lo, hi]), lo, hi].map(number)
}

fn headed(name: &str) -> [String; 3] {
    [name.to_owned(), format!("{name} lo"), format!("{name} hi")]
}

/// Throughputs: a line for each combination of values, with value, lower and upper bound of each action.
pub fn csv_of_long_run(report: &PerformanceReport<LongRunFound>) -> String {
    text(&rows_of_long_run(report))
}

/// The same as rows of cells; the first is the head.
pub fn rows_of_long_run(report: &PerformanceReport<LongRunFound>) -> Vec<Vec<String>> {
    let mut out = Vec::new();
    let is_extreme = report.points.iter().any(|point| matches!(point.found, LongRunFound::Extremes(_)));
    let mut head = names(report);
    for action in &report.actions {
        match is_extreme {
            true => head.extend(["min", "max"].iter().flat_map(|end| headed(&format!("{end} {action}")))),
            false => head.extend(headed(action)),
        }
    }
    out.push(head);
    for point in &report.points {
        let mut cells = constants(point);
        match &point.found {
            LongRunFound::Steady(steady) => {
                cells.extend(steady.throughputs.iter().flat_map(|amount| bounded(amount.bounds)));
            }
            LongRunFound::Extremes(found) => {
                let ends = found.throughputs.iter().flat_map(|(_, e)| [e.least, e.greatest]);
                cells.extend(ends.flat_map(bounded));
            }
        }
        out.push(cells);
    }
    out
}

/// A line for each combination of values and each time: the probability to have passed, or throughputs and counts.
pub fn csv_of_course(report: &PerformanceReport<CourseFound>) -> String {
    text(&rows_of_course(report))
}

/// The same as rows of cells; the first is the head.
pub fn rows_of_course(report: &PerformanceReport<CourseFound>) -> Vec<Vec<String>> {
    let mut out = Vec::new();
    let mut head = names(report);
    let has_passage = report.points.iter().any(|point| point.found.passage.is_some());
    let has_counts = report.points.iter().any(|point| {
        point.found.transient.as_ref().is_some_and(|t| t.moments.iter().any(|moment| moment.counts.is_some()))
    });
    let is_extreme = report.points.iter().any(|point| point.found.passage_extremes.is_some());
    if is_extreme {
        head.extend(["min mean", "max mean", "min ever", "max ever"].iter().flat_map(|name| headed(name)));
        if !report.times.is_empty() {
            head.push("time".to_owned());
            head.extend(["min passed", "max passed"].iter().flat_map(|name| headed(name)));
        }
    } else if has_passage {
        head.extend(headed("mean"));
        head.push("time".to_owned());
        head.extend(headed("passed"));
    } else {
        head.push("time".to_owned());
        head.extend(report.actions.iter().flat_map(|action| headed(action)));
        if has_counts {
            head.extend(report.actions.iter().flat_map(|action| headed(&format!("count {action}"))));
        }
    }
    out.push(head);
    for point in &report.points {
        if let Some(found) = &point.found.passage_extremes {
            let ends = [found.mean.least, found.mean.greatest, found.ever.least, found.ever.greatest];
            let start: Vec<String> =
                constants(point).into_iter().chain(ends.into_iter().flat_map(bounded)).collect();
            for ((text, _), within) in report.times.iter().zip(&found.within) {
                let both = [within.least, within.greatest].into_iter().flat_map(bounded);
                out.push(start.iter().cloned().chain([text.clone()]).chain(both).collect());
            }
            if report.times.is_empty() {
                out.push(start);
            }
        }
        if let Some(passage) = &point.found.passage {
            let start: Vec<String> = constants(point).into_iter().chain(bounded(passage.mean)).collect();
            if report.times.is_empty() {
                let empty = std::iter::repeat_n(String::new(), 4);
                out.push(start.iter().cloned().chain(empty).collect());
            }
            for ((text, _), within) in report.times.iter().zip(&passage.within) {
                let rest = std::iter::once(text.clone()).chain(bounded(*within));
                out.push(start.iter().cloned().chain(rest).collect());
            }
        }
        if let Some(transient) = &point.found.transient {
            for ((text, _), moment) in report.times.iter().zip(&transient.moments) {
                let mut cells = constants(point);
                cells.push(text.clone());
                let counts = moment.counts.iter().flatten();
                cells.extend(moment.throughputs.iter().chain(counts).flat_map(|bounds| bounded(*bounds)));
                out.push(cells);
            }
        }
    }
    out
}
