//! A chart as simple shapes with places: what all formats draw.
//!
//! A unit is such that a scene is as wide as a column of a paper, 3.5 inches or 252 points, in [`WIDTH`] units; letters of size 11
//! are then about 7 points high, which publishers ask for at least.
//!
//! All widths are those of the embedded font. Readers of SVG and HTML may have another one: texts that share a line with
//! others, or with the border of the picture, leave room for letters that are a seventh wider ([`SHARE`]), as those of DejaVu Sans are.

use crate::font;
use crate::style::{Color, Marker};

/// Width of a picture.
pub const WIDTH: f64 = 400.0;

/// Between the border of the picture and its content.
pub const MARGIN: f64 = 8.0;

/// Size of small letters: numbers, legend, subtitle.
pub const SMALL: f64 = 11.0;

/// The part of the room that letters of the embedded font may take.
pub const SHARE: f64 = 0.86;

/// Points, of which an inch has 72, for a unit.
pub const POINTS: f64 = 252.0 / WIDTH;

/// A place, from the upper left.
pub type Place = (f64, f64);

/// Where a text stands relative to its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// It starts there.
    Start,
    /// It is centred there.
    Middle,
    /// It ends there.
    End,
}

/// A line of text.
#[derive(Clone, Debug, PartialEq)]
pub struct Text {
    /// Its place, on the base line.
    pub at: Place,
    /// The letters.
    pub text: String,
    /// How it stands there.
    pub anchor: Anchor,
    /// Whether it runs upwards.
    pub upwards: bool,
    /// Size of the font.
    pub size: f64,
    /// Of the letters.
    pub color: Color,
}

/// A rectangle: left, top, right, bottom.
pub type Extent = [f64; 4];

impl Text {
    /// Where the first letter starts relative to the place, in the direction of the text.
    pub fn start(&self) -> f64 {
        match self.anchor {
            Anchor::Start => 0.0,
            Anchor::Middle => -font::width(&self.text, self.size) / 2.0,
            Anchor::End => -font::width(&self.text, self.size),
        }
    }

    /// The rectangle that it covers.
    pub fn extent(&self) -> Extent {
        let (x, y) = self.at;
        let (from, width) = (self.start(), font::width(&self.text, self.size));
        let (up, down) = (font::ASCENT * self.size, font::DESCENT * self.size);
        match self.upwards {
            false => [x + from, y - up, x + from + width, y + down],
            true => [x - up, y - from - width, x + down, y - from],
        }
    }
}

/// A shape.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// A line through places.
    Path {
        /// The places, at least two.
        places: Vec<Place>,
        /// Of the line.
        color: Color,
        /// Of the line.
        width: f64,
        /// Lengths of strokes and gaps; empty for a line without gaps.
        dash: &'static [f64],
    },
    /// A filled polygon through which others are seen.
    Area {
        /// Its corners.
        places: Vec<Place>,
        /// Of the inside.
        color: Color,
    },
    /// A filled rectangle through which nothing is seen.
    Tile {
        /// Where.
        extent: Extent,
        /// Of the inside.
        color: Color,
        /// What it stands for; may be empty.
        note: String,
    },
    /// A sign at a point.
    Sign {
        /// Its centre.
        at: Place,
        /// Its form.
        marker: Marker,
        /// Of the sign.
        color: Color,
    },
    /// A line of text.
    Text(Text),
}

impl Shape {
    /// A line of text that does not run upwards.
    pub fn text(at: Place, text: &str, anchor: Anchor, size: f64, color: Color) -> Self {
        Shape::Text(Text { at, text: text.to_owned(), anchor, upwards: false, size, color })
    }

    /// A straight line without gaps.
    pub fn line(from: Place, to: Place, color: Color, width: f64) -> Self {
        Shape::Path { places: vec![from, to], color, width, dash: &[] }
    }
}

/// What is known of a point, or of a rectangle, that is drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct Note {
    /// The place of the point, or the middle of the rectangle.
    pub at: Place,
    /// Of the rectangle; none for a point.
    pub extent: Option<Extent>,
    /// Of its line or its inside.
    pub color: Color,
    /// Value and bounds, in lines.
    pub text: String,
}

/// All shapes of a chart, those behind first.
#[derive(Clone, Debug, PartialEq)]
pub struct Scene {
    /// The title.
    pub title: String,
    /// In units.
    pub height: f64,
    /// The shapes.
    pub shapes: Vec<Shape>,
    /// For all points, also for those that have no sign, and all rectangles with values.
    pub notes: Vec<Note>,
}

impl Scene {
    /// The texts, in the order in which they are drawn.
    pub fn texts(&self) -> impl Iterator<Item = &Text> {
        self.shapes.iter().filter_map(|shape| match shape {
            Shape::Text(text) => Some(text),
            _ => None,
        })
    }
}

/// Opacity of areas.
pub const OPACITY: f64 = 0.22;

/// Width of the lines of signs.
pub const SIGN_WIDTH: f64 = 1.1;

/// How a sign is drawn: figures, each a polygon or, where it has a radius, a circle around the centre.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// Corners of the polygon, relative to the centre of the sign.
    pub corners: Vec<Place>,
    /// Radius of the circle.
    pub radius: Option<f64>,
    /// Colour of the inside.
    pub fill: Option<Color>,
    /// Whether the border is drawn; of a polygon with two corners, the line.
    pub stroked: bool,
}

/// The figures of a sign.
pub fn figures(marker: Marker, color: Color) -> Vec<Figure> {
    let filled = |corners: &[Place]| Figure {
        corners: corners.to_vec(),
        radius: None,
        fill: Some(color),
        stroked: false,
    };
    let line =
        |from: Place, to: Place| Figure { corners: vec![from, to], radius: None, fill: None, stroked: true };
    let circle = |radius: f64, fill: Option<Color>, stroked: bool| {
        vec![Figure { corners: Vec::new(), radius: Some(radius), fill, stroked }]
    };
    match marker {
        Marker::Disc => circle(2.3, Some(color), false),
        Marker::Circle => circle(2.2, Some([255; 3]), true),
        Marker::Ring => circle(4.0, None, true),
        Marker::Square => vec![filled(&[(-2.1, -2.1), (2.1, -2.1), (2.1, 2.1), (-2.1, 2.1)])],
        Marker::Diamond => vec![filled(&[(0.0, -3.1), (3.1, 0.0), (0.0, 3.1), (-3.1, 0.0)])],
        Marker::Triangle => vec![filled(&[(0.0, -2.9), (2.7, 1.8), (-2.7, 1.8)])],
        Marker::Inverse => vec![filled(&[(0.0, 2.9), (2.7, -1.8), (-2.7, -1.8)])],
        Marker::Cross => vec![line((-2.3, -2.3), (2.3, 2.3)), line((-2.3, 2.3), (2.3, -2.3))],
        Marker::Plus => vec![line((-2.9, 0.0), (2.9, 0.0)), line((0.0, -2.9), (0.0, 2.9))],
    }
}
