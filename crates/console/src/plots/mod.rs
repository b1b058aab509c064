//! An experiment as a chart: which constant runs along the axis, what becomes a line, and what is said once, in the title.

mod map;
mod quantity;

use crate::files;
use crate::options::LogAxes;
pub use map::map;
use quantity::{VALUE, quantity};
use std::path::{Path, PathBuf};
use volvelle_diagnostics::{Diagnostic, codes};
use volvelle_logic::{Guarantee, Value};
use volvelle_plot::{Chart, Dimension, Format, Kind, Line, Point, Scale};
use volvelle_session::points::Experiment;
use volvelle_session::report::PropertyReport;

/// The format of a picture, by the extension of its file.
pub fn format(path: &Path) -> Result<Format, Diagnostic> {
    let extension = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
    Format::of_extension(extension).ok_or_else(|| {
        let message = format!("`{}` has no extension that selects a picture format", path.display());
        Diagnostic::error(codes::UNKNOWN_EXPORT, message)
            .help(format!("write .svg, .pdf, .png or .html: {}", path.with_extension("svg").display()))
    })
}

/// Writes a picture to files, each in the format that its name selects. If it `is_whole` is not so, their names say it.
pub fn write_as(
    is_whole: bool,
    paths: &[PathBuf],
    picture: impl Fn(Format) -> Vec<u8>,
    written: &mut Vec<String>,
    diagnostics: &mut Vec<Diagnostic>,
) {
    for path in paths {
        match format(path) {
            Ok(format) => files::write_as(is_whole, path, &picture(format), written, diagnostics),
            Err(diagnostic) => diagnostics.push(diagnostic),
        }
    }
}

/// The same, partial if diagnostics say that the run ended early.
pub fn write(
    paths: &[PathBuf],
    picture: impl Fn(Format) -> Vec<u8>,
    written: &mut Vec<String>,
    diagnostics: &mut Vec<Diagnostic>,
) {
    write_as(!diagnostics.iter().any(files::is_cut), paths, picture, written, diagnostics);
}

/// A line of the chart: the property and the values of the constants that it stands for, and the kind of its points.
#[derive(PartialEq)]
struct Key {
    property: usize,
    constants: Vec<String>,
    kind: Kind,
}

/// The chart: the last constant whose values are numbers runs along the axis; there is a line for each property
/// and each combination of values of the other constants.
pub fn chart(experiment: &Experiment, model: &str, log: Option<LogAxes>) -> Result<Chart, Diagnostic> {
    let along = along(experiment)?;
    let properties = experiment.points.first().map_or(&[][..], |p| &p.results);
    let others: Vec<usize> = (0..experiment.axes.len())
        .filter(|&axis| axis != along && experiment.axes[axis].values.len() > 1)
        .collect();
    let mut lines: Vec<(Key, Line)> = Vec::new();
    for point in &experiment.points {
        for (property, result) in point.results.iter().enumerate() {
            let constants: Vec<String> = (others.iter())
                .map(|&axis| format!("{}={}", experiment.axes[axis].name, point.values[axis]))
                .collect();
            let mut name = constants.clone();
            if properties.len() > 1 || constants.is_empty() {
                name.insert(0, label(result));
            }
            let x = point.values[along].literal().as_f64().unwrap_or(f64::NAN);
            for (kind, point) in points(x, result) {
                let key = Key { property, constants: constants.clone(), kind };
                match lines.iter_mut().find(|(known, _)| *known == key) {
                    Some((_, line)) => line.points.push(point),
                    None => {
                        let style = style(&lines, &key);
                        let name = match kind {
                            Kind::Curve => name.join(", "),
                            Kind::Samples => "simulated (99 %)".to_owned(),
                            Kind::Doubts => "probably wrong".to_owned(),
                        };
                        lines.push((key, Line { name, kind, style, points: vec![point] }));
                    }
                }
            }
        }
    }
    // With one property, values of a single other constant are steps of an order.
    let steps = match others[..] {
        [axis] if properties.len() == 1 => ordered(experiment, axis),
        _ => Vec::new(),
    };
    for (key, line) in &mut lines {
        if let Some(rank) = steps.iter().position(|step| key.constants == [step.as_str()]) {
            line.style = rank;
        }
    }
    let mut lines: Vec<Line> = lines.into_iter().map(|(_, line)| line).collect();
    for line in &mut lines {
        // Lists and descending ranges may be in any order.
        line.points.sort_by(|a, b| a.x.total_cmp(&b.x));
    }
    let [x_scale, y_scale] = scales(log);
    let x_label = experiment.axes[along].name.clone();
    let y_label = one_quantity(properties);
    Ok(Chart {
        title: title(properties, &y_label, &x_label),
        subtitle: subtitle(experiment, model),
        x: Dimension { label: x_label, scale: x_scale },
        y: Dimension { label: y_label, scale: y_scale },
        lines,
        is_ordered: !steps.is_empty(),
    })
}

