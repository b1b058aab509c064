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
mod names;

use crate::axis::{Axis, Wanted};
use crate::captions::{are, values};
use crate::fill::{Fill, fill};
use crate::frame::FRAME;
use crate::scene::{MARGIN, Scene, Shape, WIDTH};
use crate::style::INK;
use crate::ticks::axis;
use crate::{Scale, captions, font, legend, ruler};
use amounts::Amounts;
use bars::{Bar, Field};
use names::Names;

/// Axes that would be shorter are as if all values were zero: their numbers have no distance.
const SHORTEST: f64 = 1e-280;

/// Bars that are narrower have no legend beside the frame.
const NARROW: f64 = 5.0;

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

/// Lays a bar chart out.
pub fn layout(chart: &BarChart) -> Scene {
    let chart = &cleaned(chart);
    let mut shapes = Vec::new();
    let start = captions::titles(&chart.title, &chart.subtitle, &mut shapes);
    let bars = bars::of(chart);
    let y = vertical_axis(chart, &bars);
    let left = MARGIN + captions::width_of_vertical(&chart.y) + ruler::width(&y);
    let entries = legend_entries(chart);
    let widest = WIDTH - MARGIN - 6.0;
    let plan = |right: f64| {
        let field = Field::new(chart, y.clone(), [left, right]);
        let names = Names::new(&chart.categories, &field);
        let amounts = Amounts::new(chart, &bars, &field);
        (field, names, amounts)
    };
    let beside = legend::width_beside(&entries, FRAME).map(|width| WIDTH - MARGIN - width);
    // The legend goes below where names, numbers or bars need its room.
    let rank = |(_, names, amounts): &(Field, Names, Amounts)| (names.rank(), amounts.rank());
    let below = plan(widest);
    let (beside, (mut field, names, amounts)) = match beside.map(|right| (right, plan(right))) {
        Some((right, plan)) if plan.0.width >= NARROW && rank(&plan) <= rank(&below) => (Some(right), plan),
        _ => (None, below),
    };
    let [above, under] = amounts.beyond(&field);
    field.top = start + above;
    field.bottom = field.top + FRAME;
    let Field { top, right, bottom, .. } = field;
    ruler::draw(&field.y, [left, top, right, bottom], &mut shapes);
    let mut notes = bars::draw(chart, &bars, &field, &mut shapes);
    shapes.push(Shape::line((left, top), (left, bottom), INK, 0.8));
    let zero = field.height_at(0.0);
    shapes.push(Shape::line((left, zero), (right, zero), INK, 0.8));
    notes.extend(amounts.draw(chart, &field, &mut shapes));
    captions::vertical(&chart.y, [top, bottom], &mut shapes);
    let mut end = names.draw(&field, bottom + under, &mut shapes);
    end = captions::horizontal(&chart.x, [left, right], end, &mut shapes) + 5.0;
    match beside {
        Some(right) => legend::beside(&entries, right + 10.0, top, &mut shapes),
        None => end = legend::below(&entries, end, &mut shapes),
    }
    let mut remarks = remarks(chart);
    remarks.extend(names.remark());
    end = captions::remarks(&remarks, end, &mut shapes);
    Scene { title: chart.title.clone(), height: (end + MARGIN).ceil(), shapes, notes }
}

/// The same chart, with texts in which every letter has a place.
fn cleaned(chart: &BarChart) -> BarChart {
    let bars = |bars: &Bars| Bars { name: font::clean(&bars.name), ..bars.clone() };
    BarChart {
        title: font::clean(&chart.title),
        subtitle: font::clean(&chart.subtitle),
        x: font::clean(&chart.x),
        y: font::clean(&chart.y),
        categories: chart.categories.iter().map(|name| font::clean(name)).collect(),
        series: chart.series.iter().map(bars).collect(),
        stacked: chart.stacked,
    }
}

fn legend_entries(chart: &BarChart) -> Vec<legend::Entry> {
    let entry = |bars: &'_ Bars| (bars.name.clone(), bars.fill());
    let mut all: Vec<(String, Fill)> = chart.series.iter().map(entry).collect();
    if chart.stacked {
        all.reverse();
    }
    legend::of_bars(all.iter().map(|(name, fill)| (name.as_str(), *fill)))
}

/// The vertical axis; zero is on it.
fn vertical_axis(chart: &BarChart, bars: &[Bar]) -> Axis {
    let ends = |bar: &Bar| {
        let [lo, hi] = bar.bounds.filter(|_| !chart.stacked).unwrap_or([bar.to; 2]);
        [bar.to, lo, hi]
    };
    let all = bars.iter().flat_map(ends);
    let [min, max] = all.fold([0.0, 0.0], |[min, max]: [f64; 2], v| [min.min(v), max.max(v)]);
    let max = if max - min < SHORTEST { 1.0 } else { max };
    let whole = bars.iter().all(|bar| bar.value.fract() == 0.0) && !bars.is_empty();
    axis(Wanted { scale: Scale::Linear, min, max, labels: 6, rounded: true, whole })
}

/// What is left out of the picture, and why.
fn remarks(chart: &BarChart) -> Vec<String> {
    let count = |is: &dyn Fn(Option<f64>) -> bool| chart.values().filter(|value| is(*value)).count();
    let unknown = count(&|value| value.is_none());
    let no_number = count(&|value| value.is_some_and(f64::is_nan));
    let infinite = count(&|value| value.is_some_and(f64::is_infinite));
    let negative = count(&|value| value.is_some_and(|v| v.is_finite() && !chart.has(v)));
    let mut remarks = Vec::new();
    let mut say = |count: usize, what: &str| {
        if count > 0 {
            remarks.push(format!("{} {what}", values(count)));
        }
    };
    say(unknown, &format!("{} not known.", are(unknown)));
    say(no_number, &format!("{} no number and left out.", are(no_number)));
    say(infinite, &format!("{} infinite and left out.", are(infinite)));
    let them = if negative == 1 { "it" } else { "them" };
    say(negative, &format!("< 0 {} left out: a stack cannot show {them}.", are(negative)));
    remarks
}
