//! Heat maps: a value for each pair of values of two dimensions, as a colour and, where there is room, as a number.
//!
//! Colours run from dark blue (the least value) over green to yellow, with steadily growing lightness, so that they keep their order
//! in grey print and for readers with the common kinds of colour blindness. Where values differ by more than a factor of
//! [`LOGARITHMIC`], equal factors are equal distances of colours. A bar below the map is the legend.

use crate::captions::{self, LABEL};
use crate::font;
use crate::scene::{Anchor, Extent, MARGIN, Note, SHARE, SMALL, Scene, Shape, Text, WIDTH};
use crate::style::{Color, FAINT_INK, GRID, INK, between, letters_on};

/// A heat map.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HeatMap {
    /// Above the map.
    pub title: String,
    /// Below the title, smaller.
    pub subtitle: String,
    /// What runs to the right: its name, and the labels of its values.
    pub x: Labels,
    /// What runs upwards.
    pub y: Labels,
    /// The name of the values.
    pub value: String,
    /// At most one for each place.
    pub cells: Vec<Cell>,
}

/// The values of a dimension.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Labels {
    /// Its name.
    pub name: String,
    /// Its values, in order.
    pub values: Vec<String>,
}

/// A cell.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// Its column and row: indices of the labels.
    pub at: (usize, usize),
    /// What its colour stands for; `None`: it has no colour.
    pub value: Option<f64>,
    /// In the cell, if there is room.
    pub label: String,
    /// What is known of it, under the pointer.
    pub note: String,
    /// Whether it is to stand out.
    pub is_best: bool,
}

/// Least and greatest value differ by more than this factor: the scale is logarithmic.
pub const LOGARITHMIC: f64 = 20.0;

/// Heights of a row.
const ROWS: [f64; 2] = [12.0, 34.0];
/// Height that the map has if rows may be that high.
const HEIGHT: f64 = 240.0;
/// Between cells.
const SEAM: f64 = 0.6;
/// Sizes of numbers in cells.
const SIZES: [f64; 4] = [11.0, 9.5, 8.0, 6.5];
/// Steps of the legend.
const STEPS: usize = 64;

/// Anchors of the colours, at equal distances, from the least value to the greatest.
const COLORS: [Color; 6] =
    [[26, 30, 92], [36, 82, 140], [42, 126, 142], [64, 170, 116], [152, 206, 72], [250, 230, 60]];

/// Lays a heat map out.
pub fn layout(map: &HeatMap) -> Scene {
    let mut shapes = Vec::new();
    let mut notes = Vec::new();
    let top = captions::titles(&font::clean(&map.title), &font::clean(&map.subtitle), &mut shapes);
    let labels: Vec<String> = map.y.values.iter().map(|label| font::clean(label)).collect();
    let widest = labels.iter().map(|label| font::width(label, SMALL)).fold(0.0, f64::max).min(90.0);
    let left = MARGIN + LABEL + 6.0 + widest / SHARE + 6.0;
    let right = WIDTH - MARGIN - 4.0;
    let (columns, rows) = (map.x.values.len().max(1), map.y.values.len().max(1));
    let height = (HEIGHT / rows as f64).clamp(ROWS[0], ROWS[1]);
    let width = (right - left) / columns as f64;
    let bottom = top + height * rows as f64;
    let range = range(map);
    let extent = |(column, row): (usize, usize)| -> Extent {
        let (x, y) = (left + width * column as f64, bottom - height * (row + 1) as f64);
        [x + SEAM, y + SEAM, x + width - SEAM, y + height - SEAM]
    };
    let size = number_size(map, width);
    for cell in map.cells.iter().filter(|cell| cell.at.0 < columns && cell.at.1 < rows) {
        let inside = extent(cell.at);
        let color = cell.value.map_or(GRID, |value| color(part(value, range)));
        shapes.push(Shape::Tile { extent: inside, color, note: cell.note.clone() });
        let center = ((inside[0] + inside[2]) / 2.0, (inside[1] + inside[3]) / 2.0);
        notes.push(Note { at: center, extent: Some(inside), color, text: cell.note.clone() });
        if let Some(size) = size {
            let at = (center.0, center.1 + 0.36 * size);
            let label = font::clean(&cell.label);
            shapes.push(Shape::text(at, &label, Anchor::Middle, size, letters_on(color)));
        }
    }
    for cell in map.cells.iter().filter(|cell| cell.is_best && cell.at.0 < columns && cell.at.1 < rows) {
        let [l, t, r, b] = extent(cell.at);
        let places = vec![(l, t), (r, t), (r, b), (l, b), (l, t)];
        shapes.push(Shape::Path { places: places.clone(), color: [255; 3], width: 3.4, dash: &[] });
        shapes.push(Shape::Path { places, color: [200, 40, 20], width: 1.8, dash: &[] });
    }
    axes(map, &labels, [left, top, right, bottom], &mut shapes);
    let end = legend(map, range, bottom + 2.0 * SMALL + LABEL + 16.0, [left, right], &mut shapes);
    Scene { title: font::clean(&map.title), height: (end + MARGIN).ceil(), shapes, notes }
}

