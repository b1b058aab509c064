//! Numbers at the ends of bars, or of stacks for their sums, where all of them have room; and signs where nothing is known.

use super::BarChart;
use super::bars::{Bar, Field, Sum, sum};
use crate::font;
use crate::number::rounded;
use crate::scene::{Anchor, Note, SHARE, SMALL, Shape, Text};
use crate::style::{FAINT_INK, INK};

/// How numbers are tried: size, digits, and whether they run upwards.
const LOOKS: [(f64, usize, bool); 8] = [
    (SMALL, 3, false),
    (9.5, 3, false),
    (8.5, 3, false),
    (8.5, 2, false),
    (9.5, 3, true),
    (8.5, 3, true),
    (8.5, 2, true),
    (7.5, 2, true),
];
/// From the end of a bar to its number.
const GAP: f64 = 2.8;
/// Between numbers.
const BETWEEN: f64 = 1.5;
/// Longest number that runs upwards.
const LONGEST: f64 = 44.0;
/// Where nothing is known.
const UNKNOWN: &str = "?";

/// A number at an end.
#[derive(Clone, Debug, PartialEq)]
struct Amount {
    /// Middle of the bar.
    center: f64,
    /// The value at its end, or at the end of its bounds.
    end: f64,
    /// What it says.
    number: Number,
    /// Category, and series of a bar.
    of: (usize, Option<usize>),
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Number {
    Is(f64),
    AtLeast(f64),
    Unknown,
}

impl Number {
    fn text(self, digits: usize) -> String {
        match self {
            Number::Is(value) => rounded(value, digits),
            Number::AtLeast(value) => format!("≥{}", rounded(value, digits)),
            Number::Unknown => UNKNOWN.to_owned(),
        }
    }
}

/// The numbers of a chart.
pub struct Amounts {
    all: Vec<Amount>,
    /// Index of the look; behind the last one, only signs for what is not known are drawn.
    look: usize,
    /// Size of these signs, if they have room.
    sign: Option<f64>,
    /// Width that a number may take.
    room: f64,
}

impl Amounts {
    /// As there is room for.
    pub fn new(chart: &BarChart, bars: &[Bar], field: &Field) -> Self {
        let all = if chart.stacked { of_stacks(chart, bars, field) } else { of_bars(chart, bars, field) };
        let room = if chart.stacked { field.room } else { field.width };
        let fits = |(size, digits, upwards): (f64, usize, bool)| {
            let height = (font::ASCENT + font::DESCENT) * size + 0.4;
            let width = |amount: &Amount| font::width(&amount.number.text(digits), size) / SHARE;
            match upwards {
                false => all.iter().all(|amount| width(amount) + BETWEEN <= room),
                true => height <= room && all.iter().all(|amount| width(amount) <= LONGEST),
            }
        };
        let look = LOOKS.iter().position(|look| fits(*look)).unwrap_or(LOOKS.len());
        let is_narrow = |size: &f64| font::width(UNKNOWN, *size) / SHARE + 0.5 <= room;
        let sign = [SMALL, 9.5, 8.0, 6.5].into_iter().find(is_narrow);
        Amounts { all, look, sign, room }
    }

    /// Smaller is better: level numbers with all digits, with fewer, turned ones, none.
    pub fn rank(&self) -> usize {
        match LOOKS.get(self.look) {
            Some((_, digits, upwards)) => 3 - digits + 2 * usize::from(*upwards),
            None => 4,
        }
    }

    /// What is drawn: a number with its text, its size, and whether it runs upwards.
    fn shown(&self) -> impl Iterator<Item = (&Amount, String, f64, bool)> {
        self.all.iter().filter_map(|amount| match (LOOKS.get(self.look), amount.number) {
            (Some(&(size, digits, upwards)), number) => {
                Some((amount, number.text(digits), size, upwards && number != Number::Unknown))
            }
            (None, Number::Unknown) => Some((amount, UNKNOWN.to_owned(), self.sign?, false)),
            (None, _) => None,
        })
    }

