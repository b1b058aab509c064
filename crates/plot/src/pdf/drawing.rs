//! The shapes of a scene as operators of a page.

use super::file::operands;
use super::letters::Letters;
use crate::font;
use crate::scene::{POINTS, Place, SIGN_WIDTH, Scene, Shape, Text, figures};
use crate::style::Color;

/// The name of the font among the resources of the page.
pub const FONT: &str = "/F1";
/// The name of what makes areas translucent.
pub const TRANSLUCENT: &str = "/G1";

/// The content of the page.
pub fn content(scene: &Scene, letters: &Letters) -> String {
    // Units of the scene, from the upper left; lines meet in round joins.
    let units = operands([POINTS, 0.0, 0.0, -POINTS, 0.0, scene.height * POINTS]);
    let mut out = format!("{units} cm\n1 j\n");
    for shape in &scene.shapes {
        out.push_str("q\n");
        match shape {
            Shape::Path { places, color, width, dash } => {
                stroke(&mut out, *color, *width);
                if !dash.is_empty() {
                    let lengths: Vec<String> = dash.iter().map(f64::to_string).collect();
                    out.push_str(&format!("[{}] 0 d\n", lengths.join(" ")));
                }
                path(&mut out, places.iter().copied());
                out.push_str("S\n");
            }
            Shape::Area { places, color } => {
                out.push_str(&format!("{TRANSLUCENT} gs\n"));
                fill(&mut out, *color);
                path(&mut out, places.iter().copied());
                out.push_str("h\nf\n");
            }
            Shape::Tile { extent: [left, top, right, bottom], color, .. } => {
                fill(&mut out, *color);
                let corners = [(*left, *top), (*right, *top), (*right, *bottom), (*left, *bottom)];
                path(&mut out, corners.into_iter());
                out.push_str("h\nf\n");
            }
            Shape::Sign { at, marker, color } => {
                stroke(&mut out, *color, SIGN_WIDTH);
                for figure in figures(*marker, *color) {
                    if let Some(inside) = figure.fill {
                        fill(&mut out, inside);
                    }
                    match figure.radius {
                        Some(radius) => circle(&mut out, *at, radius),
                        None => path(&mut out, figure.corners.iter().map(|(x, y)| (at.0 + x, at.1 + y))),
                    }
                    out.push_str(match (figure.fill, figure.stroked) {
                        (Some(_), true) => "b\n",
                        (Some(_), false) => "h\nf\n",
                        (None, _) => "S\n",
                    });
                }
            }
            Shape::Text(text) => show(&mut out, text, letters),
        }
        out.push_str("Q\n");
    }
    out
}

fn parts(color: Color) -> String {
    operands(color.map(|c| f64::from(c) / 255.0))
}

fn fill(out: &mut String, color: Color) {
    out.push_str(&format!("{} rg\n", parts(color)));
}

fn stroke(out: &mut String, color: Color, width: f64) {
    out.push_str(&format!("{} RG\n{} w\n", parts(color), operands([width])));
}

/// A place to a hundredth of a unit.
fn short((x, y): Place) -> [f64; 2] {
    [x, y].map(|v| (v * 100.0).round() / 100.0)
}

fn path(out: &mut String, places: impl Iterator<Item = Place>) {
    for (i, place) in places.enumerate() {
        let operator = if i == 0 { "m" } else { "l" };
        out.push_str(&format!("{} {operator}\n", operands(short(place))));
    }
}

fn circle(out: &mut String, (x, y): Place, radius: f64) {
    // The curve of a quarter that is nearest to the circle.
    let handle = radius * 0.552_284_75;
    let at = |dx: f64, dy: f64| operands([x + dx, y + dy]);
    out.push_str(&format!("{} m\n", at(radius, 0.0)));
    let quarters = [(1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0), (1.0, 0.0)];
    for pair in quarters.windows(2) {
        let [(ax, ay), (bx, by)] = [pair[0], pair[1]];
        let first = at(ax * radius + bx * handle, ay * radius + by * handle);
        let second = at(bx * radius + ax * handle, by * radius + ay * handle);
        out.push_str(&format!("{first} {second} {} c\n", at(bx * radius, by * radius)));
    }
    out.push_str("h\n");
}

fn show(out: &mut String, text: &Text, letters: &Letters) {
    let (x, y) = text.at;
    fill(out, text.color);
    let matrix = match text.upwards {
        false => [1.0, 0.0, 0.0, -1.0, x + text.start(), y],
        true => [0.0, -1.0, -1.0, 0.0, x, y - text.start()],
    };
    out.push_str(&format!("BT\n{FONT} {} Tf\n{} Tm\n[<", operands([text.size]), operands(matrix)));
    let mut end = 0.0;
    for glyph in font::glyphs(&text.text) {
        // Distances between letters are in thousandths of the size, to the left.
        let moved = ((glyph.start - end) * 1000.0).round();
        if moved != 0.0 {
            out.push_str(&format!("> {} <", operands([-moved])));
        }
        out.push_str(&format!("{:04X}", letters.number(glyph.letter)));
        end = glyph.start + glyph.advance;
    }
    out.push_str(">] TJ\nET\n");
}
