//! A scene as SVG 1.1.
//!
//! Texts are texts: they can be selected and edited, and are drawn by a font of the reader, the embedded one where it is
//! installed, else one with similar widths.

use crate::font;
use crate::scene::{Anchor, Figure, OPACITY, Place, SIGN_WIDTH, Scene, Shape, Text, WIDTH, figures};
use crate::style::Color;
use std::fmt::Write;
use volvelle_media::markup::escaped;

/// Pixels of a browser for a unit, where the surrounding page does not say otherwise.
const PIXELS: f64 = 1.5;

/// The radius in which a pointer finds a point.
const TARGET: f64 = 5.0;

/// The document, with a declaration of XML; points and rectangles show what is known of them.
pub fn document(scene: &Scene) -> String {
    format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{}", element(scene, true))
}

/// The `svg` element alone, for pages.
pub fn element(scene: &Scene, with_notes: bool) -> String {
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {}\" width=\"{}\" height=\"{}\" \
         font-family=\"'{}', 'Open Sans', 'Helvetica Neue', Arial, 'Liberation Sans', sans-serif\" role=\"img\">\n\
         <title>{}</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n",
        scene.height,
        WIDTH * PIXELS,
        scene.height * PIXELS,
        font::NAME,
        escaped(&scene.title)
    );
    for shape in &scene.shapes {
        match shape {
            Shape::Path { places, color, width, dash } => line(&mut out, places, *color, *width, dash),
            Shape::Area { places, color } => write(
                &mut out,
                format_args!(
                    "<polygon points=\"{}\" fill=\"{}\" fill-opacity=\"{OPACITY}\"/>\n",
                    points(places),
                    hex(*color)
                ),
            ),
            Shape::Tile { extent: [left, top, right, bottom], color, note } => {
                let (width, height) = (right - left, bottom - top);
                let fill = hex(*color);
                let shape = format!(
                    "<rect x=\"{left:.2}\" y=\"{top:.2}\" width=\"{width:.2}\" height=\"{height:.2}\" fill=\"{fill}\""
                );
                match note.as_str() {
                    note if with_notes && !note.is_empty() => {
                        write(&mut out, format_args!("{shape}><title>{}</title></rect>\n", escaped(note)));
                    }
                    _ => write(&mut out, format_args!("{shape}/>\n")),
                }
            }
            Shape::Sign { at, marker, color } => sign(&mut out, *at, &figures(*marker, *color), *color),
            Shape::Text(text) => letters(&mut out, text),
        }
    }
    if with_notes {
        targets(&mut out, scene);
    }
    out.push_str("</svg>\n");
    out
}

/// Points with targets for a pointer: more would be nearer to each other than a pointer can tell.
const MOST_TARGETS: usize = 2_000;

/// Rings without colour around points, in which a pointer finds what is known of them: also of points that have no sign.
fn targets(out: &mut String, scene: &Scene) {
    let points: Vec<_> = scene.notes.iter().filter(|note| note.extent.is_none()).collect();
    for note in points.iter().step_by(points.len().div_ceil(MOST_TARGETS).max(1)) {
        let (x, y) = (short(note.at.0), short(note.at.1));
        write(
            out,
            format_args!(
                "<circle cx=\"{x}\" cy=\"{y}\" r=\"{TARGET}\" fill=\"none\" pointer-events=\"all\"><title>{}</title></circle>\n",
                escaped(&note.text)
            ),
        );
    }
}

/// Writing to a string does not fail.
fn write(out: &mut String, text: std::fmt::Arguments<'_>) {
    let _ = out.write_fmt(text);
}

fn line(out: &mut String, places: &[Place], color: Color, width: f64, dash: &[f64]) {
    write(
        out,
        format_args!(
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{width}\" stroke-linejoin=\"round\"",
            points(places),
            hex(color)
        ),
    );
    if !dash.is_empty() {
        let lengths: Vec<String> = dash.iter().map(f64::to_string).collect();
        write(out, format_args!(" stroke-dasharray=\"{}\"", lengths.join(" ")));
    }
    out.push_str("/>\n");
}

fn sign(out: &mut String, (x, y): Place, figures: &[Figure], color: Color) {
    out.push_str("<g>");
    for figure in figures {
        match figure.radius {
            Some(radius) => {
                write(out, format_args!("<circle cx=\"{}\" cy=\"{}\" r=\"{radius}\"", short(x), short(y)));
            }
            None => {
                let corners: Vec<Place> = figure.corners.iter().map(|(dx, dy)| (x + dx, y + dy)).collect();
                write(out, format_args!("<path d=\"M{}", points(&corners).replace(' ', " L")));
                out.push_str(if corners.len() > 2 { "z\"" } else { "\"" });
            }
        }
        match figure.fill {
            Some(fill) => write(out, format_args!(" fill=\"{}\"", hex(fill))),
            None => out.push_str(" fill=\"none\""),
        }
        if figure.stroked {
            write(out, format_args!(" stroke=\"{}\" stroke-width=\"{SIGN_WIDTH}\"", hex(color)));
        }
        out.push_str("/>");
    }
    out.push_str("</g>\n");
}

fn letters(out: &mut String, text: &Text) {
    let (x, y) = (short(text.at.0), short(text.at.1));
    let anchor = match text.anchor {
        Anchor::Start => "",
        Anchor::Middle => " text-anchor=\"middle\"",
        Anchor::End => " text-anchor=\"end\"",
    };
    let turned = if text.upwards { format!(" transform=\"rotate(-90 {x} {y})\"") } else { String::new() };
    write(
        out,
        format_args!(
            "<text x=\"{x}\" y=\"{y}\" font-size=\"{}\" fill=\"{}\"{anchor}{turned}>{}</text>\n",
            text.size,
            hex(text.color),
            escaped(&text.text)
        ),
    );
}

fn points(places: &[Place]) -> String {
    let shown: Vec<String> = places.iter().map(|(x, y)| format!("{},{}", short(*x), short(*y))).collect();
    shown.join(" ")
}

/// A place to a hundredth of a unit.
fn short(x: f64) -> f64 {
    (x * 100.0).round() / 100.0
}

/// A colour for SVG and CSS.
pub fn hex([r, g, b]: Color) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}
