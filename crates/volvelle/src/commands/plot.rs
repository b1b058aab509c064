//! An experiment as a chart: which constant runs along the axis, and what becomes a line.

use std::path::{Path, PathBuf};
use volvelle_diagnostics::{Diagnostic, codes};
use volvelle_plot::{Chart, Format, Line, Point};
use volvelle_verify::{Experiment, PropertyReport, Value};

/// The file, and its format by its extension.
pub fn target(path: &Path) -> Result<(PathBuf, Format), Diagnostic> {
    let extension = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
    match Format::of_extension(extension) {
        Some(format) => Ok((path.to_owned(), format)),
        None => {
            let message = format!("`{}` has no ending that names a format of pictures", path.display());
            Err(Diagnostic::error(codes::UNKNOWN_EXPORT, message)
                .help(format!("write .svg, .png or .html: {}", path.with_extension("svg").display())))
        }
    }
}

/// The chart: the last constant whose values are numbers runs along the axis; there is a line for each property
/// and each combination of values of the other constants.
pub fn chart(experiment: &Experiment, model: &str) -> Result<Chart, Diagnostic> {
    let is_numeric =
        |axis: usize| experiment.axes[axis].values.iter().all(|v| v.literal().as_f64().is_some());
    let several = |axis: usize| experiment.axes[axis].values.len() > 1;
    let axes = 0..experiment.axes.len();
    let along = axes.clone().rev().find(|&a| is_numeric(a) && several(a));
    let Some(along) = along.or_else(|| axes.clone().rev().find(|&a| is_numeric(a))) else {
        return Err(Diagnostic::error(codes::BAD_USAGE, "no constant has numbers for the axis")
            .help("give one a range: --const T=0:10:200"));
    };
    let properties = experiment.points.first().map_or(0, |p| p.results.len());
    let mut lines: Vec<(Vec<String>, Line)> = Vec::new();
    let mut add = |key: Vec<String>, name: &str, apart: bool, point: Point| match lines
        .iter_mut()
        .find(|(known, _)| *known == key)
    {
        Some((_, line)) => line.points.push(point),
        None => lines.push((key, Line { name: name.to_owned(), points: vec![point], apart })),
    };
    for point in &experiment.points {
        for (i, result) in point.results.iter().enumerate() {
            let mut key = vec![i.to_string()];
            let mut name = if properties > 1 { vec![label(result)] } else { Vec::new() };
            for axis in axes.clone().filter(|&a| a != along && several(a)) {
                key.push(point.values[axis].to_string());
                name.push(format!("{}={}", experiment.axes[axis].name, point.values[axis]));
            }
            let name = if name.is_empty() { label(result) } else { name.join(", ") };
            let x = point.values[along].literal().as_f64().unwrap_or(f64::NAN);
            let drawn = of_result(x, result);
            add(key.clone(), &name, false, drawn);
            let Some(verification) = &result.verification else { continue };
            let Ok(verdict) = &verification.verdict else { continue };
            let [.., widest] = verdict.intervals;
            let simulated = Point { x, y: verdict.estimate, lo: widest.lo, hi: widest.hi };
            let with = |what: &str| [key.clone(), vec![what.to_owned()]].concat();
            add(with("simulated"), &format!("simulated, {name}"), true, simulated);
            if verification.agrees() == Some(false) {
                add(with("doubt"), "probably wrong", true, Point { lo: drawn.y, hi: drawn.y, ..drawn });
            }
        }
    }
    let mut lines: Vec<Line> = lines.into_iter().map(|(_, line)| line).collect();
    for line in &mut lines {
        // Lists and descending ranges may be in any order.
        line.points.sort_by(|a, b| a.x.total_cmp(&b.x));
    }
    let first = experiment.points.first().and_then(|p| p.results.first());
    let y_label = match first {
        Some(first) if properties == 1 => first.text.clone(),
        _ => "value".to_owned(),
    };
    let file = Path::new(model).file_name().map_or(model.to_owned(), |n| n.to_string_lossy().into_owned());
    let single = first.filter(|_| properties == 1).and_then(|r| r.name.clone());
    let title = single.map_or(file.clone(), |name| format!("{name}, {file}"));
    Ok(Chart { title, x_label: experiment.axes[along].name.clone(), y_label, lines })
}

fn label(result: &PropertyReport) -> String {
    result.name.clone().unwrap_or_else(|| result.text.clone())
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
        (Value::Interval(lo, hi), _) => lo + 0.5 * (hi - lo),
        (Value::States(_) | Value::Pareto(_), _) => return nothing,
    };
    let [lo, hi] = answer.guarantee.interval().unwrap_or([y, y]);
    Point { x, y, lo, hi }
}
