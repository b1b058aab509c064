//! How bars are told apart: colour and hatching.
//!
//! Colours have the hues of those of [lines](crate::style), but differ in lightness, pairwise by ten and more of the hundred
//! units between black and white (CIE L*), neighbours by twenty and more: grey print keeps them apart, and readers
//! with any kind of colour blindness do. With four kinds of hatching, the first 28 fills differ. Light colours are faint on white:
//! bars have a border.

use crate::scene::{Extent, Place, Shape};
use crate::style::{Color, INK, letters_on};

/// Blue, orange, bluish green, sky blue, vermilion, reddish purple, black.
const COLORS: [Color; 7] = [
    [0, 66, 125],
    [245, 175, 50],
    [0, 143, 105],
    [190, 225, 248],
    [170, 54, 6],
    [214, 132, 176],
    [40, 40, 44],
];

const HATCHES: [Hatch; 4] = [Hatch::Plain, Hatch::Rising, Hatch::Falling, Hatch::Level];

/// Between the lines of a hatching, along the border.
const APART: f64 = 4.5;
/// Width of the lines of a hatching.
const STROKE: f64 = 0.8;
/// Bars that are narrower show no hatching.
const NARROW: f64 = 2.0;
/// Widest border.
const BORDER: f64 = 0.5;

/// The inside of a bar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fill {
    /// Behind the hatching.
    pub color: Color,
    /// The lines on it.
    pub hatch: Hatch,
}

/// Parallel lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hatch {
    /// None.
    Plain,
    /// From the lower left to the upper right.
    Rising,
    /// From the upper left to the lower right.
    Falling,
    /// From the left to the right.
    Level,
}

/// The fill with a number.
pub fn fill(number: usize) -> Fill {
    Fill { color: COLORS[number % COLORS.len()], hatch: HATCHES[number / COLORS.len() % HATCHES.len()] }
}

/// Draws a rectangle with its hatching and border.
pub fn draw(extent: Extent, fill: Fill, note: String, shapes: &mut Vec<Shape>) {
    let [left, top, right, bottom] = extent;
    shapes.push(Shape::Tile { extent, color: fill.color, note });
    let ink = letters_on(fill.color);
    let hatch = if right - left < NARROW { Hatch::Plain } else { fill.hatch };
    for [from, to] in lines(extent, hatch) {
        shapes.push(Shape::line(from, to, ink, STROKE));
    }
    shapes.push(Shape::Path {
        places: vec![(left, bottom), (left, top), (right, top), (right, bottom), (left, bottom)],
        color: INK,
        // Borders of bars that are very narrow leave something of the colour.
        width: BORDER.min(0.12 * (right - left)),
        dash: &[],
    });
}

/// The lines of a hatching inside of a rectangle. Those of rectangles that touch continue each other.
fn lines([left, top, right, bottom]: Extent, hatch: Hatch) -> Vec<[Place; 2]> {
    // All multiples of the distance strictly between two numbers.
    let between = |from: f64, to: f64| {
        let (first, end) = ((from / APART).floor() as i64 + 1, (to / APART).ceil() as i64);
        (first..end).map(|k| k as f64 * APART)
    };
    match hatch {
        Hatch::Plain => Vec::new(),
        Hatch::Level => between(top, bottom).map(|y| [(left, y), (right, y)]).collect(),
        // On a line, x + y is the same everywhere.
        Hatch::Rising => between(left + top, right + bottom)
            .map(|sum| [left.max(sum - bottom), right.min(sum - top)].map(|x| (x, sum - x)))
            .collect(),
        Hatch::Falling => between(left - bottom, right - top)
            .map(|difference| {
                [left.max(difference + top), right.min(difference + bottom)].map(|x| (x, x - difference))
            })
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::{COLORS, Hatch, fill, lines};

    /// Lightness by CIE 15, for colours of sRGB (IEC 61966-2-1): 0 to 100.
    fn lightness(color: [u8; 3]) -> f64 {
        let linear = color.map(|c| {
            let c = f64::from(c) / 255.0;
            if c <= 0.040_45 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
        });
        let luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
        if luminance > 0.008_856 { 116.0 * luminance.cbrt() - 16.0 } else { 903.3 * luminance }
    }

    #[test]
    fn grey_print_keeps_colors_apart() {
        let all = COLORS.map(lightness);
        for (i, a) in all.iter().enumerate() {
            assert!(all[..i].iter().all(|b| (a - b).abs() >= 10.0), "{all:?}");
            let next = all[(i + 1) % all.len()];
            assert!((a - next).abs() >= 11.0, "{all:?}");
        }
        assert!(all.windows(2).all(|pair| (pair[0] - pair[1]).abs() >= 20.0), "{all:?}");
    }

    #[test]
    fn many_fills_differ() {
        let fills: Vec<_> = (0..28).map(fill).collect();
        assert!(fills.iter().enumerate().all(|(i, a)| !fills[..i].contains(a)));
    }

    #[test]
    fn hatching_stays_inside() {
        for extent in
            [[10.0, 20.0, 14.0, 90.0], [3.3, 5.0, 70.0, 5.5], [1.0, 1.0, 1.0, 1.0], [0.0, 0.0, 9.0, 9.0]]
        {
            let [left, top, right, bottom] = extent;
            for (hatch, direction) in [(Hatch::Rising, -1.0), (Hatch::Falling, 1.0), (Hatch::Level, 0.0)] {
                let lines = lines(extent, hatch);
                for [from, to] in &lines {
                    for (x, y) in [from, to] {
                        let is_inside = (left - 1e-9..=right + 1e-9).contains(x)
                            && (top - 1e-9..=bottom + 1e-9).contains(y);
                        assert!(is_inside, "{hatch:?} of {extent:?}: {x} {y}");
                    }
                    let (width, height) = (to.0 - from.0, to.1 - from.1);
                    assert!(width > 0.0 && (height - direction * width).abs() < 1e-9, "{from:?} {to:?}");
                }
                assert_eq!(lines.is_empty(), right == left || hatch == Hatch::Level && bottom < 6.0);
            }
            assert!(super::lines(extent, Hatch::Plain).is_empty());
        }
    }
}
