//! The bars with their bounds, and where they stand.

use super::{BarChart, Bars};
use crate::axis::Axis;
use crate::fill;
use crate::frame::FRAME;
use crate::number::{digits, rounded};
use crate::scene::{Extent, Note, Place, Shape};
use crate::style::INK;

/// The part of the room of a category that its bars take.
const FULL: f64 = 0.8;
/// Widest bar.
const WIDEST: f64 = 42.0;
/// Bounds that are this far apart are drawn.
const VISIBLE: f64 = 1.0;
/// Half of the width of the ends of bounds.
const CAP: f64 = 2.0;

/// A bar that is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bar {
    /// Index of its category.
    pub category: usize,
    /// Index of its series.
    pub series: usize,
    /// What it stands for: the difference of its ends.
    pub value: f64,
    /// Where it starts: zero, or the sum of those below it.
    pub from: f64,
    /// Where it ends.
    pub to: f64,
    /// Of the value.
    pub bounds: Option<[f64; 2]>,
}

/// The bars, category by category.
pub fn of(chart: &BarChart) -> Vec<Bar> {
    let mut all = Vec::new();
    for category in 0..chart.categories.len() {
        let mut sum = 0.0;
        for (series, bars) in chart.series.iter().enumerate() {
            let Some(value) = bars.value(category).filter(|v| chart.has(*v)) else { continue };
            let from = if chart.stacked { sum } else { 0.0 };
            // Sums of numbers may be infinite.
            sum = (from + value).clamp(f64::MIN, f64::MAX);
            let bounds = bars.bounds_of(category, value);
            all.push(Bar { category, series, value, from, to: sum, bounds });
        }
    }
    all
}

/// The sum of a stack, as far as it is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Sum {
    /// All parts are known.
    Is(f64),
    /// Some parts are not known or infinite.
    AtLeast(f64),
    /// Nothing is known.
    Unknown,
    /// It cannot be drawn, or is no part of what is drawn.
    Hidden,
}

/// The sum of a stack.
pub fn sum(chart: &BarChart, category: usize) -> Sum {
    let values = || chart.series.iter().map(|bars| bars.value(category));
    let known = || values().flatten().filter(|v| chart.has(*v));
    let sum: f64 = known().sum();
    if values().flatten().any(|v| v < 0.0) || !sum.is_finite() || chart.series.is_empty() {
        Sum::Hidden
    } else if known().next().is_none() {
        Sum::Unknown
    } else if known().count() < chart.series.len() {
        Sum::AtLeast(sum)
    } else {
        Sum::Is(sum)
    }
}

/// Where bars stand.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// Border of the frame.
    pub left: f64,
    /// Border of the frame.
    pub right: f64,
    /// Border of the frame.
    pub top: f64,
    /// Border of the frame.
    pub bottom: f64,
    /// The vertical axis.
    pub y: Axis,
    /// The room of a category.
    pub room: f64,
    /// The width of a bar.
    pub width: f64,
    /// Bars beside each other.
    beside: usize,
}

impl Field {
    /// Between a left and a right border; the upper one is at zero as yet.
    pub fn new(chart: &BarChart, y: Axis, [left, right]: [f64; 2]) -> Self {
        let room = (right - left) / chart.categories.len().max(1) as f64;
        let beside = if chart.stacked { 1 } else { chart.series.len().max(1) };
        let width = (room * FULL / beside as f64).min(WIDEST);
        Field { left, right, top: 0.0, bottom: FRAME, y, room, width, beside }
    }

    /// The middle of the room of a category.
    pub fn center(&self, category: usize) -> f64 {
        self.left + self.room * (category as f64 + 0.5)
    }

    /// The middle of a bar.
    pub fn center_of_bar(&self, category: usize, series: usize) -> f64 {
        let index = if self.beside == 1 { 0 } else { series };
        self.center(category) + self.width * (index as f64 + 0.5 - self.beside as f64 / 2.0)
    }

    /// Where a value stands.
    pub fn height_at(&self, value: f64) -> f64 {
        self.bottom - self.y.part(value) * (self.bottom - self.top)
    }

    /// The rectangle of a bar.
    pub fn extent(&self, bar: &Bar) -> Extent {
        let center = self.center_of_bar(bar.category, bar.series);
        let [from, to] = [bar.from, bar.to].map(|value| self.height_at(value));
        [center - self.width / 2.0, from.min(to), center + self.width / 2.0, from.max(to)]
    }
}

/// Draws the bars, and then their bounds. Gives what is known of them.
pub fn draw(chart: &BarChart, bars: &[Bar], field: &Field, shapes: &mut Vec<Shape>) -> Vec<Note> {
    let mut notes = Vec::new();
    let sums = (0..chart.categories.len()).map(|category| sum(chart, category)).collect::<Vec<_>>();
    for bar in bars {
        let series = &chart.series[bar.series];
        let extent = field.extent(bar);
        let text = note(chart, series, bar, sums[bar.category]);
        let [left, top, right, bottom] = extent;
        let at = ((left + right) / 2.0, (top + bottom) / 2.0);
        notes.push(Note { at, extent: Some(extent), color: series.fill().color, text: text.clone() });
        if bottom > top {
            fill::draw(extent, series.fill(), text, shapes);
        }
    }
    for bar in bars.iter().filter(|_| !chart.stacked) {
        let Some(bounds) = bar.bounds else { continue };
        let x = field.center_of_bar(bar.category, bar.series);
        let [low, high] = bounds.map(|value| (x, field.height_at(value)));
        if low.1 - high.1 >= VISIBLE {
            error_bar(low, high, CAP.min(0.4 * field.width), shapes);
        }
    }
    notes
}

/// Bounds of a value, with a light border, so that they are seen on dark bars too.
fn error_bar(low: Place, high: Place, cap: f64, shapes: &mut Vec<Shape>) {
    let ends = [low, high].map(|(x, y)| [(x - cap, y), (x + cap, y)]);
    let width = cap.min(1.0);
    let extent = [low.0 - 1.1 * width, high.1, low.0 + 1.1 * width, low.1];
    shapes.push(Shape::Tile { extent, color: [255; 3], note: String::new() });
    for [from, to] in [[low, high], ends[0], ends[1]] {
        shapes.push(Shape::line(from, to, INK, width));
    }
}

/// What is known of a bar.
fn note(chart: &BarChart, series: &Bars, bar: &Bar, sum: Sum) -> String {
    let mut text = chart.categories[bar.category].clone();
    if !text.is_empty() {
        text.push('\n');
    }
    if !series.name.is_empty() {
        text.push_str(&format!("{} = ", series.name));
    }
    text.push_str(&digits(bar.value));
    let bounds = series.bounds.as_ref().and_then(|bounds| bounds.get(bar.category));
    if let Some([lo, hi]) = bounds.filter(|[lo, hi]| lo != hi) {
        text.push_str(&format!("\nbetween {} and {}", digits(*lo), digits(*hi)));
    }
    if chart.stacked && chart.series.len() > 1 {
        match sum {
            Sum::Is(sum) if sum > 0.0 => {
                let percent = rounded(100.0 * (bar.value / sum), 3);
                text.push_str(&format!("\n{percent} % of {}", rounded(sum, 6)));
            }
            Sum::AtLeast(sum) => text.push_str(&format!("\nof at least {}", rounded(sum, 6))),
            Sum::Is(_) | Sum::Unknown | Sum::Hidden => {}
        }
    }
    text
}
