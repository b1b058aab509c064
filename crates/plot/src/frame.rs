//! The inner part of a picture, and where the points of a chart stand in it.

use crate::axis::Axis;
use crate::scene::Place;
use crate::{Chart, Point, Scale};

/// Height of the inner part.
pub const FRAME: f64 = 214.0;

/// The inner part of the picture, with its axes.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    /// Its borders.
    pub left: f64,
    /// Its borders.
    pub right: f64,
    /// Its borders.
    pub top: f64,
    /// Its borders.
    pub bottom: f64,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
}

impl Frame {
    /// The place of a point; what lies beyond the axes stands at the border.
    pub fn place(&self, x: f64, y: f64) -> Place {
        (
            self.left + self.x.part(x) * (self.right - self.left),
            self.bottom - self.y.part(y) * (self.bottom - self.top),
        )
    }
}

/// Whether a point has a place.
pub fn is_shown(chart: &Chart, point: &Point) -> bool {
    chart.x.scale.has(point.x) && chart.y.scale.has(point.y)
}

/// The bounds of a point, as far as they can be drawn; a lower bound that has no place on the axis is at its start.
pub fn bounds(chart: &Chart, point: &Point) -> [f64; 2] {
    let or_value = |v: f64| if v.is_finite() { v } else { point.y };
    [or_value(point.lo).min(point.y), or_value(point.hi).max(point.y)].map(|v| match chart.y.scale {
        Scale::Logarithmic => v.max(0.0),
        Scale::Linear => v,
    })
}
