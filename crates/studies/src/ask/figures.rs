//! The figures of a study: the time of a message over one parameter, and misses by class.

use crate::{ConfigurationReport, StudyReport, classes};
use volvelle_plot::bar_chart::{BarChart, Bars};
use volvelle_plot::{Chart, Dimension, Kind, Line, Point, Scale};

/// The values of some parameters, as a name of a configuration.
fn name(report: &StudyReport, configuration: &ConfigurationReport, axes: &[usize]) -> String {
    let value = |&axis: &usize| {
        let (name, value) = &configuration.values[axis];
        // A word says what it is; a number does not.
        if value.parse::<f64>().is_ok() { format!("{name} {value}") } else { value.clone() }
    };
    match axes.is_empty() {
        true => report.title.clone(),
        false => axes.iter().map(value).collect::<Vec<_>>().join(" "),
    }
}

/// The parameter over which times are drawn: the last one that differs and is a number everywhere.
fn horizontal(report: &StudyReport) -> Option<usize> {
    let is_number = |&axis: &usize| {
        report.configurations.iter().all(|configuration| configuration.values[axis].1.parse::<f64>().is_ok())
    };
    report.axes().into_iter().rev().find(is_number)
}

/// The time of a message over the last parameter that is a number, a curve for each combination of the others.
pub fn times(report: &StudyReport) -> Option<Chart> {
    let axis = horizontal(report)?;
    let others: Vec<usize> = report.axes().into_iter().filter(|&other| other != axis).collect();
    let mut lines: Vec<Line> = Vec::new();
    for configuration in &report.configurations {
        let Some(found) = &configuration.performance else { continue };
        let x: f64 = configuration.values[axis].1.parse().ok()?;
        let name = name(report, configuration, &others);
        let [lo, hi] = found.latency;
        let point = Point { x, y: found.time(), lo, hi };
        match lines.iter_mut().find(|line| line.name == name) {
            Some(line) => line.points.push(point),
            None => {
                let style = lines.len();
                lines.push(Line { name, kind: Kind::Curve, style, points: vec![point] });
            }
        }
    }
    for line in &mut lines {
        line.points.sort_by(|a, b| a.x.total_cmp(&b.x));
    }
    let scale = Scale::fitting(lines.iter().flat_map(|line| &line.points).map(|point| point.y));
    let dimension = |label: String| Dimension { label, scale: Scale::Linear };
    (!lines.is_empty()).then(|| Chart {
        title: format!("Time per {}", report.what),
        subtitle: report.title.clone(),
        x: dimension(report.parameters[axis].clone()),
        y: Dimension { scale, label: format!("time per {} ({})", report.what, report.unit) },
        lines,
        ..Chart::default()
    })
}

/// Misses per message by class, a stack for each configuration; over the parameter of the other figure, only its greatest value.
pub fn misses(report: &StudyReport) -> Option<BarChart> {
    let classes = classes(report);
    let axis = horizontal(report);
    let others: Vec<usize> = report.axes().into_iter().filter(|&other| Some(other) != axis).collect();
    let mut categories: Vec<String> = Vec::new();
    let mut shown: Vec<&ConfigurationReport> = Vec::new();
    for configuration in
        report.configurations.iter().filter(|configuration| configuration.performance.is_some())
    {
        let name = name(report, configuration, &others);
        match categories.iter().position(|known| *known == name) {
            Some(place) => shown[place] = configuration,
            None => {
                categories.push(name);
                shown.push(configuration);
            }
        }
    }
    if shown.is_empty() {
        return None;
    }
    let series = classes.iter().enumerate().map(|(style, class)| {
        let misses = |configuration: &&ConfigurationReport| {
            let sums = configuration.performance.as_ref()?.by_class();
            Some(sums.iter().find(|sum| sum.name == *class).map_or(0.0, |sum| sum.misses))
        };
        Bars { name: class.clone(), style, values: shown.iter().map(misses).collect(), bounds: None }
    });
    let last = axis.and_then(|axis| shown.last().map(|configuration| &configuration.values[axis]));
    let subtitle = match last {
        Some((name, value)) => format!("{}, {name} {value}", report.title),
        None => report.title.clone(),
    };
    Some(BarChart {
        title: format!("Cache misses per {}", report.what),
        subtitle: subtitle.trim_start_matches(", ").to_owned(),
        x: others.iter().map(|&axis| report.parameters[axis].clone()).collect::<Vec<_>>().join(", "),
        y: format!("misses per {}", report.what),
        categories,
        series: series.collect(),
        stacked: true,
    })
}
