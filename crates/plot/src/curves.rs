//! The lines of a chart, with their bands, bars and signs.

use crate::frame::{Frame, bounds, is_shown};
use crate::number::digits;
use crate::scene::{Note, Place, Shape};
use crate::style::{INK, Marker};
use crate::{Chart, Kind, Line, Point};

/// Bounds that are this far apart are drawn as a band or a bar.
const VISIBLE: f64 = 1.0;
/// Least distance of signs along the axis; lines with more points have signs at some of them.
const APART: f64 = 7.0;
/// Half of the width of the ends of a bar.
const CAP: f64 = 2.0;
/// Width of a line.
const WIDTH: f64 = 1.4;
/// Places of a line that are nearer than this are one.
const SAME: f64 = 0.05;

/// Draws all lines: bands behind, then lines, then what stands apart. Gives what is known of their points.
pub fn draw(chart: &Chart, frame: &Frame, shapes: &mut Vec<Shape>) -> Vec<Note> {
    for line in chart.lines.iter().filter(|l| l.kind == Kind::Curve) {
        bands(chart, line, frame, shapes);
    }
    let mut notes = Vec::new();
    for (i, line) in chart.lines.iter().enumerate().filter(|(_, l)| l.kind == Kind::Curve) {
        curve(chart, line, i, frame, shapes);
    }
    for line in chart.lines.iter().filter(|l| l.kind != Kind::Curve) {
        separate(chart, line, frame, shapes);
    }
    for line in chart.lines.iter().filter(|l| l.kind != Kind::Doubts) {
        let color = chart.style(line.style).color;
        let drawn = line.points.iter().filter(|p| is_shown(chart, p));
        notes.extend(drawn.map(|p| Note {
            at: frame.place(p.x, p.y),
            extent: None,
            color,
            text: note(chart, line, p),
        }));
    }
    notes
}

/// Runs of points that can be drawn.
fn runs<'a>(chart: &'a Chart, line: &'a Line) -> impl Iterator<Item = &'a [Point]> {
    line.points.split(|p| !is_shown(chart, p)).filter(|run| !run.is_empty())
}

fn bands(chart: &Chart, line: &Line, frame: &Frame, shapes: &mut Vec<Shape>) {
    let color = chart.style(line.style).color;
    for run in runs(chart, line) {
        let at = |p: &Point, side: usize| frame.place(p.x, bounds(chart, p)[side]);
        if !run.iter().any(|p| at(p, 0).1 - at(p, 1).1 >= VISIBLE) {
            continue;
        }
        if let [p] = run {
            bar(at(p, 0), at(p, 1), color, shapes);
            continue;
        }
        let upper = run.iter().map(|p| at(p, 1));
        let lower = run.iter().rev().map(|p| at(p, 0));
        shapes.push(Shape::Area { places: upper.chain(lower).collect(), color });
    }
}

fn curve(chart: &Chart, line: &Line, number: usize, frame: &Frame, shapes: &mut Vec<Shape>) {
    let look = chart.style(line.style);
    let drawn = line.points.iter().filter(|p| is_shown(chart, p)).count();
    let most = ((frame.right - frame.left) / APART).max(2.0) as usize;
    let stride = drawn.div_ceil(most).max(1);
    // Signs of lines that run together stand beside each other.
    let mut count = if stride > 1 { stride - number * 3 % stride } else { 0 };
    for run in runs(chart, line) {
        if run.len() > 1 {
            let places = distinct(run.iter().map(|p| frame.place(p.x, p.y)));
            shapes.push(Shape::Path { places, color: look.color, width: WIDTH, dash: look.dash.lengths() });
        }
        for p in run {
            if run.len() == 1 || count.is_multiple_of(stride) {
                let at = frame.place(p.x, p.y);
                shapes.push(Shape::Sign { at, marker: look.marker, color: look.color });
            }
            count += 1;
        }
    }
}

/// Places without those that are too near to the one before; the first and the last one stay.
fn distinct(places: impl Iterator<Item = Place>) -> Vec<Place> {
    let mut kept: Vec<Place> = Vec::new();
    let mut last = None;
    for place in places {
        let is_near =
            kept.last().is_some_and(|k| (k.0 - place.0).abs() < SAME && (k.1 - place.1).abs() < SAME);
        last = is_near.then_some(place);
        if !is_near {
            kept.push(place);
        }
    }
    kept.extend(last);
    kept
}

/// Samples with their bars, and rings.
fn separate(chart: &Chart, line: &Line, frame: &Frame, shapes: &mut Vec<Shape>) {
    let (marker, color) = match line.kind {
        Kind::Doubts => (Marker::Ring, INK),
        Kind::Samples | Kind::Curve => (Marker::Circle, chart.style(line.style).color),
    };
    for p in line.points.iter().filter(|p| is_shown(chart, p)) {
        if line.kind == Kind::Samples {
            let [low, high] = bounds(chart, p).map(|y| frame.place(p.x, y));
            if low.1 - high.1 >= VISIBLE {
                bar(low, high, color, shapes);
            }
        }
        shapes.push(Shape::Sign { at: frame.place(p.x, p.y), marker, color });
    }
}

/// A bar with ends.
fn bar(low: Place, high: Place, color: [u8; 3], shapes: &mut Vec<Shape>) {
    let x = low.0;
    let ends = [low, high].map(|(_, y)| [(x - CAP, y), (x + CAP, y)]);
    for [from, to] in [[low, high], ends[0], ends[1]] {
        shapes.push(Shape::Path { places: vec![from, to], color, width: 1.0, dash: &[] });
    }
}

/// What is known of a point.
fn note(chart: &Chart, line: &Line, p: &Point) -> String {
    let named = |name: &str, value: f64| match name {
        "" => digits(value),
        name => format!("{name} = {}", digits(value)),
    };
    let mut text = format!("{}\n{}", named(&chart.x.label, p.x), named(&line.name, p.y));
    if p.lo != p.hi {
        text.push_str(&format!("\nbetween {} and {}", digits(p.lo), digits(p.hi)));
    }
    text
}
