//! The legend: to the right of the frame where names are short and few, else in columns below it.

use crate::fill::{self, Fill};
use crate::scene::{Anchor, MARGIN, Place, SHARE, SMALL, Shape, WIDTH};
use crate::style::{Color, INK, Marker};
use crate::{Chart, Kind, font};

/// Lines or fills that the legend names.
const MOST: usize = 48;
/// Distance of base lines.
const ROW: f64 = 14.5;
/// Length of the piece of a line.
const PIECE: f64 = 22.0;
/// Width and height of the box of a fill.
const BOX: [f64; 2] = [13.0, 9.0];
/// Between the piece or the box and the name.
const GAP: f64 = 5.0;
/// Between columns.
const COLUMN_GAP: f64 = 14.0;
/// Widest name beside the frame.
const WIDEST_BESIDE: f64 = 84.0;

/// A name with what it stands for; without it, a remark about others.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    name: String,
    sign: Option<Sign>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Sign {
    Points(Points),
    Bars(Fill),
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Points {
    color: Color,
    marker: Marker,
    /// For joined points.
    dash: Option<&'static [f64]>,
}

/// The entries; none where there is one line, which the title names. Samples and doubts with the same name have one entry.
pub fn entries(chart: &Chart) -> Vec<Entry> {
    if chart.lines.len() < 2 {
        return Vec::new();
    }
    let mut entries: Vec<(Kind, Entry)> = Vec::new();
    for line in &chart.lines {
        let look = chart.style(line.style);
        let sign = match line.kind {
            Kind::Curve => Points { color: look.color, marker: look.marker, dash: Some(look.dash.lengths()) },
            Kind::Samples => Points { color: look.color, marker: Marker::Circle, dash: None },
            Kind::Doubts => Points { color: INK, marker: Marker::Ring, dash: None },
        };
        let known = entries.iter_mut().find(|(k, e)| *k == line.kind && e.name == line.name);
        match known.filter(|_| line.kind != Kind::Curve) {
            Some((_, Entry { sign: Some(Sign::Points(sign)), .. })) => sign.color = INK,
            _ => {
                entries.push((line.kind, Entry { name: line.name.clone(), sign: Some(Sign::Points(sign)) }));
            }
        }
    }
    first(entries.into_iter().map(|(_, entry)| entry).collect())
}

/// The entries of bars; none where all are alike, which the title names.
pub fn of_bars<'a>(bars: impl Iterator<Item = (&'a str, Fill)>) -> Vec<Entry> {
    let entry = |(name, fill): (&str, Fill)| Entry { name: name.to_owned(), sign: Some(Sign::Bars(fill)) };
    let entries: Vec<Entry> = bars.map(entry).collect();
    if entries.len() < 2 { Vec::new() } else { first(entries) }
}

/// As many as there is room for, and how many more there are.
fn first(mut entries: Vec<Entry>) -> Vec<Entry> {
    let left_out = entries.len().saturating_sub(MOST);
    entries.truncate(MOST);
    if left_out > 0 {
        entries.push(Entry { name: format!("and {left_out} more"), sign: None });
    }
    entries
}

/// Width of pieces and boxes.
fn sample(entries: &[Entry]) -> f64 {
    let is_bars = |entry: &Entry| matches!(entry.sign, Some(Sign::Bars(_)));
    if entries.first().is_some_and(is_bars) { BOX[0] } else { PIECE }
}

fn widest(entries: &[Entry]) -> f64 {
    entries.iter().map(|e| font::width(&e.name, SMALL)).fold(0.0, f64::max)
}

/// The width of a legend beside a frame of some height; `None` if it has no room there.
pub fn width_beside(entries: &[Entry], height: f64) -> Option<f64> {
    let widest = widest(entries);
    let fits = !entries.is_empty() && widest <= WIDEST_BESIDE && ROW * entries.len() as f64 <= height;
    fits.then_some(10.0 + sample(entries) + GAP + widest / SHARE)
}

/// Draws the legend beside the frame.
pub fn beside(entries: &[Entry], left: f64, top: f64, shapes: &mut Vec<Shape>) {
    let sample = sample(entries);
    for (i, entry) in entries.iter().enumerate() {
        draw(entry, &entry.name, (left, top + 9.0 + ROW * i as f64), sample, shapes);
    }
}

/// Draws the legend below, in columns; gives where it ends.
pub fn below(entries: &[Entry], top: f64, shapes: &mut Vec<Shape>) -> f64 {
    if entries.is_empty() {
        return top;
    }
    let room = WIDTH - 2.0 * MARGIN;
    let sample = sample(entries);
    let cell = sample + GAP + widest(entries) / SHARE + COLUMN_GAP;
    let columns = (((room + COLUMN_GAP) / cell) as usize).clamp(1, entries.len());
    let rows = entries.len().div_ceil(columns);
    let longest = (room - sample - GAP) * SHARE;
    for (i, entry) in entries.iter().enumerate() {
        let (column, row) = (i / rows, i % rows);
        let at = (MARGIN + cell * column as f64, top + ROW * (row as f64 + 1.0));
        draw(entry, &font::fitted(&entry.name, SMALL, longest), at, sample, shapes);
    }
    top + ROW * rows as f64 + 3.0
}

fn draw(entry: &Entry, name: &str, (x, y): Place, sample: f64, shapes: &mut Vec<Shape>) {
    let middle = y - 0.35 * SMALL;
    match entry.sign {
        Some(Sign::Points(Points { color, marker, dash })) => {
            if let Some(dash) = dash {
                let places = vec![(x, middle), (x + sample, middle)];
                shapes.push(Shape::Path { places, color, width: 1.4, dash });
            }
            let at = (x + sample / 2.0, middle);
            shapes.push(Shape::Sign { at, marker, color });
        }
        Some(Sign::Bars(inside)) => {
            let [width, height] = BOX;
            let extent = [x, middle - height / 2.0, x + width, middle + height / 2.0];
            fill::draw(extent, inside, String::new(), shapes);
        }
        None => {}
    }
    shapes.push(Shape::text((x + sample + GAP, y), name, Anchor::Start, SMALL, INK));
}
