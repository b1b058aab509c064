//! An experiment over two constants as a heat map.

use super::{label, of_result, quantity::quantity, subtitle};
use volvelle_plot::heat_map::{Cell, HeatMap, Labels};
use volvelle_present::format::number;
use volvelle_session::points::Experiment;

/// Values of a constant from which a map shows more than lines do, and cells that can be told apart.
const LEAST_VALUES: usize = 3;
const MOST_CELLS: usize = 4_000;

/// The map of a property; `None` unless exactly two constants take several values each.
pub fn map(experiment: &Experiment, property: usize, model: &str) -> Option<HeatMap> {
    let several = |axis: &usize| experiment.axes[*axis].values.len() > 1;
    let varied: Vec<usize> = (0..experiment.axes.len()).filter(several).collect();
    let [y, x] = varied[..] else { return None };
    let [columns, rows] = [x, y].map(|axis| experiment.axes[axis].values.len());
    if columns.min(rows) < LEAST_VALUES || columns * rows > MOST_CELLS {
        return None;
    }
    let first = experiment.points.first()?.results.get(property)?;
    let of_point = |point: &volvelle_session::points::Point| {
        let place = |axis: usize| {
            let values = &experiment.axes[axis].values;
            values.iter().position(|value| *value == point.values[axis])
        };
        let found = of_result(0.0, point.results.get(property)?);
        let mut note =
            [x, y].map(|axis| format!("{} = {}", experiment.axes[axis].name, point.values[axis])).join("\n");
        note.push_str(&format!("\n{}", found.y));
        if found.lo != found.hi {
            note.push_str(&format!("\nbetween {} and {}", found.lo, found.hi));
        }
        // Three digits have room in a cell.
        let label = number(found.y, 1e-2 * found.y.abs());
        let value = Some(found.y);
        found.y.is_finite().then_some(Cell { at: (place(x)?, place(y)?), value, label, note, is_best: false })
    };
    let labels = |axis: usize| Labels {
        name: experiment.axes[axis].name.clone(),
        values: experiment.axes[axis].values.iter().map(ToString::to_string).collect(),
    };
    Some(HeatMap {
        title: label(first),
        subtitle: subtitle(experiment, model),
        x: labels(x),
        y: labels(y),
        value: quantity(first),
        cells: experiment.points.iter().filter_map(of_point).collect(),
    })
}
