//! Scatter plots: points of a plane, with the same scale on both axes.
//!
//! Few points are small discs through which others are seen, so that dense places are darker. Many points are counted in the cells of a
//! grid, whose colours tell how many there are (equal factors are equal distances of colours), so that a file does not grow with them.

use crate::axis::{Axis, LARGEST, Wanted};
use crate::captions::{self, are};
use crate::font;
use crate::heat_map;
use crate::scene::{Anchor, MARGIN, Place, SHARE, SMALL, Scene, Shape, WIDTH};
use crate::style::{FAINT_INK, GRID, INK, style};
use crate::ticks::axis;
use crate::{Scale, ruler};

/// A scatter plot.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scatter {
    /// Above the plot.
    pub title: String,
    /// Below the title, smaller.
    pub subtitle: String,
    /// Names of the axes: what runs to the right, and what runs upwards.
    pub labels: [String; 2],
    /// What the axes show, from the least to the greatest value. A series of plots with the same ranges can be laid upon each other.
    pub ranges: [[f64; 2]; 2],
    /// The points; those beyond the ranges are counted below the plot.
    pub points: Vec<[f64; 2]>,
}

/// More points than this are counted instead of drawn.
pub const MOST_DRAWN: usize = 4000;

/// Cells of the grid across.
const CELLS: usize = 128;
/// Radius of a point.
const RADIUS: f64 = 1.3;
/// Least and greatest height of the frame, over its width.
const HEIGHTS: [f64; 2] = [0.25, 1.5];

/// Lays a scatter plot out.
pub fn layout(scatter: &Scatter) -> Scene {
    let mut shapes = Vec::new();
    let title = font::clean(&scatter.title);
    let top = captions::titles(&title, &font::clean(&scatter.subtitle), &mut shapes);
    let [x_range, y_range] = scatter.ranges.map(|[min, max]| [min.max(-LARGEST), max.min(LARGEST)]);
    let labels = [0, 1].map(|i| font::clean(&scatter.labels[i]));
    let wanted = |[min, max]: [f64; 2], labels| {
        axis(Wanted { scale: Scale::Linear, min, max, labels, rounded: false, whole: false })
    };
    let (mut x, y) = (wanted(x_range, 6), wanted(y_range, 6));
    let left = MARGIN + captions::width_of_vertical(&labels[1]) + ruler::width(&y);
    // A label may stand at the end of the axis.
    let half = x.labels().map(|(_, label)| font::width(label, SMALL) / SHARE / 2.0).fold(8.0, f64::max);
    let right = WIDTH - MARGIN - half;
    let aspect = (y.max - y.min) / (x.max - x.min);
    let aspect = if aspect.is_finite() { aspect.clamp(HEIGHTS[0], HEIGHTS[1]) } else { 1.0 };
    let bottom = top + (right - left) * aspect;
    x.thin_out(6.0, |part, label| {
        let (center, half) = (left + part * (right - left), font::width(label, SMALL) / SHARE / 2.0);
        [center - half, center + half]
    });
    let frame = Frame { left, right, top, bottom, x, y };
    frame.rule(&mut shapes);
    captions::vertical(&labels[1], [top, bottom], &mut shapes);
    let inside: Vec<[f64; 2]> = scatter.points.iter().copied().filter(|point| frame.shows(point)).collect();
    let mut remarks = Vec::new();
    let is_counted = scatter.points.len() > MOST_DRAWN;
    match !is_counted {
        true => shapes.extend(inside.iter().map(|&point| disc(frame.place(point)))),
        false => {
            let most = frame.count(&inside, &mut shapes);
            remarks.push(format!(
                "Colours: from 1 (light) to {most} (dark) of {} points in a cell.",
                inside.len()
            ));
        }
    }
    let beyond = scatter.points.len() - inside.len();
    if beyond > 0 {
        let points = if beyond == 1 { "point" } else { "points" };
        remarks.push(format!("{beyond} {points} beyond the axes {} left out.", are(beyond)));
    }
    let end = captions::horizontal(&labels[0], [left, right], bottom + 6.0 + SMALL, &mut shapes) + 5.0;
    let end = captions::remarks(&remarks, end, &mut shapes);
    // Plots of a series are equally high, whether or not points are beyond.
    let missing = (1 + usize::from(is_counted)).saturating_sub(remarks.len());
    let end = captions::remarks(&vec![String::new(); missing], end, &mut Vec::new());
    Scene { title, height: (end + MARGIN).ceil(), shapes, notes: Vec::new() }
}

/// The inner part of the plot.
struct Frame {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
    x: Axis,
    y: Axis,
}

impl Frame {
    fn shows(&self, &[x, y]: &[f64; 2]) -> bool {
        (self.x.min..=self.x.max).contains(&x) && (self.y.min..=self.y.max).contains(&y)
    }

    fn place(&self, [x, y]: [f64; 2]) -> Place {
        let (x, y) = (self.x.part(x), self.y.part(y));
        (self.left + x * (self.right - self.left), self.bottom - y * (self.bottom - self.top))
    }