/// The values of a constant, `N=3`, from the least to the greatest; empty unless they are several numbers.
fn ordered(experiment: &Experiment, axis: usize) -> Vec<String> {
    let axis = &experiment.axes[axis];
    let numbers =
        axis.values.iter().map(|value| Some((value.literal().as_f64()?, format!("{}={value}", axis.name))));
    let mut numbers: Vec<(f64, String)> = numbers.collect::<Option<_>>().unwrap_or_default();
    if numbers.len() < LEAST_ORDERED {
        return Vec::new();
    }
    numbers.sort_by(|a, b| a.0.total_cmp(&b.0));
    numbers.into_iter().map(|(_, text)| text).collect()
}

/// Lines whose colours are to show an order: two can be told apart anyway.
const LEAST_ORDERED: usize = 3;

/// What would show the values of charts apart, where they span decades.
pub fn proposal(charts: &[Chart]) -> Option<String> {
    let spans = |scale: fn(&Chart) -> Scale, value: fn(&Point) -> f64| {
        charts.iter().any(|chart| {
            let points =
                chart.lines.iter().filter(|line| line.kind == Kind::Curve).flat_map(|line| &line.points);
            scale(chart) == Scale::Linear && Scale::fitting(points.map(value)) == Scale::Logarithmic
        })
    };
    let (x, y) =
        (spans(|chart| chart.x.scale, |point| point.x), spans(|chart| chart.y.scale, |point| point.y));
    let (what, axes) = match (x, y) {
        (false, false) => return None,
        (true, false) => ("the constant spans", "x"),
        (false, true) => ("the values span", "y"),
        (true, true) => ("constant and values span", "xy"),
    };
    Some(format!(
        "{what} more than two decades: --plot values.svg --log-axes {axes} draws them on a logarithmic scale, here too"
    ))
}

/// The same chart with the axes that are asked for.
pub fn with_axes(chart: Chart, log: Option<LogAxes>) -> Chart {
    let Some(log) = log else { return chart };
    let [x, y] = scales(Some(log));
    Chart { x: Dimension { scale: x, ..chart.x }, y: Dimension { scale: y, ..chart.y }, ..chart }
}

fn scales(log: Option<LogAxes>) -> [Scale; 2] {
    match log {
        None => [Scale::Linear; 2],
        Some(LogAxes::X) => [Scale::Logarithmic, Scale::Linear],
        Some(LogAxes::Y) => [Scale::Linear, Scale::Logarithmic],
        Some(LogAxes::Xy) => [Scale::Logarithmic; 2],
    }
}

/// The constant for the horizontal axis, if possible one with several values.
fn along(experiment: &Experiment) -> Result<usize, Diagnostic> {
    let is_numeric =
        |axis: &usize| experiment.axes[*axis].values.iter().all(|v| v.literal().as_f64().is_some());
    let numeric: Vec<usize> = (0..experiment.axes.len()).filter(is_numeric).collect();
    let several = numeric.iter().rev().find(|&&axis| experiment.axes[axis].values.len() > 1);
    several.or(numeric.last()).copied().ok_or_else(|| {
        Diagnostic::error(codes::BAD_USAGE, "no constant has numeric values for the axis")
            .help("give a constant a range: --const T=0:10:200")
    })
}

/// Lines of the same property and constants look alike.
fn style(lines: &[(Key, Line)], key: &Key) -> usize {
    let same = lines.iter().find(|(k, _)| k.property == key.property && k.constants == key.constants);
    let curves = lines.iter().filter(|(k, _)| k.kind == Kind::Curve).count();
    same.map_or(curves, |(_, line)| line.style)
}

