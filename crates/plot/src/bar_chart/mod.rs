//! Bar charts: values of several series for each of some categories, as vertical bars, beside each other or stacked.
//!
//! Heights are proportional to values: the vertical axis is linear, and zero is on it. Numbers stand at the ends of bars, or of
//! stacks for their sums, where all have room; names of categories are broken into lines, turned, or thinned out where they
//! have none. The legend of stacks has their order, from the top.
//!
//! ```
//! use volvelle_plot::bar_chart::{BarChart, Bars};
//! use volvelle_plot::{Format, render_bar_chart};
//!
//! let bars = |name: &str, style, values: [f64; 2]| Bars {
//!     name: name.to_owned(),
//!     style,
//!     values: values.map(Some).to_vec(),
//!     bounds: None,
//! };
//! let chart = BarChart {
//!     title: "Cache misses by class".to_owned(),
//!     y: "misses per message".to_owned(),
//!     categories: vec!["A1".to_owned(), "B1".to_owned()],
//!     series: vec![bars("packets", 0, [2.0, 2.5]), bars("locks", 1, [1.0, 0.0])],
//!     stacked: true,
//!     ..BarChart::default()
//! };
//! let picture = String::from_utf8(render_bar_chart(&chart, Format::Svg))?;
//! assert!(picture.contains(">3</text>"), "the sum of the first stack");
//! # Ok::<(), std::string::FromUtf8Error>(())
//! ```

mod amounts;
mod bars;
mod layout;
mod names;

pub use layout::layout;

use crate::fill::{Fill, fill};

/// A bar chart.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BarChart {
    /// Above the chart.
    pub title: String,
    /// Below the title, smaller.
    pub subtitle: String,
    /// Below the categories: what they are.
    pub x: String,
    /// Beside the vertical axis: what is measured, with its unit.
    pub y: String,
    /// What runs to the right.
    pub categories: Vec<String>,
    /// The bars, from left to right, or from the bottom of a stack to its top.
    pub series: Vec<Bars>,
    /// Whether the bars of a category stand on each other: then they are parts of a sum.
    pub stacked: bool,
}

/// A bar for each category.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bars {
    /// For the legend.
    pub name: String,
    /// Which of the [fills](fill) they have.
    pub style: usize,
    /// For each category. `None`, and where values end: nothing is known. What is infinite or no number is left out with a
    /// remark, and what is negative in a stack.
    pub values: Vec<Option<f64>>,
    /// For each category, between which the true value lies: lower bound, upper bound. Stacks say it under the pointer only.
    pub bounds: Option<Vec<[f64; 2]>>,
}

impl Bars {
    fn fill(&self) -> Fill {
        fill(self.style)
    }

    /// The value for a category, if it is known and no matter what it is.
    fn value(&self, category: usize) -> Option<f64> {
        self.values.get(category).copied().flatten()
    }

    /// The bounds of a value, as far as they are numbers, around it.
    fn bounds_of(&self, category: usize, value: f64) -> Option<[f64; 2]> {
        let [lo, hi] = *self.bounds.as_ref()?.get(category)?;
        let or_value = |v: f64| if v.is_finite() { v } else { value };
        Some([or_value(lo).min(value), or_value(hi).max(value)])
    }
}

impl BarChart {
    /// Whether a value can be drawn.
    fn has(&self, value: f64) -> bool {
        value.is_finite() && !(self.stacked && value < 0.0)
    }

    /// All values, also those that are not known, category by category.
    fn values(&self) -> impl Iterator<Item = Option<f64>> {
        let of_category = |k: usize| self.series.iter().map(move |series| series.value(k));
        (0..self.categories.len()).flat_map(of_category)
    }
}
