//! Line charts with bounds: numbers in, files out.
//!
//! Takes a [`Chart`]: lines of points, each with the bounds between which its true value lies. Gives an SVG, a PNG or a
//! self-contained HTML page with the values under the pointer. All three draw the same [`scene`]. The renderer of PNG
//! brings its letters along (an 8 by 8 bitmap font in the public domain), so that no font and no library of the system
//! is requested. Knows nothing of models; stands on no other crate of the workspace.

mod html;
mod png;
pub mod scene;
mod svg;
mod ticks;

/// A chart.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Chart {
    /// Above the chart.
    pub title: String,
    /// The label of the horizontal axis.
    pub x_label: String,
    /// The label of the vertical axis.
    pub y_label: String,
    /// The lines.
    pub lines: Vec<Line>,
}

/// A line of points.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Line {
    /// For the legend.
    pub name: String,
    /// From left to right.
    pub points: Vec<Point>,
    /// The points are not joined: each stands for itself, with a bar for its bounds.
    pub apart: bool,
}

/// A point with the bounds of its value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Where on the horizontal axis.
    pub x: f64,
    /// The value; where it is not finite the line has a gap.
    pub y: f64,
    /// Lower bound of the value.
    pub lo: f64,
    /// Upper bound of the value.
    pub hi: f64,
}

/// A format of files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Scalable vector graphics.
    Svg,
    /// Pixels.
    Png,
    /// A page with the values under the pointer.
    Html,
}

impl Format {
    /// By the ending of a file name.
    pub fn of_extension(extension: &str) -> Option<Self> {
        match extension.to_ascii_lowercase().as_str() {
            "svg" => Some(Format::Svg),
            "png" => Some(Format::Png),
            "html" | "htm" => Some(Format::Html),
            _ => None,
        }
    }
}

/// The file of a chart.
pub fn render(chart: &Chart, format: Format) -> Vec<u8> {
    let scene = scene::layout(chart);
    match format {
        Format::Svg => svg::document(&scene).into_bytes(),
        Format::Html => html::page(&scene).into_bytes(),
        Format::Png => png::file(&scene),
    }
}
