//! The legend: to the right of the frame where names are short and few, else in columns below it.

use crate::scene::{Anchor, MARGIN, Place, SHARE, SMALL, Shape, WIDTH};
use crate::style::{Color, INK, Marker, style};
use crate::{Chart, Kind, font};

/// Lines that the legend names.
const MOST: usize = 48;
/// Distance of base lines.
const ROW: f64 = 14.5;
/// Length of the piece of a line.
const SAMPLE: f64 = 22.0;
/// Between the piece and the name.
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
struct Sign {
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
        let look = style(line.style);
        let sign = match line.kind {
            Kind::Curve => Sign { color: look.color, marker: look.marker, dash: Some(look.dash.lengths()) },
            Kind::Samples => Sign { color: look.color, marker: Marker::Circle, dash: None },
            Kind::Doubts => Sign { color: INK, marker: Marker::Ring, dash: None },
        };
        let known = entries.iter_mut().find(|(k, e)| *k == line.kind && e.name == line.name);
        match known.filter(|_| line.kind != Kind::Curve) {
            Some((_, Entry { sign: Some(sign), .. })) => sign.color = INK,
            _ => entries.push((line.kind, Entry { name: line.name.clone(), sign: Some(sign) })),
        }
    }
    let left_out = entries.len().saturating_sub(MOST);
    let mut shown: Vec<Entry> = entries.into_iter().take(MOST).map(|(_, entry)| entry).collect();
    if left_out > 0 {
        shown.push(Entry { name: format!("and {left_out} more"), sign: None });
    }
    shown
}

fn widest(entries: &[Entry]) -> f64 {
    entries.iter().map(|e| font::width(&e.name, SMALL)).fold(0.0, f64::max)
}

/// The width of a legend beside a frame of some height; `None` if it has no room there.
pub fn width_beside(entries: &[Entry], height: f64) -> Option<f64> {
    let widest = widest(entries);
    let fits = !entries.is_empty() && widest <= WIDEST_BESIDE && ROW * entries.len() as f64 <= height;
    fits.then_some(10.0 + SAMPLE + GAP + widest / SHARE)
}

/// Draws the legend beside the frame.
pub fn beside(entries: &[Entry], left: f64, top: f64, shapes: &mut Vec<Shape>) {
    for (i, entry) in entries.iter().enumerate() {
        draw(entry, &entry.name, (left, top + 9.0 + ROW * i as f64), shapes);
    }
}

/// Draws the legend below, in columns; gives where it ends.
pub fn below(entries: &[Entry], top: f64, shapes: &mut Vec<Shape>) -> f64 {
    if entries.is_empty() {
        return top;
    }
    let room = WIDTH - 2.0 * MARGIN;
    let cell = SAMPLE + GAP + widest(entries) / SHARE + COLUMN_GAP;
    let columns = (((room + COLUMN_GAP) / cell) as usize).clamp(1, entries.len());
    let rows = entries.len().div_ceil(columns);
    let longest = (room - SAMPLE - GAP) * SHARE;
    for (i, entry) in entries.iter().enumerate() {
        let (column, row) = (i / rows, i % rows);
        let at = (MARGIN + cell * column as f64, top + ROW * (row as f64 + 1.0));
        draw(entry, &font::fitted(&entry.name, SMALL, longest), at, shapes);
    }
    top + ROW * rows as f64 + 3.0
}

fn draw(entry: &Entry, name: &str, (x, y): Place, shapes: &mut Vec<Shape>) {
    if let Some(sign) = entry.sign {
        let middle = y - 0.35 * SMALL;
        if let Some(dash) = sign.dash {
            let places = vec![(x, middle), (x + SAMPLE, middle)];
            shapes.push(Shape::Path { places, color: sign.color, width: 1.4, dash });
        }
        let at = (x + SAMPLE / 2.0, middle);
        shapes.push(Shape::Sign { at, marker: sign.marker, color: sign.color, note: String::new() });
    }
    shapes.push(Shape::text((x + SAMPLE + GAP, y), name, Anchor::Start, SMALL, INK));
}
