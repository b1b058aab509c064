//! Files of charts, in the formats that there are.

use crate::bar_chart::{self, BarChart};
use crate::chart::Chart;
use crate::heat_map::{self, HeatMap};
use crate::scatter::{self, Scatter};
use crate::scene::Scene;
use crate::{html, layout, pdf, png, svg};

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
pub fn render_bar_chart(chart: &BarChart, format: Format) -> Vec<u8> {
    draw(&bar_chart::layout(chart), format)
}

/// The file of a heat map.
pub fn render_heat_map(map: &HeatMap, format: Format) -> Vec<u8> {
    draw(&heat_map::layout(map), format)
}

/// The file of a scatter plot.
pub fn render_scatter(scatter: &Scatter, format: Format) -> Vec<u8> {
    draw(&scatter::layout(scatter), format)
}

fn draw(scene: &Scene, format: Format) -> Vec<u8> {
    match format {
        Format::Svg => svg::document(scene).into_bytes(),
        Format::Pdf => pdf::file(scene),
        Format::Html => html::page(scene).into_bytes(),
        Format::Png => png::file(scene),
    }
}