    /// How far numbers reach over the upper and the lower border of the frame.
    pub fn beyond(&self, field: &Field) -> [f64; 2] {
        self.shown().fold([0.0, 0.0], |[above, under], (amount, text, size, upwards)| {
            let length = match upwards {
                true => font::width(&text, size) / SHARE,
                false => (font::ASCENT + font::DESCENT) * size,
            };
            let end = field.height_at(amount.end);
            match amount.end < 0.0 {
                false => [f64::max(above, field.top - (end - GAP - length)), under],
                true => [above, f64::max(under, end + GAP + length - field.bottom)],
            }
        })
    }

    /// Draws the numbers; gives what is to say of what is not known.
    pub fn draw(&self, chart: &BarChart, field: &Field, shapes: &mut Vec<Shape>) -> Vec<Note> {
        let mut notes = Vec::new();
        for (amount, text, size, upwards) in self.shown() {
            let end = field.height_at(amount.end);
            let is_below = amount.end < 0.0;
            // Digits are centred, but commas must not reach over the bar beside it.
            let x = match upwards {
                true => amount.center + (0.36 * size).min((self.room - 0.4) / 2.0 - font::DESCENT * size),
                false => amount.center,
            };
            let (y, anchor) = match (upwards, is_below) {
                (false, false) => (end - GAP, Anchor::Middle),
                (false, true) => (end + GAP + font::ASCENT * size, Anchor::Middle),
                (true, false) => (end - GAP, Anchor::Start),
                (true, true) => (end + GAP, Anchor::End),
            };
            let is_unknown = amount.number == Number::Unknown;
            let color = if is_unknown { FAINT_INK } else { INK };
            let shape = Text { at: (x, y), text, anchor, upwards, size, color };
            // The grid stays behind numbers.
            let [left, top, right, bottom] = shape.extent();
            let descent = font::DESCENT * size;
            let extent = if upwards {
                [left, top - 1.0, right - descent, bottom + 0.5]
            } else {
                [left - 0.5, top, right + 0.5, bottom - descent + 0.5]
            };
            shapes.push(Shape::Tile { extent, color: [255; 3], note: String::new() });
            if is_unknown {
                let at = ((left + right) / 2.0, (top + bottom) / 2.0);
                notes.push(Note { at, extent: Some(shape.extent()), color, text: note(chart, amount.of) });
            }
            shapes.push(Shape::Text(shape));
        }
        notes
    }
}

fn note(chart: &BarChart, (category, series): (usize, Option<usize>)) -> String {
    let names = [Some(&chart.categories[category]), series.map(|series| &chart.series[series].name)];
    let mut lines: Vec<&str> = names.into_iter().flatten().map(String::as_str).collect();
    lines.retain(|line| !line.is_empty());
    lines.push("not known");
    lines.join("\n")
}

fn of_bars(chart: &BarChart, bars: &[Bar], field: &Field) -> Vec<Amount> {
    let center = |category: usize, series: usize| field.center_of_bar(category, series);
    let known = bars.iter().map(|bar| {
        let [lo, hi] = bar.bounds.unwrap_or([bar.to; 2]);
        Amount {
            center: center(bar.category, bar.series),
            end: if bar.value < 0.0 { lo } else { hi },
            number: Number::Is(bar.value),
            of: (bar.category, Some(bar.series)),
        }
    });
    let places = (0..chart.categories.len())
        .flat_map(|category| (0..chart.series.len()).map(move |series| (category, series)));
    let unknown = places.filter(|&(category, series)| chart.series[series].value(category).is_none());
    let unknown = unknown.map(|(category, series)| Amount {
        center: center(category, series),
        end: 0.0,
        number: Number::Unknown,
        of: (category, Some(series)),
    });
    known.chain(unknown).collect()
}

fn of_stacks(chart: &BarChart, bars: &[Bar], field: &Field) -> Vec<Amount> {
    let mut ends = vec![0.0; chart.categories.len()];
    for bar in bars {
        ends[bar.category] = bar.to;
    }
    let amount = |(category, end): (usize, f64)| {
        let number = match sum(chart, category) {
            Sum::Is(value) => Number::Is(value),
            Sum::AtLeast(value) => Number::AtLeast(value),
            Sum::Unknown => Number::Unknown,
            Sum::Hidden => return None,
        };
        Some(Amount { center: field.center(category), end, number, of: (category, None) })
    };
    ends.into_iter().enumerate().filter_map(amount).collect()
}