/// What is drawn for a result: its value; where paths were simulated, what they say, and whether that is in conflict.
fn points(x: f64, result: &PropertyReport) -> Vec<(Kind, Point)> {
    let value = of_result(x, result);
    let mut points = vec![(Kind::Curve, value)];
    if let Some(verification) = &result.verification
        && let Ok(verdict) = &verification.verdict
    {
        let [.., widest] = verdict.intervals;
        points.push((Kind::Samples, Point { x, y: verdict.estimate, lo: widest.lo, hi: widest.hi }));
        if verification.agrees() == Some(false) {
            points.push((Kind::Doubts, Point { lo: value.y, hi: value.y, ..value }));
        }
    }
    points
}

fn label(result: &PropertyReport) -> String {
    result.name.clone().unwrap_or_else(|| result.text.trim().to_owned())
}

/// The quantity of all properties; a general word if they ask for different ones.
fn one_quantity(properties: &[PropertyReport]) -> String {
    let mut all = properties.iter().map(quantity);
    let first = all.next().unwrap_or_else(|| VALUE.to_owned());
    if all.all(|other| other == first) { first } else { VALUE.to_owned() }
}

/// The question: of several properties, those texts that the legend does not show.
fn title(properties: &[PropertyReport], quantity: &str, along: &str) -> String {
    let named = properties.iter().filter_map(|p| Some(format!("{}: {}", p.name.as_ref()?, p.text.trim())));
    let named: Vec<String> = named.collect();
    match properties {
        [only] if only.name.is_none() => only.text.trim().to_owned(),
        _ if !named.is_empty() => named.join("; "),
        _ => format!("{quantity} by {along}"),
    }
}

/// What is the same for all lines: the model, constants that were given one value, the confidence of intervals.
fn subtitle(experiment: &Experiment, model: &str) -> String {
    let file = Path::new(model).file_name().map_or(model.to_owned(), |n| n.to_string_lossy().into_owned());
    let mut parts = vec![file];
    let several = |name: &str| experiment.axes.iter().any(|a| a.name == name && a.values.len() > 1);
    let of_models = experiment.models.iter().flat_map(|m| &m.constants);
    let of_properties = experiment.points.iter().flat_map(|p| &p.results).flat_map(|r| &r.constants);
    for constant in of_models.chain(of_properties).filter(|c| !several(&c.name)) {
        let part = constant.to_string();
        if !parts.contains(&part) {
            parts.push(part);
        }
    }
    let outcomes = experiment.points.iter().flat_map(|p| &p.results).filter_map(|r| r.outcome.as_ref().ok());
    let confidence = outcomes.filter_map(|answer| match answer.guarantee {
        Guarantee::Statistical { confidence, interval: Some(_), .. } => Some(confidence),
        _ => None,
    });
    if let Some(confidence) = confidence.reduce(f64::min) {
        // Digits of a part of one, without those that are rounding alone.
        let percent = format!("{:.6}", confidence * 100.0);
        parts.push(format!("{} % intervals", percent.trim_end_matches('0').trim_end_matches('.')));
    }
    parts.join(", ")
}

/// The value and its bounds; not-a-number if there is no value, or only a set of states.
fn of_result(x: f64, result: &PropertyReport) -> Point {
    let nothing = Point { x, y: f64::NAN, lo: f64::NAN, hi: f64::NAN };
    let Ok(answer) = &result.outcome else {
        return match result.known {
            Some([lo, hi]) if lo.is_finite() && hi.is_finite() => {
                Point { x, y: lo + 0.5 * (hi - lo), lo, hi }
            }
            _ => nothing,
        };
    };
    let y = match (&answer.value, answer.compared) {
        (Value::Number(y), _) => *y,
        (Value::Bool(_), Some(y)) => y,
        (Value::Bool(truth), None) => f64::from(u8::from(*truth)),
        (Value::Interval(lo, hi), _) => return Point { x, y: lo + 0.5 * (hi - lo), lo: *lo, hi: *hi },
        (Value::States(_) | Value::Pareto(_), _) => return nothing,
    };
    let [lo, hi] = answer.guarantee.interval().unwrap_or([y, y]);
    Point { x, y, lo, hi }
}
