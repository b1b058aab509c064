//! A scene as pixels, at twice its size.

use crate::scene::{Anchor, HEIGHT, Place, Scene, Shape, WIDTH};
use font8x8::UnicodeFonts;
use tiny_skia::{Color, FillRule, Paint, Path, PathBuilder, Pixmap, Rect, Stroke, Transform};

/// Pixels for one of the scene.
const SCALE: f32 = 2.0;

/// The file; empty only if the picture had no size.
pub fn file(scene: &Scene) -> Vec<u8> {
    let (width, height) = ((WIDTH as f32 * SCALE) as u32, (HEIGHT as f32 * SCALE) as u32);
    let Some(mut picture) = Pixmap::new(width, height) else { return Vec::new() };
    picture.fill(Color::WHITE);
    scene.shapes.iter().for_each(|shape| draw(&mut picture, shape));
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_depth(png::BitDepth::Eight);
    // Writing to memory does not fail, and the size of the data is that of the picture.
    let written = encoder.write_header().and_then(|mut writer| writer.write_image_data(picture.data()));
    if written.is_err() {
        return Vec::new();
    }
    bytes
}

fn draw(picture: &mut Pixmap, shape: &Shape) {
    let transform = Transform::from_scale(SCALE, SCALE);
    match shape {
        Shape::Path { places, color, width } => {
            let stroke = Stroke { width: *width as f32, ..Stroke::default() };
            if let Some(path) = path(places, false) {
                picture.stroke_path(&path, &paint(*color, 255), &stroke, transform, None);
            }
        }
        Shape::Area { places, color } => {
            if let Some(path) = path(places, true) {
                picture.fill_path(&path, &paint(*color, 64), FillRule::Winding, transform, None);
            }
        }
        Shape::Dot { at, color, .. } => {
            if let Some(path) = PathBuilder::from_circle(at.0 as f32, at.1 as f32, 2.6) {
                picture.fill_path(&path, &paint(*color, 255), FillRule::Winding, transform, None);
            }
        }
        Shape::Text { at, text, anchor, large } => letters(picture, *at, text, *anchor, *large),
    }
}

fn paint([r, g, b]: [u8; 3], alpha: u8) -> Paint<'static> {
    let mut paint = Paint::default();
    paint.set_color_rgba8(r, g, b, alpha);
    paint.anti_alias = true;
    paint
}

fn path(places: &[Place], closed: bool) -> Option<Path> {
    let mut builder = PathBuilder::new();
    for (i, &(x, y)) in places.iter().enumerate() {
        if i == 0 {
            builder.move_to(x as f32, y as f32);
        } else {
            builder.line_to(x as f32, y as f32);
        }
    }
    if closed {
        builder.close();
    }
    builder.finish()
}

/// Letters of eight by eight squares.
fn letters(picture: &mut Pixmap, (x, y): Place, text: &str, anchor: Anchor, large: bool) {
    // Whole pixels for each square keep the letters crisp.
    let square = if large { 2.0 } else { 1.6 };
    let advance = 7.2 * square;
    let length = text.chars().count() as f32 * advance;
    let (x, y) = (x as f32 * SCALE, y as f32 * SCALE);
    let start = match anchor {
        Anchor::Start => 0.0,
        Anchor::Middle | Anchor::Upwards => -length / 2.0,
        Anchor::End => -length,
    };
    let color = paint([60, 60, 60], 255);
    for (i, c) in text.chars().enumerate() {
        let glyph = font8x8::BASIC_FONTS.get(c).or_else(|| font8x8::BASIC_FONTS.get('?')).unwrap_or([0; 8]);
        for (row, bits) in glyph.iter().enumerate() {
            for column in (0..8).filter(|column| bits >> column & 1 == 1) {
                let along = start + i as f32 * advance + column as f32 * square;
                let up = (7.0 - row as f32) * square;
                let rect = if anchor == Anchor::Upwards {
                    Rect::from_xywh(x - up - square, y - along - square, square, square)
                } else {
                    Rect::from_xywh(x + along, y - up - square, square, square)
                };
                if let Some(rect) = rect {
                    picture.fill_rect(rect, &color, Transform::identity(), None);
                }
            }
        }
    }
}
