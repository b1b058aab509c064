//! The table of configurations as a picture: a line over one parameter, a heat map over two, and over the first two with the best
//! time over the others where there are more.

use crate::document::{configuration, time_of};
use std::cmp::Ordering;
use volvelle_plot::heat_map::{Cell, HeatMap, Labels};
use volvelle_plot::{Chart, Dimension, Kind, Line, Point, Scale};
use volvelle_present::document::Chart as Drawn;
use volvelle_tune::{Row, Tuning, Value};

/// Values of a parameter that differ by more than this factor stand on a logarithmic axis.
const WIDE: f64 = 20.0;

/// The picture, if there is something to draw.
pub fn chart(tuning: &Tuning, file: &str) -> Option<Drawn> {
    if tuning.rows.is_empty() {
        return None;
    }
    Some(match tuning.parameters.len() {
        1 if tuning.rows.iter().all(|row| as_number(&row.values[0]).is_some()) => {
            Drawn::Lines(line(tuning, file))
        }
        _ => Drawn::Map(heat_map(tuning, file)),
    })
}

fn title(tuning: &Tuning, file: &str) -> String {
    let unit = if tuning.unit.is_empty() { String::new() } else { format!(" ({})", tuning.unit) };
    format!("{}{unit} of {file}", tuning.objective)
}

/// What is best, and whether that is proven.
fn subtitle(tuning: &Tuning) -> String {
    let Some(time) = tuning.time() else { return "no configuration reaches the goal".to_owned() };
    let best: Vec<String> = tuning.best().map(|row| configuration(row, tuning)).collect();
    let proven = if tuning.is_proven() { "proven" } else { "not proven" };
    let more = if best.len() > 2 { format!(" and {} more", best.len() - 2) } else { String::new() };
    format!("least {time}, {proven}: {}{more}", best[..best.len().min(2)].join("; "))
}

fn line(tuning: &Tuning, file: &str) -> Chart {
    let point = |row: &Row| {
        let x = as_number(&row.values[0]).unwrap_or(f64::NAN);
        Point { x, y: row.hi, lo: row.lo, hi: row.hi }
    };
    let mut points: Vec<Point> = tuning.rows.iter().map(point).collect();
    points.sort_by(|a, b| a.x.total_cmp(&b.x));
    let positive = points.first().is_some_and(|first| first.x > 0.0);
    let wide = points.first().zip(points.last()).is_some_and(|(a, b)| b.x > WIDE * a.x);
    let scale = if positive && wide { Scale::Logarithmic } else { Scale::Linear };
    Chart {
        title: title(tuning, file),
        subtitle: subtitle(tuning),
        x: Dimension { label: tuning.parameters[0].clone(), scale },
        y: Dimension { label: tuning.objective.clone(), scale: Scale::Linear },
        lines: vec![Line { name: tuning.objective.clone(), kind: Kind::Curve, style: 0, points }],
        ..Chart::default()
    }
}

/// The map over the first two parameters; a single one that has no numbers runs to the right.
fn heat_map(tuning: &Tuning, file: &str) -> HeatMap {
    let second = tuning.parameters.len().min(2) - 1;
    let (columns, rows) = (values(tuning, 0), values(tuning, second));
    let is_flat = second == 0;
    let mut cells: Vec<((usize, usize), &Row)> = Vec::new();
    for row in &tuning.rows {
        let column = columns.iter().position(|value| **value == row.values[0]);
        let line = if is_flat { Some(0) } else { rows.iter().position(|value| **value == row.values[1]) };
        let (Some(column), Some(line)) = (column, line) else { continue };
        // Rows are sorted: the first one of a place is the best.
        if !cells.iter().any(|cell| cell.0 == (column, line)) {
            cells.push(((column, line), row));
        }
    }
    let best = tuning.time();
    let cell = |(at, row): ((usize, usize), &Row)| Cell {
        at,
        value: row.hi.is_finite().then_some(row.hi),
        label: if row.time().is_some() { row.hi.to_string() } else { time_of(row) },
        note: format!("{}\n{} {}", configuration(row, tuning), tuning.objective, time_of(row)),
        is_best: best == Some(row.hi),
    };
    let mut about = subtitle(tuning);
    if tuning.parameters.len() > 2 {
        about.push_str(&format!("; the best over {} in each cell", tuning.parameters[2..].join(", ")));
    }
    let texts = |values: &[&Value]| values.iter().map(ToString::to_string).collect();
    let y = match is_flat {
        true => Labels { name: String::new(), values: vec![String::new()] },
        false => Labels { name: tuning.parameters[1].clone(), values: texts(&rows) },
    };
    HeatMap {
        title: title(tuning, file),
        subtitle: about,
        x: Labels { name: tuning.parameters[0].clone(), values: texts(&columns) },
        y,
        value: tuning.objective.clone(),
        cells: cells.into_iter().map(cell).collect(),
    }
}

/// The values of a parameter, in order.
fn values(tuning: &Tuning, parameter: usize) -> Vec<&Value> {
    let mut values: Vec<&Value> = tuning.rows.iter().map(|row| &row.values[parameter]).collect();
    values.sort_by(|a, b| a.partial_cmp(b).unwrap_or(Ordering::Equal));
    values.dedup();
    values
}

fn as_number(value: &Value) -> Option<f64> {
    match value {
        Value::Int(value) => Some(*value as f64),
        Value::Float(value) => Some(*value),
        Value::Bool(_) | Value::Text(_) => None,
    }
}
