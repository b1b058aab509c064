//! Bar charts of all shapes, generated.

use crate::odd::{NUMBERS, Numbers, TEXTS};
use volvelle_plot::bar_chart::{BarChart, Bars};

/// A bar chart of any shape, with ordinary or odd numbers and names.
pub fn generated(seed: u64) -> BarChart {
    let mut numbers = Numbers::new(seed ^ 0x5eed);
    let is_odd = numbers.below(3) == 0;
    let magnitude = 10f64.powi(numbers.below(30) as i32 - 15);
    let least = numbers.pick(&[0.0, 0.0, -0.5, -1.0]);
    let categories = numbers.pick(&[0, 1, 1, 2, 3, 4, 4, 7, 12, 40, 41, 60]);
    let series = numbers.pick(&[0, 1, 1, 2, 3, 4, 9, 30]);
    let kind = numbers.below(4);
    let name = |numbers: &mut Numbers, k: usize| match kind {
        0 => numbers.pick(TEXTS).to_owned(),
        1 => (5 * (k + 1)).to_string(),
        2 => "one of several words about it".split_at(5 + k % 24).0.to_owned(),
        _ => format!("A{k}"),
    };
    let value = |numbers: &mut Numbers| match is_odd {
        true => numbers.pick(NUMBERS),
        false => magnitude * (least + numbers.below(1000) as f64 / 1000.0),
    };
    let mut of_series = |style: usize| {
        let known = categories - usize::from(categories > 2 && numbers.below(5) == 0);
        let values: Vec<Option<f64>> =
            (0..known).map(|_| (numbers.below(12) > 0).then(|| value(&mut numbers))).collect();
        let around = |v: &Option<f64>| v.map_or([f64::NAN; 2], |v| [v - 0.2 * v.abs(), v + 0.1 * magnitude]);
        let bounds = (numbers.below(2) == 0).then(|| values.iter().map(around).collect());
        Bars { name: name(&mut numbers, style), style, values, bounds }
    };
    let series = (0..series).map(&mut of_series).collect();
    BarChart {
        title: numbers.pick(TEXTS).to_owned(),
        subtitle: numbers.pick(TEXTS).to_owned(),
        x: numbers.pick(TEXTS).to_owned(),
        y: numbers.pick(TEXTS).to_owned(),
        categories: (0..categories).map(|k| name(&mut numbers, k)).collect(),
        series,
        stacked: numbers.below(2) == 0,
    }
}
