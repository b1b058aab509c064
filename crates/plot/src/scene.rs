//! A chart as simple shapes with places in pixels: what all formats draw.

use crate::ticks::{Axis, axis};
use crate::{Chart, Line, Point};

/// Width of the picture.
pub const WIDTH: f64 = 760.0;
/// Height of the picture.
pub const HEIGHT: f64 = 460.0;

/// Colours that colour-blind readers can distinguish (Okabe and Ito, 2008).
const COLORS: &[[u8; 3]] = &[
    [0, 114, 178],
    [213, 94, 0],
    [0, 158, 115],
    [204, 121, 167],
    [230, 159, 0],
    [86, 180, 233],
    [120, 94, 60],
    [0, 0, 0],
];
/// Frame and letters.
const DARK: [u8; 3] = [60, 60, 60];
/// Grid.
const LIGHT: [u8; 3] = [224, 224, 224];

/// Lines that the legend names.
const NAMED: usize = 16;
/// Characters of a name in the legend.
const NAME_LENGTH: usize = 28;
/// Points of a line that get a dot; longer lines are only lines.
const DOTTED: usize = 120;
/// Bounds that are this far apart, in pixels, are drawn as a band.
const VISIBLE: f64 = 1.0;

/// A place in pixels, from the upper left.
pub type Place = (f64, f64);

/// Where a text stands relative to its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// It starts there.
    Start,
    /// It is centred there.
    Middle,
    /// It ends there.
    End,
    /// It is centred there and runs upwards.
    Upwards,
}

/// A shape.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// A line through places.
    Path {
        /// The places, at least two.
        places: Vec<Place>,
        /// Red, green, blue.
        color: [u8; 3],
        /// In pixels.
        width: f64,
    },
    /// A filled polygon, a quarter opaque.
    Area {
        /// Its corners.
        places: Vec<Place>,
        /// Red, green, blue.
        color: [u8; 3],
    },
    /// A filled circle.
    Dot {
        /// Its centre.
        at: Place,
        /// Red, green, blue.
        color: [u8; 3],
        /// The text of the tooltip; may be empty.
        note: String,
    },
    /// A text.
    Text {
        /// Its place, on the base line.
        at: Place,
        /// The letters.
        text: String,
        /// How it stands there.
        anchor: Anchor,
        /// Larger, for the title.
        large: bool,
    },
}

/// All shapes of a chart, those behind first.
#[derive(Clone, Debug, PartialEq)]
pub struct Scene {
    /// The title.
    pub title: String,
    /// The shapes.
    pub shapes: Vec<Shape>,
}

/// The inner part of the picture.
struct Frame {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
    x: Axis,
    y: Axis,
}

impl Frame {
    fn place(&self, x: f64, y: f64) -> Place {
        let part = |v: f64, axis: &Axis| (v - axis.min) / (axis.max - axis.min);
        let inside = |v: f64, lo: f64, hi: f64| v.clamp(lo, hi);
        (
            inside(self.left + part(x, &self.x) * (self.right - self.left), self.left, self.right),
            inside(self.bottom - part(y, &self.y) * (self.bottom - self.top), self.top, self.bottom),
        )
    }
}

/// Lays a chart out.
pub fn layout(chart: &Chart) -> Scene {
    let frame = frame(chart);
    let mut shapes = Vec::new();
    axes(chart, &frame, &mut shapes);
    for (i, line) in chart.lines.iter().enumerate() {
        bands(line, color(i), &frame, &mut shapes);
    }
    for (i, line) in chart.lines.iter().enumerate() {
        curve(chart, line, color(i), &frame, &mut shapes);
    }
    legend(chart, &frame, &mut shapes);
    Scene { title: chart.title.clone(), shapes }
}

fn color(line: usize) -> [u8; 3] {
    COLORS[line % COLORS.len()]
}

fn shown(point: &Point) -> bool {
    point.x.is_finite() && point.y.is_finite()
}

/// The bounds of a point, as far as they can be drawn.
fn bounds(point: &Point) -> [f64; 2] {
    let or_value = |v: f64| if v.is_finite() { v } else { point.y };
    [or_value(point.lo).min(point.y), or_value(point.hi).max(point.y)]
}

fn frame(chart: &Chart) -> Frame {
    let points = || chart.lines.iter().flat_map(|l| &l.points).filter(|p| shown(p));
    let least = |values: &mut dyn Iterator<Item = f64>| values.fold(f64::INFINITY, f64::min);
    let largest = |values: &mut dyn Iterator<Item = f64>| values.fold(f64::NEG_INFINITY, f64::max);
    let x = axis(least(&mut points().map(|p| p.x)), largest(&mut points().map(|p| p.x)), 8, false);
    let mut low = least(&mut points().map(|p| bounds(p)[0]));
    let high = largest(&mut points().map(|p| bounds(p)[1]));
    // Zero belongs into the picture where it is near.
    if low > 0.0 && low < 0.5 * high {
        low = 0.0;
    }
    let y = axis(low, high, 6, true);
    let widest = y.marks.iter().map(|&m| y.text(m).chars().count()).max().unwrap_or(1);
    let names = chart.lines.iter().take(NAMED).map(|l| l.name.chars().count().min(NAME_LENGTH)).max();
    let legend = if chart.lines.len() > 1 { 44.0 + 7.0 * names.unwrap_or(0) as f64 } else { 24.0 };
    Frame {
        left: 42.0 + 7.5 * widest as f64,
        right: WIDTH - legend,
        top: if chart.title.is_empty() { 20.0 } else { 44.0 },
        bottom: HEIGHT - 56.0,
        x,
        y,
    }
}

