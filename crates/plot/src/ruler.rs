//! The vertical axis: a grid line, a tick and a number for each of its labels.

use crate::axis::Axis;
use crate::font;
use crate::scene::{Anchor, Extent, SHARE, SMALL, Shape};
use crate::style::{GRID, INK};

/// Width of numbers and ticks.
pub fn width(axis: &Axis) -> f64 {
    axis.labels().map(|(_, text)| font::width(text, SMALL)).fold(0.0, f64::max) / SHARE + 8.0
}

/// Draws the axis at the left border of a frame.
pub fn draw(axis: &Axis, [left, top, right, bottom]: Extent, shapes: &mut Vec<Shape>) {
    let numbers = font::ASCENT * SMALL;
    for tick in &axis.ticks {
        let y = bottom - axis.part(tick.value) * (bottom - top);
        let length = if tick.label.is_some() { 4.0 } else { 2.5 };
        if tick.label.is_some() {
            shapes.push(Shape::line((left, y), (right, y), GRID, 0.6));
        }
        shapes.push(Shape::line((left - length, y), (left, y), INK, 0.7));
        if let Some(label) = &tick.label {
            shapes.push(Shape::text((left - 7.0, y + numbers / 2.0 - 0.5), label, Anchor::End, SMALL, INK));
        }
    }
}
