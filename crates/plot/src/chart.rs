//! Line charts: lines of points with bounds, as they are to be drawn.

use crate::axis::Scale;
use crate::style::{Style, in_order, style};

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
    pub(crate) fn style(&self, number: usize) -> Style {
        match self.is_ordered {
            false => style(number),
            true => in_order(number, self.lines.iter().map(|line| line.style).max().unwrap_or(0)),
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

/// A line of points.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Line {
    /// For the legend.
    pub name: String,
    /// How the points are drawn.
    pub kind: Kind,
    /// Which of the [styles](Style) it has; lines with the same number belong together.
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
