//! The shapes of a scene as operators of a page.

use super::letters::Letters;
use super::{FONT, TRANSLUCENT};
use crate::font;
use crate::scene::{POINTS, Place, SIGN_WIDTH, Scene, Shape, Text, figures};
use crate::style::Color;
use pdf_writer::types::LineJoinStyle;
use pdf_writer::{Buf, Content, Str};

/// The content of the page.
pub fn content(scene: &Scene, letters: &Letters) -> Buf {
    let mut content = Content::new();
    // Units of the scene, from the upper left.
    let unit = POINTS as f32;
    content.transform([unit, 0.0, 0.0, -unit, 0.0, scene.height as f32 * unit]);
    content.set_line_join(LineJoinStyle::RoundJoin);
    for shape in &scene.shapes {
        content.save_state();
        match shape {
            Shape::Path { places, color, width, dash } => {
                stroke(&mut content, *color, *width);
                if !dash.is_empty() {
                    content.set_dash_pattern(dash.iter().map(|&length| length as f32), 0.0);
                }
                path(&mut content, places.iter().copied());
                content.stroke();
            }
            Shape::Area { places, color } => {
                content.set_parameters(TRANSLUCENT);
                fill(&mut content, *color);
                path(&mut content, places.iter().copied());
                content.close_path().fill_nonzero();
            }
            Shape::Sign { at, marker, color, .. } => {
                stroke(&mut content, *color, SIGN_WIDTH);
                for figure in figures(*marker, *color) {
                    match figure.radius {
                        Some(radius) => circle(&mut content, *at, radius),
                        None => path(&mut content, figure.corners.iter().map(|(x, y)| (at.0 + x, at.1 + y))),
                    }
                    if let Some(inside) = figure.fill {
                        fill(&mut content, inside);
                    }
                    match (figure.fill, figure.stroked) {
                        (Some(_), true) => content.close_fill_nonzero_and_stroke(),
                        (Some(_), false) => content.close_path().fill_nonzero(),
                        (None, _) => content.stroke(),
                    };
                }
            }
            Shape::Text(text) => show(&mut content, text, letters),
        }
        content.restore_state();
    }
    content.finish()
}

fn parts(color: Color) -> [f32; 3] {
    // Three digits are enough, and short.
    color.map(|c| (f32::from(c) / 255.0 * 1000.0).round() / 1000.0)
}

fn fill(content: &mut Content, color: Color) {
    let [r, g, b] = parts(color);
    content.set_fill_rgb(r, g, b);
}

fn stroke(content: &mut Content, color: Color, width: f64) {
    let [r, g, b] = parts(color);
    content.set_stroke_rgb(r, g, b).set_line_width(width as f32);
}

/// A place to a hundredth of a unit.
fn short((x, y): Place) -> [f32; 2] {
    [x, y].map(|v| ((v * 100.0).round() / 100.0) as f32)
}

fn path(content: &mut Content, places: impl Iterator<Item = Place>) {
    for (i, [x, y]) in places.map(short).enumerate() {
        match i {
            0 => content.move_to(x, y),
            _ => content.line_to(x, y),
        };
    }
}

fn circle(content: &mut Content, (x, y): Place, radius: f64) {
    // The curve of a quarter that is nearest to the circle.
    let handle = radius * 0.552_284_75;
    let at = |dx: f64, dy: f64| short((x + dx, y + dy));
    let [x0, y0] = at(radius, 0.0);
    content.move_to(x0, y0);
    let quarters = [(1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0), (1.0, 0.0)];
    for pair in quarters.windows(2) {
        let [(ax, ay), (bx, by)] = [pair[0], pair[1]];
        let [x1, y1] = at(ax * radius + bx * handle, ay * radius + by * handle);
        let [x2, y2] = at(bx * radius + ax * handle, by * radius + ay * handle);
        let [x3, y3] = at(bx * radius, by * radius);
        content.cubic_to(x1, y1, x2, y2, x3, y3);
    }
    content.close_path();
}

fn show(content: &mut Content, text: &Text, letters: &Letters) {
    let glyphs = font::glyphs(&text.text);
    let (x, y) = text.at;
    let [x, y, start] = [x, y, text.start()].map(|v| v as f32);
    fill(content, text.color);
    content.begin_text();
    content.set_font(FONT, text.size as f32);
    content.set_text_matrix(match text.upwards {
        false => [1.0, 0.0, 0.0, -1.0, x + start, y],
        true => [0.0, -1.0, -1.0, 0.0, x, y - start],
    });
    let mut positioned = content.show_positioned();
    let mut items = positioned.items();
    let mut run: Vec<u8> = Vec::new();
    let mut end = 0.0;
    for glyph in glyphs {
        let moved = glyph.start - end;
        if moved != 0.0 {
            items.show(Str(&run)).adjust((-moved * 1000.0).round() as f32);
            run.clear();
        }
        run.extend(letters.number(glyph.letter).to_be_bytes());
        end = glyph.start + glyph.advance;
    }
    items.show(Str(&run));
    drop(items);
    drop(positioned);
    content.end_text();
}