/// The largest size in which all numbers fit into cells; `None` if they would be too small.
fn number_size(map: &HeatMap, width: f64) -> Option<f64> {
    let fits = |size: &f64| {
        map.cells.iter().all(|cell| font::width(&cell.label, *size) / SHARE <= width - 4.0 * SEAM)
    };
    SIZES.into_iter().find(fits)
}

/// Names and labels of both dimensions; of labels that would touch, every second, third, ... is drawn.
fn axes(map: &HeatMap, rows: &[String], [left, top, right, bottom]: Extent, shapes: &mut Vec<Shape>) {
    let columns: Vec<String> = map.x.values.iter().map(|label| font::clean(label)).collect();
    let width = (right - left) / columns.len().max(1) as f64;
    let height = (bottom - top) / rows.len().max(1) as f64;
    let widest = columns.iter().map(|label| font::width(label, SMALL) / SHARE + 6.0).fold(1.0, f64::max);
    let every = (widest / width).ceil().max(1.0) as usize;
    for (column, label) in columns.iter().enumerate().step_by(every) {
        let at = (left + width * (column as f64 + 0.5), bottom + 4.0 + SMALL);
        let label = font::fitted(label, SMALL, (width * every as f64).max(20.0));
        shapes.push(Shape::text(at, &label, Anchor::Middle, SMALL, INK));
    }
    let every = ((SMALL + 1.0) / height).ceil().max(1.0) as usize;
    for (row, label) in rows.iter().enumerate().step_by(every) {
        let at = (left - 5.0, bottom - height * (row as f64 + 0.5) + 0.36 * SMALL);
        shapes.push(Shape::text(at, &font::fitted(label, SMALL, 90.0), Anchor::End, SMALL, INK));
    }
    let name = font::fitted(&font::clean(&map.x.name), LABEL, (right - left) * SHARE);
    let at = ((left + right) / 2.0, bottom + SMALL + LABEL + 8.0);
    shapes.push(Shape::text(at, &name, Anchor::Middle, LABEL, INK));
    shapes.push(Shape::Text(Text {
        at: (MARGIN + LABEL * font::ASCENT, (top + bottom) / 2.0),
        text: font::fitted(&font::clean(&map.y.name), LABEL, ((bottom - top) * SHARE).max(12.0)),
        anchor: Anchor::Middle,
        upwards: true,
        size: LABEL,
        color: INK,
    }));
}

/// The bar of colours with the least and the greatest value; gives where it ends.
fn legend(map: &HeatMap, range: [f64; 2], top: f64, [left, right]: [f64; 2], shapes: &mut Vec<Shape>) -> f64 {
    let [least, most] = range;
    if least > most {
        return top;
    }
    let (from, to) = (left + (right - left) * 0.25, right - (right - left) * 0.25);
    for step in 0..STEPS {
        let x = |step: usize| from + (to - from) * step as f64 / STEPS as f64;
        let color = color((step as f64 + 0.5) / STEPS as f64);
        let extent = [x(step), top, (x(step + 1) + 0.3).min(to), top + 8.0];
        shapes.push(Shape::Tile { extent, color, note: String::new() });
    }
    let base = top + 7.8;
    let room = (from - left - 4.0) * SHARE;
    let ends = [(from - 5.0, least, Anchor::End), (to + 5.0, most, Anchor::Start)];
    for (x, value, anchor) in ends {
        let label = font::fitted(&number(value), SMALL, room);
        shapes.push(Shape::text((x, base), &label, anchor, SMALL, INK));
    }
    let scale = if is_logarithmic(range) { " (logarithmic colours)" } else { "" };
    let name = format!("{}{scale}", font::clean(&map.value));
    let end = top + 8.0 + SMALL + 3.0;
    let name = font::fitted(&name, SMALL, (WIDTH - 2.0 * MARGIN) * SHARE);
    shapes.push(Shape::text(((left + right) / 2.0, end), &name, Anchor::Middle, SMALL, FAINT_INK));
    end
}