fn axes(chart: &Chart, frame: &Frame, shapes: &mut Vec<Shape>) {
    let &Frame { left, right, top, bottom, .. } = frame;
    let line =
        |from: Place, to: Place, color: [u8; 3]| Shape::Path { places: vec![from, to], color, width: 1.0 };
    let text = |at: Place, text: String, anchor: Anchor| Shape::Text { at, text, anchor, large: false };
    for &mark in &frame.y.marks {
        let y = frame.place(frame.x.min, mark).1;
        shapes.push(line((left, y), (right, y), LIGHT));
        shapes.push(text((left - 8.0, y + 4.0), frame.y.text(mark), Anchor::End));
    }
    for &mark in &frame.x.marks {
        let x = frame.place(mark, frame.y.min).0;
        shapes.push(line((x, top), (x, bottom), LIGHT));
        shapes.push(text((x, bottom + 18.0), frame.x.text(mark), Anchor::Middle));
    }
    let corners = vec![(left, top), (left, bottom), (right, bottom)];
    shapes.push(Shape::Path { places: corners, color: DARK, width: 1.2 });
    shapes.push(text(((left + right) / 2.0, bottom + 42.0), chart.x_label.clone(), Anchor::Middle));
    shapes.push(text((18.0, (top + bottom) / 2.0), cut(&chart.y_label, 48), Anchor::Upwards));
    if !chart.title.is_empty() {
        let title = cut(&chart.title, 84);
        shapes.push(Shape::Text { at: (left, 26.0), text: title, anchor: Anchor::Start, large: true });
    }
}

/// Runs of points that can be drawn.
fn runs(line: &Line) -> impl Iterator<Item = &[Point]> {
    line.points.split(|p| !shown(p)).filter(|run| !run.is_empty())
}

/// Half of the width of the ends of a bar.
const CAP: f64 = 3.0;

/// A bar with ends for each point that stands apart.
fn bars(line: &Line, color: [u8; 3], frame: &Frame, shapes: &mut Vec<Shape>) {
    for p in line.points.iter().filter(|p| shown(p)) {
        let [(x, low), (_, high)] = bounds(p).map(|y| frame.place(p.x, y));
        if low - high < VISIBLE {
            continue;
        }
        let mut path = |from: Place, to: Place| {
            shapes.push(Shape::Path { places: vec![from, to], color, width: 1.5 });
        };
        path((x, low), (x, high));
        path((x - CAP, low), (x + CAP, low));
        path((x - CAP, high), (x + CAP, high));
    }
}

fn bands(line: &Line, color: [u8; 3], frame: &Frame, shapes: &mut Vec<Shape>) {
    if line.apart {
        return bars(line, color, frame, shapes);
    }
    for run in runs(line) {
        let at = |p: &Point, side: usize| frame.place(p.x, bounds(p)[side]);
        if run.iter().all(|p| at(p, 0).1 - at(p, 1).1 < VISIBLE) {
            continue;
        }
        if let [point] = run {
            // A band of one point is a bar.
            shapes.push(Shape::Path { places: vec![at(point, 0), at(point, 1)], color, width: 2.0 });
            continue;
        }
        let upper = run.iter().map(|p| at(p, 1));
        let lower = run.iter().rev().map(|p| at(p, 0));
        shapes.push(Shape::Area { places: upper.chain(lower).collect(), color });
    }
}

fn curve(chart: &Chart, line: &Line, color: [u8; 3], frame: &Frame, shapes: &mut Vec<Shape>) {
    for run in runs(line) {
        if run.len() > 1 && !line.apart {
            let places = run.iter().map(|p| frame.place(p.x, p.y)).collect();
            shapes.push(Shape::Path { places, color, width: 2.0 });
        }
        if line.points.len() <= DOTTED || run.len() == 1 || line.apart {
            for p in run {
                let note = note(chart, line, p);
                shapes.push(Shape::Dot { at: frame.place(p.x, p.y), color, note });
            }
        }
    }
}

/// The tooltip of a point.
fn note(chart: &Chart, line: &Line, p: &Point) -> String {
    let mut text = format!("{} = {}\n{} = {}", chart.x_label, p.x, line.name, p.y);
    if p.lo != p.hi {
        text.push_str(&format!("\nbetween {} and {}", p.lo, p.hi));
    }
    text
}

fn legend(chart: &Chart, frame: &Frame, shapes: &mut Vec<Shape>) {
    if chart.lines.len() < 2 {
        return;
    }
    let x = frame.right + 14.0;
    for (i, line) in chart.lines.iter().take(NAMED).enumerate() {
        let y = frame.top + 12.0 + 20.0 * i as f64;
        shapes.push(Shape::Path {
            places: vec![(x, y - 4.0), (x + 16.0, y - 4.0)],
            color: color(i),
            width: 3.0,
        });
        let text = cut(&line.name, NAME_LENGTH);
        shapes.push(Shape::Text { at: (x + 22.0, y), text, anchor: Anchor::Start, large: false });
    }
    if let Some(more) = chart.lines.len().checked_sub(NAMED).filter(|&n| n > 0) {
        let at = (x, frame.top + 12.0 + 20.0 * NAMED as f64);
        let text = format!("and {more} more");
        shapes.push(Shape::Text { at, text, anchor: Anchor::Start, large: false });
    }
}

fn cut(text: &str, length: usize) -> String {
    if text.chars().count() <= length {
        return text.to_owned();
    }
    let kept: String = text.chars().take(length - 3).collect();
    format!("{kept}...")
}
