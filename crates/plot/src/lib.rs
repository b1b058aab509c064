//! Line charts with bounds, bar charts, heat maps, and scatter plots: numbers in, files out.
//!
//! Takes a [`Chart`]: lines of points, each with the bounds between which its true value lies; or a
//! [`BarChart`](bar_chart::BarChart): values of several series for each of some categories, beside each other or stacked; a
//! [`HeatMap`](heat_map::HeatMap); or the points of a [`Scatter`](scatter::Scatter). Gives an SVG, a PDF, a PNG, or a self-contained HTML page with the values under the
//! pointer. All four draw the same [`scene`], whose texts are measured with the [embedded font](font), so that they stand at
//! the same places everywhere; no font and no library of the system is requested. Knows nothing of models; stands on no other
//! crate of the workspace.

pub mod axis;
pub mod bar_chart;
mod captions;
mod curves;
pub mod fill;
pub mod font;
mod frame;
pub mod heat_map;
mod html;
pub mod layout;
mod legend;
mod linear;
mod logarithmic;
mod number;
mod pdf;
mod png;
mod ruler;
pub mod scatter;
pub mod scene;
pub mod style;
mod svg;
mod ticks;

/// A chart.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Chart {
    /// Above the chart: what is asked.
    pub title: String,
    /// Below the title, smaller: what is the same for all lines.
    pub subtitle: String,
    /// The horizontal axis.
    pub x: Dimension,
    /// The vertical axis.
    pub y: Dimension,
    /// The lines.
    pub lines: Vec<Line>,
    /// Whether the styles of the lines are steps of an order: then their colours run from dark to light.
    pub is_ordered: bool,
}

impl Chart {
    /// The look of the lines with a number.
    fn style(&self, number: usize) -> style::Style {
        match self.is_ordered {
            false => style::style(number),
            true => style::in_order(number, self.lines.iter().map(|line| line.style).max().unwrap_or(0)),
        }
    }
}

/// What an axis shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dimension {
    /// Beside the axis.
    pub label: String,
    /// Distances on the axis.
    pub scale: Scale,
}

/// What equal distances on an axis stand for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scale {
    /// Equal differences.
    #[default]
    Linear,
    /// Equal factors; there is no place for zero and negative values.
    Logarithmic,
}

impl Scale {
    /// The scale on which values can be told apart: logarithmic if all are positive, and the largest is more than a hundred times the least.
    pub fn fitting(values: impl IntoIterator<Item = f64>) -> Self {
        let ends = values.into_iter().filter(|value| value.is_finite());
        let (least, most) = ends.fold((f64::INFINITY, 0.0), |(a, b), x| (x.min(a), x.max(b)));
        if least > 0.0 && most > 100.0 * least { Scale::Logarithmic } else { Scale::Linear }
    }

    /// Whether a value has a place on the axis.
    pub fn has(self, value: f64) -> bool {
        value.is_finite() && (self == Scale::Linear || value > 0.0)
    }
}

/// A line of points.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Line {
    /// For the legend.
    pub name: String,
    /// How the points are drawn.
    pub kind: Kind,
    /// Which of the [styles](style::Style) it has; lines with the same number belong together.
    pub style: usize,
    /// From left to right.
    pub points: Vec<Point>,
}

/// How the points of a line are drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    /// They are joined; their bounds are a band.
    #[default]
    Curve,
    /// They stand apart, each with a bar for its bounds.
    Samples,
    /// A ring around each: these values of another line are in doubt.
    Doubts,
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
    /// Scalable vector graphics, for pages and for further work.
    Svg,
    /// A page as large as the picture, with its font embedded, for papers.
    Pdf,
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
            "pdf" => Some(Format::Pdf),
            "png" => Some(Format::Png),
            "html" | "htm" => Some(Format::Html),
            _ => None,
        }
    }
}

/// The file of a chart.
pub fn render(chart: &Chart, format: Format) -> Vec<u8> {
    draw(&layout::layout(chart), format)
}

/// The file of a bar chart.
pub fn render_bar_chart(chart: &bar_chart::BarChart, format: Format) -> Vec<u8> {
    draw(&bar_chart::layout(chart), format)
}

/// The file of a heat map.
pub fn render_heat_map(map: &heat_map::HeatMap, format: Format) -> Vec<u8> {
    draw(&heat_map::layout(map), format)
}

/// The file of a scatter plot.
pub fn render_scatter(scatter: &scatter::Scatter, format: Format) -> Vec<u8> {
    draw(&scatter::layout(scatter), format)
}

fn draw(scene: &scene::Scene, format: Format) -> Vec<u8> {
    match format {
        Format::Svg => svg::document(scene).into_bytes(),
        Format::Pdf => pdf::file(scene),
        Format::Html => html::page(scene).into_bytes(),
        Format::Png => png::file(scene),
    }
}
