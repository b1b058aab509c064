//! Where everything of a bar chart stands.

use super::amounts::Amounts;
use super::bars::{self, Bar, Field};
use super::names::Names;
use super::{BarChart, Bars};
use crate::axis::{Axis, Scale, Wanted};
use crate::captions::{self, are, values};
use crate::fill::Fill;
use crate::frame::FRAME;
use crate::scene::{MARGIN, Scene, Shape, WIDTH};
use crate::style::INK;
use crate::ticks::axis;
use crate::{font, legend, ruler};

/// Axes that would be shorter are as if all values were zero: their numbers have no distance.
const SHORTEST: f64 = 1e-280;

/// Bars that are narrower have no legend beside the frame.
const NARROW: f64 = 5.0;

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
