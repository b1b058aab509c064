//! A scene as SVG 1.1.

use crate::scene::{Anchor, HEIGHT, Place, Scene, Shape, WIDTH};
use std::fmt::Write;

/// The document, with a declaration of XML.
pub fn document(scene: &Scene) -> String {
    format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{}", element(scene))
}

/// The `svg` element alone, for pages.
pub fn element(scene: &Scene) -> String {
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"{WIDTH}\" \
         height=\"{HEIGHT}\" font-family=\"sans-serif\" font-size=\"12\" role=\"img\">\n<title>{}</title>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n",
        escaped(&scene.title)
    );
    for shape in &scene.shapes {
        // Writing to a string does not fail.
        let _ = match shape {
            Shape::Path { places, color, width } => writeln!(
                out,
                "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{width}\" \
                 stroke-linejoin=\"round\"/>",
                points(places),
                hex(*color)
            ),
            Shape::Area { places, color } => writeln!(
                out,
                "<polygon points=\"{}\" fill=\"{}\" fill-opacity=\"0.25\"/>",
                points(places),
                hex(*color)
            ),
            Shape::Dot { at: (x, y), color, note } => writeln!(
                out,
                "<circle cx=\"{}\" cy=\"{}\" r=\"2.6\" fill=\"{}\"><title>{}</title></circle>",
                short(*x),
                short(*y),
                hex(*color),
                escaped(note)
            ),
            Shape::Text { at: (x, y), text, anchor, large } => {
                let (x, y) = (short(*x), short(*y));
                let how = match anchor {
                    Anchor::Start => String::new(),
                    Anchor::Middle => " text-anchor=\"middle\"".to_owned(),
                    Anchor::End => " text-anchor=\"end\"".to_owned(),
                    Anchor::Upwards => format!(" text-anchor=\"middle\" transform=\"rotate(-90 {x} {y})\""),
                };
                let size = if *large { " font-size=\"14\" font-weight=\"bold\"" } else { "" };
                writeln!(
                    out,
                    "<text x=\"{x}\" y=\"{y}\" fill=\"#3c3c3c\"{how}{size}>{}</text>",
                    escaped(text)
                )
            }
        };
    }
    out.push_str("</svg>\n");
    out
}

fn points(places: &[Place]) -> String {
    let shown: Vec<String> = places.iter().map(|(x, y)| format!("{},{}", short(*x), short(*y))).collect();
    shown.join(" ")
}

/// A place to a hundredth of a pixel.
fn short(x: f64) -> f64 {
    (x * 100.0).round() / 100.0
}

fn hex([r, g, b]: [u8; 3]) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

/// Text for XML: markup is escaped, and characters that XML does not know are replaced.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' | '\t' => out.push(c),
            c if c.is_control() || c == '\u{fffe}' || c == '\u{ffff}' => out.push('?'),
            c => out.push(c),
        }
    }
    out
}
