//! Lays a chart out: titles at the top, the frame with its axes, the legend, and remarks about what could not be drawn.

use crate::axis::{Axis, Wanted};
use crate::captions::{are, values};
use crate::frame::{FRAME, Frame, bounds, is_shown};
use crate::scene::{Anchor, MARGIN, SHARE, SMALL, Scene, Shape, WIDTH};
use crate::style::{GRID, INK};
use crate::ticks::axis;
use crate::{Chart, Dimension, Line, Scale, captions, curves, font, legend, ruler};

/// Between the labels of an axis.
const GAP: f64 = 10.0;

/// Bounds reach down to this part of the least value, on a logarithmic axis: lower ones are cut.
const DEEPEST: f64 = 1e-3;

/// Lays a chart out.
pub fn layout(chart: &Chart) -> Scene {
    let chart = &cleaned(chart);
    let mut shapes = Vec::new();
    let top = captions::titles(&chart.title, &chart.subtitle, &mut shapes);
    let y = vertical_axis(chart);
    let left = MARGIN + captions::width_of_vertical(&chart.y.label) + ruler::width(&y);
    let bottom = top + FRAME;
    let entries = legend::entries(chart);
    let beside = legend::width_beside(&entries, bottom - top);
    let right = WIDTH - beside.map_or(MARGIN + 6.0, |width| width + MARGIN);
    let (x, right) = horizontal_axis(chart, left, right);
    let frame = Frame { left, right, top, bottom, x, y };
    axes(chart, &frame, &mut shapes);
    let notes = curves::draw(chart, &frame, &mut shapes);
    let mut end = bottom + 6.0 + SMALL;
    end = captions::horizontal(&chart.x.label, [left, right], end, &mut shapes);
    end += 5.0;
    match beside {
        Some(_) => legend::beside(&entries, right + 10.0, top, &mut shapes),
        None => end = legend::below(&entries, end, &mut shapes),
    }
    end = captions::remarks(&remarks(chart), end, &mut shapes);
    Scene { title: chart.title.clone(), height: (end + MARGIN).ceil(), shapes, notes }
}

/// The same chart, with texts in which every letter has a place.
fn cleaned(chart: &Chart) -> Chart {
    let dimension = |d: &Dimension| Dimension { label: font::clean(&d.label), scale: d.scale };
    let line = |l: &Line| Line { name: font::clean(&l.name), ..l.clone() };
    Chart {
        title: font::clean(&chart.title),
        subtitle: font::clean(&chart.subtitle),
        x: dimension(&chart.x),
        y: dimension(&chart.y),
        lines: chart.lines.iter().map(line).collect(),
        is_ordered: chart.is_ordered,
    }
}

fn range(values: impl Iterator<Item = f64>) -> [f64; 2] {
    values.fold([f64::INFINITY, f64::NEG_INFINITY], |[lo, hi], v| [lo.min(v), hi.max(v)])
}

fn vertical_axis(chart: &Chart) -> Axis {
    let points = || chart.lines.iter().flat_map(|l| &l.points).filter(|p| is_shown(chart, p));
    let [least, _] = range(points().map(|p| p.y));
    let [mut min, max] = range(points().flat_map(|p| bounds(chart, p)));
    match chart.y.scale {
        // Zero belongs into the picture where it is near.
        Scale::Linear if min > 0.0 && min < 0.5 * max => min = 0.0,
        Scale::Linear => {}
        Scale::Logarithmic => {
            let [lower, _] = range(points().flat_map(|p| bounds(chart, p)).filter(|&v| v > 0.0));
            min = lower.min(least).max(least * DEEPEST);
        }
    }
    axis(Wanted { scale: chart.y.scale, min, max, labels: 6, rounded: true, whole: false })
}

/// The horizontal axis, with as many labels as there is room for; and where the frame ends.
fn horizontal_axis(chart: &Chart, left: f64, most: f64) -> (Axis, f64) {
    let values = || {
        let points = chart.lines.iter().flat_map(|l| &l.points).filter(|p| is_shown(chart, p));
        points.map(|p| p.x)
    };
    let [min, max] = range(values());
    let whole = values().all(|x| x.fract() == 0.0);
    let build =
        |labels: usize| axis(Wanted { scale: chart.x.scale, min, max, labels, rounded: false, whole });
    let half = |label: &str| font::width(label, SMALL) / SHARE / 2.0;
    // The last label must not reach over the border of the picture.
    let end = |axis: &Axis| {
        let over = |(part, label): (f64, &str)| {
            let beyond = left + part * (most - left) + half(label) - (WIDTH - 2.0);
            if part > 0.0 { (beyond / part).max(0.0) } else { 0.0 }
        };
        most - axis.labels().map(over).fold(0.0, f64::max).min((most - left) / 3.0)
    };
    let extent = |right: f64, part: f64, label: &str| {
        let center = left + part * (right - left);
        [center - half(label), center + half(label)]
    };
    for labels in [8, 7, 6, 5, 4, 3, 2] {
        let axis = build(labels);
        let right = end(&axis);
        let extents: Vec<[f64; 2]> = axis.labels().map(|(part, label)| extent(right, part, label)).collect();
        if extents.windows(2).all(|pair| pair[0][1] + GAP <= pair[1][0]) {
            return (axis, right);
        }
    }
    let mut axis = build(2);
    let right = end(&axis);
    axis.thin_out(GAP, |part, label| extent(right, part, label));
    (axis, right)
}

fn axes(chart: &Chart, frame: &Frame, shapes: &mut Vec<Shape>) {
    let &Frame { left, right, top, bottom, .. } = frame;
    ruler::draw(&frame.y, [left, top, right, bottom], shapes);
    for tick in &frame.x.ticks {
        let x = left + frame.x.part(tick.value) * (right - left);
        let length = if tick.label.is_some() { 4.0 } else { 2.5 };
        if tick.label.is_some() {
            shapes.push(Shape::line((x, top), (x, bottom), GRID, 0.6));
        }
        shapes.push(Shape::line((x, bottom), (x, bottom + length), INK, 0.7));
        if let Some(label) = &tick.label {
            shapes.push(Shape::text((x, bottom + 6.0 + SMALL), label, Anchor::Middle, SMALL, INK));
        }
    }
    shapes.push(Shape::Path {
        places: vec![(left, top), (left, bottom), (right, bottom)],
        color: INK,
        width: 0.8,
        dash: &[],
    });
    captions::vertical(&chart.y.label, [top, bottom], shapes);
}

/// What is left out of the picture, and why.
fn remarks(chart: &Chart) -> Vec<String> {
    let points = || chart.lines.iter().flat_map(|l| &l.points);
    let infinite = points().filter(|p| p.y.is_infinite() || p.x.is_infinite()).count();
    let not_positive = points().filter(|p| p.x.is_finite() && p.y.is_finite() && !is_shown(chart, p)).count();
    let mut remarks = Vec::new();
    if not_positive > 0 {
        let them = if not_positive == 1 { "it" } else { "them" };
        let (values, are) = (values(not_positive), are(not_positive));
        remarks.push(format!("{values} ≤ 0 {are} left out: a logarithmic axis cannot show {them}."));
    }
    if infinite > 0 {
        remarks.push(format!("{} {} infinite and left out.", values(infinite), are(infinite)));
    }
    remarks
}