/// Least and greatest value; reversed where there is none.
fn range(map: &HeatMap) -> [f64; 2] {
    let values = map.cells.iter().filter_map(|cell| cell.value).filter(|value| value.is_finite());
    values.fold([f64::INFINITY, f64::NEG_INFINITY], |[lo, hi], v| [lo.min(v), hi.max(v)])
}

fn is_logarithmic([least, most]: [f64; 2]) -> bool {
    least > 0.0 && most > LOGARITHMIC * least
}

/// Where a value stands between the least and the greatest: 0 to 1.
fn part(value: f64, range: [f64; 2]) -> f64 {
    let [least, most] = range;
    let part = match is_logarithmic(range) {
        true => (value.max(least).ln() - least.ln()) / (most.ln() - least.ln()),
        false => (value - least) / (most - least),
    };
    if part.is_finite() { part.clamp(0.0, 1.0) } else { 0.0 }
}

/// The colour of a part of the way from the least value (0) to the greatest (1).
pub(crate) fn color(part: f64) -> Color {
    between(&COLORS, part)
}

fn number(value: f64) -> String {
    if value.abs() >= 1e6 || value != 0.0 && value.abs() < 1e-3 {
        format!("{value:.3e}")
    } else {
        trimmed(value)
    }
}

/// At most four digits behind the point.
fn trimmed(value: f64) -> String {
    let text = format!("{value:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(columns: usize, rows: usize, value: impl Fn(usize, usize) -> Option<f64>) -> HeatMap {
        let labels = |name: &str, n: usize| Labels {
            name: name.to_owned(),
            values: (0..n).map(|i| (1u64 << i.min(60)).to_string()).collect(),
        };
        let mut cells = Vec::new();
        for x in 0..columns {
            for y in 0..rows {
                let value = value(x, y);
                let label = value.map_or("?".to_owned(), |v| v.to_string());
                cells.push(Cell { at: (x, y), value, label, note: format!("{x}, {y}"), is_best: x + y == 0 });
            }
        }
        HeatMap {
            title: "time of model.pml".to_owned(),
            subtitle: String::new(),
            x: labels("WG", columns),
            y: labels("TS", rows),
            value: "time".to_owned(),
            cells,
        }
    }

    #[test]
    fn everything_stands_inside() {
        for (columns, rows) in [(1, 1), (2, 9), (30, 40), (64, 2), (0, 0)] {
            let scene = layout(&map(columns, rows, |x, y| Some((x * 7 + y * 3) as f64)));
            for shape in &scene.shapes {
                let places = match shape {
                    Shape::Path { places, .. } | Shape::Area { places, .. } => places.clone(),
                    Shape::Tile { extent: [l, t, r, b], .. } => vec![(*l, *t), (*r, *b)],
                    Shape::Sign { at, .. } => vec![*at],
                    Shape::Text(text) => {
                        let [l, t, r, b] = text.extent();
                        vec![(l, t), (r, b)]
                    }
                };
                for (x, y) in places {
                    assert!((0.0..=WIDTH).contains(&x) && (0.0..=scene.height).contains(&y), "{shape:?}");
                }
            }
        }
    }

    #[test]
    fn colors_keep_the_order_of_values_in_grey_print() {
        let lightness = |part: f64| {
            let [r, g, b] = color(part).map(f64::from);
            0.299 * r + 0.587 * g + 0.114 * b
        };
        let all: Vec<f64> = (0..=100).map(|i| lightness(f64::from(i) / 100.0)).collect();
        assert!(all.windows(2).all(|pair| pair[0] < pair[1]), "{all:?}");
    }

    #[test]
    fn values_find_their_places() {
        assert_eq!(part(44.0, [44.0, 60.0]), 0.0);
        assert_eq!(part(52.0, [44.0, 60.0]), 0.5);
        assert_eq!(part(100.0, [1.0, 10_000.0]), 0.5);
        assert_eq!(part(7.0, [7.0, 7.0]), 0.0);
    }

    #[test]
    fn cells_without_a_value_have_no_color() {
        let scene = layout(&map(2, 1, |x, _| (x == 0).then_some(1.0)));
        let tiles = scene.shapes.iter().filter_map(|shape| match shape {
            Shape::Tile { color, note, .. } if !note.is_empty() => Some(*color),
            _ => None,
        });
        assert_eq!(tiles.collect::<Vec<_>>(), [COLORS[0], GRID]);
    }
}
