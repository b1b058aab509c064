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
mod chart;
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
mod render;
mod ruler;
pub mod scatter;
pub mod scene;
pub mod style;
mod svg;
mod ticks;

pub use axis::Scale;
pub use chart::{Chart, Dimension, Kind, Line, Point};
pub use render::{Format, render, render_bar_chart, render_heat_map, render_scatter};