    /// Axes and grid.
    fn rule(&self, shapes: &mut Vec<Shape>) {
        let &Frame { left, right, top, bottom, .. } = self;
        ruler::draw(&self.y, [left, top, right, bottom], shapes);
        for tick in &self.x.ticks {
            let x = left + self.x.part(tick.value) * (right - left);
            shapes.push(Shape::line((x, top), (x, bottom), GRID, 0.6));
            shapes.push(Shape::line((x, bottom), (x, bottom + 4.0), INK, 0.7));
            if let Some(label) = &tick.label {
                shapes.push(Shape::text((x, bottom + 6.0 + SMALL), label, Anchor::Middle, SMALL, INK));
            }
        }
        let corners = [(left, top), (right, top), (right, bottom), (left, bottom), (left, top)];
        shapes.push(Shape::Path { places: corners.to_vec(), color: FAINT_INK, width: 0.8, dash: &[] });
    }

    /// Draws how many points there are in the cells of a grid; gives the greatest number.
    fn count(&self, points: &[[f64; 2]], shapes: &mut Vec<Shape>) -> u32 {
        let size = (self.right - self.left) / CELLS as f64;
        let rows = (((self.bottom - self.top) / size).ceil() as usize).max(1);
        let mut counts = vec![0_u32; CELLS * rows];
        for &point in points {
            let (x, y) = self.place(point);
            let column = (((x - self.left) / size) as usize).min(CELLS - 1);
            let row = (((y - self.top) / size) as usize).min(rows - 1);
            counts[row * CELLS + column] += 1;
        }
        let most = counts.iter().copied().max().unwrap_or(0);
        for (cell, &count) in counts.iter().enumerate().filter(|&(_, &count)| count > 0) {
            let (x, y) = (self.left + (cell % CELLS) as f64 * size, self.top + (cell / CELLS) as f64 * size);
            // Light where there are few, as the paper is where there is none.
            let part = f64::from(count).ln() / f64::from(most.max(2)).ln();
            let extent = [x, y, x + size, (y + size).min(self.bottom)];
            let color = heat_map::color(1.0 - part);
            shapes.push(Shape::Tile { extent, color, note: String::new() });
        }
        most
    }
}

/// A small disc, as a polygon.
fn disc((x, y): Place) -> Shape {
    let corner = |i: u32| {
        let (sin, cos) = (std::f64::consts::FRAC_PI_4 * (f64::from(i) + 0.5)).sin_cos();
        (x + RADIUS * cos, y + RADIUS * sin)
    };
    Shape::Area { places: (0..8).map(corner).collect(), color: style(0).color }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scatter(points: Vec<[f64; 2]>) -> Scatter {
        Scatter {
            title: "positions".to_owned(),
            labels: ["x".to_owned(), "y".to_owned()],
            ranges: [[-1.0, 1.0]; 2],
            points,
            ..Scatter::default()
        }
    }

    fn tiles_and_areas(scene: &Scene) -> (usize, usize) {
        let count = |is: fn(&Shape) -> bool| scene.shapes.iter().filter(|shape| is(shape)).count();
        (count(|s| matches!(s, Shape::Tile { .. })), count(|s| matches!(s, Shape::Area { .. })))
    }

    #[test]
    fn few_points_are_drawn_and_those_beyond_are_counted() {
        let scene = layout(&scatter(vec![[0.0, 0.5], [-1.0, 1.0], [3.0, 0.0], [f64::NAN, 0.0]]));
        assert_eq!(tiles_and_areas(&scene), (0, 2));
        assert!(scene.texts().any(|text| text.text == "2 points beyond the axes are left out."));
    }

    #[test]
    fn many_points_are_counted_in_cells() {
        // Half of them at one place, the others at 100 places.
        let mut points = vec![[0.5, 0.5]; 3000];
        points.extend((0..3000).map(|i| [-1.0 + f64::from(i % 100) / 101.0, -0.5]));
        let scene = layout(&scatter(points));
        let (tiles, areas) = tiles_and_areas(&scene);
        assert!(areas == 0 && (50..=101).contains(&tiles), "{tiles}");
        assert!(scene.texts().any(|text| text.text.contains("to 3000 (dark) of 6000 points")));
    }

    #[test]
    fn both_axes_have_the_same_scale() {
        let wide = Scatter { ranges: [[0.0, 4.0], [0.0, 2.0]], ..scatter(vec![[0.0, 0.0], [1.0, 1.0]]) };
        let scene = layout(&wide);
        let centers: Vec<Place> = (scene.shapes.iter())
            .filter_map(|shape| match shape {
                Shape::Area { places, .. } => Some(places.iter().fold((0.0, 0.0), |(a, b), (x, y)| {
                    (a + x / places.len() as f64, b + y / places.len() as f64)
                })),
                _ => None,
            })
            .collect();
        let (dx, dy) = (centers[1].0 - centers[0].0, centers[0].1 - centers[1].1);
        assert!((dx - dy).abs() < 1e-9 && dx > 50.0, "{dx} {dy}");
    }

    #[test]
    fn everything_stands_inside_whatever_the_ranges_are() {
        let ends = [[0.0, 0.0], [-1e-300, 1e300], [5.0, -5.0], [f64::NAN, 1.0], [-1e308, 1e308]];
        for x in ends {
            for y in ends {
                let scene = layout(&Scatter { ranges: [x, y], ..scatter(vec![[0.0, 0.0], [1.0, 1.0]]) });
                assert!(scene.height.is_finite() && scene.height < 1000.0, "{x:?} {y:?} {}", scene.height);
                for text in scene.texts() {
                    let [left, top, right, bottom] = text.extent();
                    let inside = left >= 0.0 && top >= 0.0 && right <= WIDTH && bottom <= scene.height;
                    assert!(inside, "{x:?} {y:?} {text:?}");
                }
            }
        }
    }
}
