//! How lines are told apart: colour, dashes and markers.
//!
//! Colours are those of Okabe and Ito, "Color Universal Design" (2008), which readers with the common kinds of colour
//! blindness can distinguish, without the yellow, which is faint on white. In grey print several of them look alike: there, dashes
//! and markers do the work. Seven colours, eight markers and four kinds of dashes change at different paces, so that the
//! first 28 styles differ pairwise in dashes or colour, and also in dashes or marker.

/// A colour: red, green, blue.
pub type Color = [u8; 3];

/// Blue, vermilion, bluish green, reddish purple, orange, sky blue, black.
const COLORS: [Color; 7] =
    [[0, 114, 178], [213, 94, 0], [0, 158, 115], [204, 121, 167], [230, 159, 0], [86, 180, 233], [0, 0, 0]];

const MARKERS: [Marker; 8] = [
    Marker::Disc,
    Marker::Square,
    Marker::Triangle,
    Marker::Diamond,
    Marker::Cross,
    Marker::Circle,
    Marker::Inverse,
    Marker::Plus,
];

const DASHES: [Dash; 4] = [Dash::Solid, Dash::Dashed, Dash::Dotted, Dash::Mixed];

/// Letters, frames and rings.
pub const INK: Color = [30, 30, 30];
/// Letters of lesser texts.
pub const FAINT_INK: Color = [80, 80, 80];
/// Grid.
pub const GRID: Color = [226, 226, 226];

/// A sign at a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Marker {
    /// A filled circle.
    Disc,
    /// A filled square.
    Square,
    /// A filled triangle that stands on its side.
    Triangle,
    /// A filled square that stands on a corner.
    Diamond,
    /// Two lines, like an x.
    Cross,
    /// A circle that is white inside.
    Circle,
    /// A filled triangle that stands on a corner.
    Inverse,
    /// Two lines, like a plus sign.
    Plus,
    /// A wide circle through which other signs are seen.
    Ring,
}

/// How a line is interrupted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dash {
    /// It is not.
    Solid,
    /// Long strokes.
    Dashed,
    /// Dots.
    Dotted,
    /// Strokes and dots.
    Mixed,
}

impl Dash {
    /// Lengths of strokes and gaps; empty for a line without gaps.
    pub fn lengths(self) -> &'static [f64] {
        match self {
            Dash::Solid => &[],
            Dash::Dashed => &[5.0, 2.5],
            Dash::Dotted => &[1.4, 1.8],
            Dash::Mixed => &[7.0, 2.0, 1.4, 2.0],
        }
    }
}

/// The look of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// Of the line, its markers and its band.
    pub color: Color,
    /// Of the line.
    pub dash: Dash,
    /// At its points.
    pub marker: Marker,
}

/// The style with a number.
pub fn style(number: usize) -> Style {
    Style {
        color: COLORS[number % COLORS.len()],
        dash: DASHES[number / COLORS.len() % DASHES.len()],
        marker: MARKERS[number % MARKERS.len()],
    }
}

/// Anchors of the colours of lines in an order, at equal distances: from dark to light, so that the order is kept in grey print, and
/// neither too light for white paper nor too dark for a dark page.
const RAMP: [Color; 5] = [[92, 62, 180], [32, 104, 190], [0, 138, 140], [84, 160, 56], [206, 160, 0]];

/// The style with a number in an order that ends with `last`.
pub fn in_order(number: usize, last: usize) -> Style {
    let color = between(&RAMP, number as f64 / last.max(1) as f64);
    Style { color, dash: Dash::Solid, ..style(number) }
}

/// The colour at a place between the first and the last of some anchors, from 0 to 1.
pub fn between(anchors: &[Color], place: f64) -> Color {
    let place = place.clamp(0.0, 1.0) * (anchors.len() - 1) as f64;
    let below = (place as usize).min(anchors.len().saturating_sub(2));
    let part = place - below as f64;
    let mix = |i: usize| {
        let [from, to] = [anchors[below][i], anchors[below + 1][i]].map(f64::from);
        (from + part * (to - from)).round() as u8
    };
    [mix(0), mix(1), mix(2)]
}

/// Dark and light letters on colours. Pages in the dark turn their own ink and paper around, which these are not.
const ON_COLORS: [Color; 2] = [[24; 3], [252; 3]];

/// Letters that can be read on a colour.
pub fn letters_on(color: Color) -> Color {
    let [red, green, blue] = color.map(f64::from);
    if 0.299 * red + 0.587 * green + 0.114 * blue < 125.0 { ON_COLORS[1] } else { ON_COLORS[0] }
}

#[cfg(test)]
mod tests {
    use super::{COLORS, RAMP, between, style};

    #[test]
    fn many_lines_can_be_told_apart() {
        let styles: Vec<_> = (0..28).map(style).collect();
        for (i, a) in styles.iter().enumerate() {
            for b in &styles[..i] {
                assert!(a.dash != b.dash || a.color != b.color, "without markers: {a:?} {b:?}");
                assert!(a.dash != b.dash || a.marker != b.marker, "in grey print: {a:?} {b:?}");
            }
        }
        let more: Vec<_> = (0..56).map(style).collect();
        assert!(more.iter().enumerate().all(|(i, a)| !more[..i].contains(a)));
    }

    /// The contrast with white paper is at least 1.9, by the definition of WCAG 2.
    #[test]
    fn colors_are_visible_on_white() {
        for color in COLORS {
            assert!(1.05 / (luminance(color) + 0.05) > 1.9, "{color:?}");
        }
    }

    fn luminance(color: [u8; 3]) -> f64 {
        let linear = color.map(|c| {
            let c = f64::from(c) / 255.0;
            if c <= 0.03928 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
        });
        0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    }

    /// The paper of pages in the dark.
    const DARK: [u8; 3] = [0x14, 0x17, 0x1d];

    #[test]
    fn colors_of_an_order_grow_lighter_and_are_visible_on_every_page() {
        let steps: Vec<[u8; 3]> = (0..=20).map(|step| between(&RAMP, f64::from(step) / 20.0)).collect();
        assert_eq!((steps[0], steps[20]), (RAMP[0], RAMP[4]));
        for pair in steps.windows(2) {
            assert!(luminance(pair[0]) < luminance(pair[1]), "{pair:?}");
        }
        for color in steps {
            let light = luminance(color) + 0.05;
            assert!(1.05 / light > 1.9 && light / (luminance(DARK) + 0.05) > 1.9, "{color:?}");
        }
    }
}
