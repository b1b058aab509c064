//! A scene as pixels: 1,200 across, which is 343 for an inch where the picture is as wide as a column of a paper.

use crate::font;
use crate::scene::{OPACITY, POINTS, Place, SIGN_WIDTH, Scene, Shape, Text, WIDTH, figures};
use crate::style::Color;
use tiny_skia::{
    FillRule, LineCap, LineJoin, Paint, Path, PathBuilder, Pixmap, Stroke, StrokeDash, Transform,
};
use ttf_parser::{GlyphId, OutlineBuilder};

/// Pixels for a unit.
const SCALE: f32 = 3.0;

/// The file; empty only if the picture had no size.
pub fn file(scene: &Scene) -> Vec<u8> {
    let (width, height) = ((WIDTH as f32 * SCALE) as u32, (scene.height as f32 * SCALE) as u32);
    let Some(mut picture) = Pixmap::new(width, height) else { return Vec::new() };
    picture.fill(tiny_skia::Color::WHITE);
    scene.shapes.iter().for_each(|shape| draw(&mut picture, shape));
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    // Nothing of the picture is transparent.
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let per_metre = (f64::from(SCALE) / POINTS * 72.0 / 0.0254).round() as u32;
    encoder.set_pixel_dims(Some(png::PixelDimensions {
        xppu: per_metre,
        yppu: per_metre,
        unit: png::Unit::Meter,
    }));
    let colors: Vec<u8> = picture.data().chunks_exact(4).flat_map(|p| [p[0], p[1], p[2]]).collect();
    // Writing to memory does not fail, and the size of the data is that of the picture.
    let written = encoder.write_header().and_then(|mut writer| writer.write_image_data(&colors));
    if written.is_err() {
        return Vec::new();
    }
    bytes
}

fn draw(picture: &mut Pixmap, shape: &Shape) {
    let units = Transform::from_scale(SCALE, SCALE);
    match shape {
        Shape::Path { places, color, width, dash } => {
            line(picture, path(places, false), *color, *width, dash, units);
        }
        Shape::Area { places, color } => {
            if let Some(path) = path(places, true) {
                let opacity = (OPACITY * 255.0) as u8;
                picture.fill_path(&path, &paint(*color, opacity), FillRule::Winding, units, None);
            }
        }
        Shape::Tile { extent: [left, top, right, bottom], color, .. } => {
            let corners = [(*left, *top), (*right, *top), (*right, *bottom), (*left, *bottom)];
            if let Some(path) = path(&corners, true) {
                picture.fill_path(&path, &paint(*color, 255), FillRule::Winding, units, None);
            }
        }
        Shape::Sign { at, marker, color } => {
            let there = units.pre_translate(at.0 as f32, at.1 as f32);
            for figure in figures(*marker, *color) {
                let outline = match figure.radius {
                    Some(radius) => PathBuilder::from_circle(0.0, 0.0, radius as f32),
                    None => path(&figure.corners, figure.corners.len() > 2),
                };
                if let (Some(fill), Some(outline)) = (figure.fill, &outline) {
                    picture.fill_path(outline, &paint(fill, 255), FillRule::Winding, there, None);
                }
                if figure.stroked {
                    line(picture, outline, *color, SIGN_WIDTH, &[], there);
                }
            }
        }
        Shape::Text(text) => letters(picture, text),
    }
}

fn line(
    picture: &mut Pixmap,
    path: Option<Path>,
    color: Color,
    width: f64,
    dash: &[f64],
    transform: Transform,
) {
    let Some(path) = path else { return };
    let stroke = Stroke {
        width: width as f32,
        line_join: LineJoin::Round,
        line_cap: LineCap::Butt,
        dash: StrokeDash::new(dash.iter().map(|&length| length as f32).collect(), 0.0),
        ..Stroke::default()
    };
    picture.stroke_path(&path, &paint(color, 255), &stroke, transform, None);
}

fn paint([r, g, b]: Color, alpha: u8) -> Paint<'static> {
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

/// Outlines of letters, whose vertical axis runs upwards.
struct Outline(PathBuilder);

impl OutlineBuilder for Outline {
    fn move_to(&mut self, x: f32, y: f32) {
        self.0.move_to(x, -y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        self.0.line_to(x, -y);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        self.0.quad_to(x1, -y1, x, -y);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        self.0.cubic_to(x1, -y1, x2, -y2, x, -y);
    }

    fn close(&mut self) {
        self.0.close();
    }
}

fn letters(picture: &mut Pixmap, text: &Text) {
    let color = paint(text.color, 255);
    let mut place = Transform::from_scale(SCALE, SCALE).pre_translate(text.at.0 as f32, text.at.1 as f32);
    if text.upwards {
        place = place.pre_rotate(-90.0);
    }
    let place = place.pre_translate(text.start() as f32, 0.0);
    let scale = (text.size / font::units()) as f32;
    for glyph in font::glyphs(&text.text) {
        let mut outline = Outline(PathBuilder::new());
        if font::face().outline_glyph(GlyphId(glyph.id), &mut outline).is_none() {
            continue;
        }
        if let Some(path) = outline.0.finish() {
            let there = place.pre_translate((glyph.start * text.size) as f32, 0.0).pre_scale(scale, scale);
            picture.fill_path(&path, &color, FillRule::Winding, there, None);
        }
    }
}
