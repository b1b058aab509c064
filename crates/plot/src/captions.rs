//! Texts around the frame of a picture: titles, what the axes show, and remarks about what could not be drawn.
//!
//! Texts come in [clean](font::clean).

use crate::font;
use crate::scene::{Anchor, MARGIN, SHARE, SMALL, Shape, Text, WIDTH};
use crate::style::{FAINT_INK, INK};

/// Size of what is written beside axes.
pub const LABEL: f64 = 12.0;
const TITLE: f64 = 12.5;
const REMARK: f64 = 9.5;
/// From a base line to the next one, for size 1.
const LEADING: f64 = 1.25;

/// Draws title and subtitle; gives where the frame starts.
pub fn titles(title: &str, subtitle: &str, shapes: &mut Vec<Shape>) -> f64 {
    let room = (WIDTH - 2.0 * MARGIN) * SHARE;
    let mut end = MARGIN;
    for line in font::wrapped(title, TITLE, room, 3) {
        shapes.push(Shape::text((MARGIN, end + TITLE), &line, Anchor::Start, TITLE, INK));
        end += TITLE * LEADING;
    }
    for line in font::wrapped(subtitle, SMALL, room, 2) {
        shapes.push(Shape::text((MARGIN, end + SMALL), &line, Anchor::Start, SMALL, FAINT_INK));
        end += SMALL * LEADING;
    }
    end + 8.0
}

/// Width of what [`vertical`] draws.
pub fn width_of_vertical(label: &str) -> f64 {
    if label.is_empty() { 0.0 } else { LABEL + 6.0 }
}

/// Draws what the vertical axis shows, upwards at the left border.
pub fn vertical(label: &str, [top, bottom]: [f64; 2], shapes: &mut Vec<Shape>) {
    if label.is_empty() {
        return;
    }
    shapes.push(Shape::Text(Text {
        at: (MARGIN + LABEL * font::ASCENT, (top + bottom) / 2.0),
        text: font::fitted(label, LABEL, (bottom - top) * SHARE),
        anchor: Anchor::Middle,
        upwards: true,
        size: LABEL,
        color: INK,
    }));
}

/// Draws what the horizontal axis shows, below the frame; gives where it ends.
pub fn horizontal(label: &str, [left, right]: [f64; 2], end: f64, shapes: &mut Vec<Shape>) -> f64 {
    if label.is_empty() {
        return end;
    }
    let end = end + 4.0 + LABEL;
    let label = font::fitted(label, LABEL, (WIDTH - 2.0 * MARGIN) * SHARE);
    let half = font::width(&label, LABEL) / SHARE / 2.0;
    let center = ((left + right) / 2.0).clamp(MARGIN + half, (WIDTH - MARGIN - half).max(MARGIN + half));
    shapes.push(Shape::text((center, end), &label, Anchor::Middle, LABEL, INK));
    end
}

/// Draws remarks at the bottom; gives where they end.
pub fn remarks(remarks: &[String], mut end: f64, shapes: &mut Vec<Shape>) -> f64 {
    for remark in remarks {
        end += REMARK * LEADING;
        let remark = font::fitted(remark, REMARK, (WIDTH - 2.0 * MARGIN) * SHARE);
        shapes.push(Shape::text((MARGIN, end), &remark, Anchor::Start, REMARK, FAINT_INK));
    }
    end
}

/// `1 value`, `2 values`
pub fn values(count: usize) -> String {
    if count == 1 { "1 value".to_owned() } else { format!("{count} values") }
}

/// The verb for as many.
pub fn are(count: usize) -> &'static str {
    if count == 1 { "is" } else { "are" }
}
