//! Charts for tests: by hand, and generated ones of all shapes.

use crate::odd::{NUMBERS, Numbers, TEXTS};
use volvelle_plot::{Chart, Dimension, Kind, Line, Point, Scale};

/// A chart of curves with linear axes.
pub fn chart(lines: Vec<(&str, Vec<[f64; 4]>)>) -> Chart {
    let point = |[x, y, lo, hi]: [f64; 4]| Point { x, y, lo, hi };
    let line = |(style, (name, points)): (usize, (&str, Vec<[f64; 4]>))| Line {
        name: name.to_owned(),
        kind: Kind::Curve,
        style,
        points: points.into_iter().map(point).collect(),
    };
    Chart {
        title: "a < b & \"c\"".to_owned(),
        subtitle: "queue.prism, N=4".to_owned(),
        x: Dimension { label: "T".to_owned(), scale: Scale::Linear },
        y: Dimension { label: "P=? [ F<=T \"x\" ]".to_owned(), scale: Scale::Linear },
        lines: lines.into_iter().enumerate().map(line).collect(),
        ..Chart::default()
    }
}

/// A chart of any shape, with ordinary or odd numbers.
pub fn generated(seed: u64) -> Chart {
    let mut numbers = Numbers::new(seed);
    let is_odd = numbers.below(2) == 0;
    let magnitude = 10f64.powi(numbers.below(40) as i32 - 20);
    let offset = numbers.pick(&[0.0, 0.0, 1.0, 1e3, -7.0]) * magnitude;
    let lines = numbers.pick(&[0, 1, 1, 2, 3, 5, 9, 15, 16, 60]);
    let most = numbers.pick(&[1, 2, 3, 30, 200]);
    let mut line = |style: usize| {
        let mut value = |scale: f64| match is_odd {
            true => numbers.pick(NUMBERS),
            false => offset + scale * magnitude * numbers.below(1000) as f64 / 1000.0,
        };
        let mut points: Vec<Point> = (0..most)
            .map(|k| {
                let (y, wide) = (value(1.0), value(0.2));
                let x = if is_odd { value(1.0) } else { k as f64 };
                Point { x, y, lo: y - wide.abs(), hi: y + wide.abs() }
            })
            .collect();
        points.sort_by(|a, b| a.x.total_cmp(&b.x));
        let kind = numbers.pick(&[Kind::Curve, Kind::Curve, Kind::Samples, Kind::Doubts]);
        let name = if is_odd { numbers.pick(TEXTS).to_owned() } else { format!("N={style}") };
        Line { name, kind, style, points }
    };
    let lines = (0..lines).map(&mut line).collect();
    let scales = [Scale::Linear, Scale::Logarithmic];
    let mut dimension = || Dimension { label: numbers.pick(TEXTS).to_owned(), scale: numbers.pick(&scales) };
    let (x, y) = (dimension(), dimension());
    Chart {
        title: numbers.pick(TEXTS).to_owned(),
        subtitle: numbers.pick(TEXTS).to_owned(),
        x,
        y,
        lines,
        ..Chart::default()
    }
}
