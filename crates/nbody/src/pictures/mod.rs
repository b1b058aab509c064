//! Pictures of bodies and of their energies, as charts for `volvelle-plot`.

use crate::bodies::Bodies;
use crate::energy::Totals;
use volvelle_plot::scatter::Scatter;
use volvelle_plot::{Chart, Dimension, Kind, Line, Point, Scale};

/// A plane on which positions are projected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Plane {
    /// Seen from the end of the z axis.
    #[default]
    Xy,
    /// Seen against the direction of the y axis.
    Xz,
    /// Seen from the end of the x axis.
    Yz,
}

/// How positions are drawn: the same for all pictures of a series.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    /// The plane.
    pub plane: Plane,
    /// The point in the middle.
    pub centre: [f64; 3],
    /// From the middle to the borders.
    pub half_width: f64,
}

/// The part of the bodies that a view has room for at least.
const SHOWN: f64 = 0.95;

/// Room around them.
const ROOM: f64 = 1.25;

impl Plane {
    /// The axes that run to the right and upwards.
    fn axes(self) -> [usize; 2] {
        match self {
            Plane::Xy => [0, 1],
            Plane::Xz => [0, 2],
            Plane::Yz => [1, 2],
        }
    }
}

impl View {
    /// A view centred on the centre of mass, with some room around nearly all bodies.
    pub fn of(bodies: &Bodies, plane: Plane) -> Self {
        let centre = Totals::of(bodies, &vec![0.0; bodies.len()]).centre_of_mass;
        let distance = |place: &[f64; 3]| {
            plane.axes().map(|axis| (place[axis] - centre[axis]).abs()).into_iter().fold(0.0, f64::max)
        };
        let mut distances: Vec<f64> = bodies.positions.iter().map(distance).collect();
        distances.sort_unstable_by(f64::total_cmp);
        let last = distances.len().saturating_sub(1);
        let reach = distances.get((SHOWN * last as f64).ceil() as usize).copied().unwrap_or(0.0);
        let half_width = if reach > 0.0 && reach.is_finite() { rounded_up(ROOM * reach) } else { 1.0 };
        View { plane, centre: centre.map(|x| rounded(x, half_width)), half_width }
    }
}

/// To two digits.
fn rounded_up(length: f64) -> f64 {
    let unit = 10f64.powf(length.log10().floor() - 1.0);
    (length / unit).ceil() * unit
}

/// To a hundredth of the width.
fn rounded(x: f64, half_width: f64) -> f64 {
    let unit = 10f64.powf(half_width.log10().floor() - 1.0);
    (x / unit).round() * unit
}

/// The positions of bodies.
pub fn positions(bodies: &Bodies, view: &View, title: &str) -> Scatter {
    let axes = view.plane.axes();
    let count = bodies.len();
    let noun = if count == 1 { "body" } else { "bodies" };
    Scatter {
        title: title.to_owned(),
        subtitle: format!("{count} {noun}, time {:.4}", bodies.time),
        labels: axes.map(|axis| ["x", "y", "z"][axis].to_owned()),
        ranges: axes.map(|axis| [view.centre[axis] - view.half_width, view.centre[axis] + view.half_width]),
        points: bodies.positions.iter().map(|place| axes.map(|axis| place[axis])).collect(),
    }
}

/// The relative change of the energy since the first time: `(E - E0) / |E0|`; the difference if `E0` is 0.
pub fn drift(first: &Totals, now: &Totals) -> f64 {
    let change = now.energy - first.energy;
    if first.energy == 0.0 { change } else { change / first.energy.abs() }
}

/// The absolute value of the relative change of the energy over time.
pub fn energy_drift(totals: &[Totals], title: &str) -> Chart {
    let first = totals.first().copied().unwrap_or_default();
    let points = totals.iter().skip(1).map(|now| {
        let y = drift(&first, now).abs();
        Point { x: now.time, y, lo: y, hi: y }
    });
    let points: Vec<Point> = points.collect();
    // No drift at all has no place on a logarithmic axis.
    let scale = if points.iter().any(|p| p.y > 0.0) { Scale::Logarithmic } else { Scale::Linear };
    Chart {
        title: title.to_owned(),
        subtitle: "relative change of the energy, as an absolute value".to_owned(),
        x: Dimension { label: "time".to_owned(), scale: Scale::Linear },
        y: Dimension { label: "|ΔE / E|".to_owned(), scale },
        lines: vec![Line { name: "energy".to_owned(), kind: Kind::Curve, style: 0, points }],
        ..Chart::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bodies(positions: Vec<[f64; 3]>) -> Bodies {
        Bodies {
            time: 0.5,
            ids: (0..positions.len() as u64).collect(),
            masses: vec![1.0; positions.len()],
            velocities: vec![[0.0; 3]; positions.len()],
            positions,
            ..Bodies::default()
        }
    }

    #[test]
    fn views_show_nearly_all_bodies() {
        let mut places: Vec<[f64; 3]> = (0..100).map(|i| [f64::from(i) / 100.0, 2.0, -1.0]).collect();
        places[99] = [500.0, 2.0, -1.0];
        let all = bodies(places);
        let view = View::of(&all, Plane::Xz);
        let scatter = positions(&all, &view, "some");
        let [[left, right], [low, high]] = scatter.ranges;
        let inside =
            scatter.points.iter().filter(|[x, y]| (left..=right).contains(x) && (low..=high).contains(y));
        assert!((95..100).contains(&inside.count()), "{view:?}");
        assert_eq!(scatter.points[1], [0.01, -1.0]);
        assert_eq!(scatter.labels, ["x", "z"]);
        assert!((right - left - (high - low)).abs() < 1e-9, "the same scale");
        assert_eq!(View::of(&bodies(Vec::new()), Plane::Xy).half_width, 1.0);
        assert_eq!(
            View::of(&bodies(vec![[3.0; 3]]), Plane::Yz),
            View { plane: Plane::Yz, centre: [3.0; 3], half_width: 1.0 }
        );
    }

    #[test]
    fn drifts_are_relative_to_the_first_energy() {
        let at = |time, energy| Totals { time, energy, ..Totals::default() };
        let chart = energy_drift(&[at(0.0, -0.25), at(1.0, -0.25), at(2.0, -0.24)], "run");
        let ys: Vec<f64> = chart.lines[0].points.iter().map(|p| p.y).collect();
        assert!(ys[0] == 0.0 && (ys[1] - 0.04).abs() < 1e-12, "{ys:?}");
        assert_eq!(chart.y.scale, Scale::Logarithmic);
        assert_eq!(drift(&at(0.0, 0.0), &at(1.0, 0.5)), 0.5);
    }
}
