//! Intervals as small pictures: bounds from end to end of a line, the value as a mark.

use super::markup::escaped;
use crate::document::Mark;
use crate::format::{error_short, number};

const WIDTH: f64 = 400.0;
/// Room on both sides for labels that stand around their ends.
const MARGIN: f64 = 76.0;
const MIDDLE: f64 = 30.0;
const HEIGHT: f64 = 62.0;
/// The width of a character of a label, where fonts are wide.
const CHARACTER: f64 = 7.7;
/// What labels keep free on the left and on the right.
const EDGE: f64 = 2.0;

/// Nested intervals, the widest first, and marks; `None` if there is nothing to draw.
pub(super) fn bar(what: &str, intervals: &[[f64; 2]], marks: &[Mark]) -> Option<String> {
    let outer = intervals.first().copied().filter(|[lo, hi]| lo.is_finite() && hi.is_finite() && lo < hi)?;
    let marks: Vec<&Mark> = marks.iter().filter(|mark| mark.at.is_finite()).collect();
    let least = marks.iter().map(|mark| mark.at).fold(outer[0], f64::min);
    let largest = marks.iter().map(|mark| mark.at).fold(outer[1], f64::max);
    let range = largest - least;
    if !(range.is_finite() && range > 0.0) {
        return None;
    }
    let x = |value: f64| {
        let place = MARGIN + (value - least) / range * (WIDTH - 2.0 * MARGIN);
        (place * 10.0).round() / 10.0
    };
    let precision = 0.01 * (outer[1] - outer[0]);
    let mut ends = outer.map(|end| number(end, precision));
    if let (true, Some(mark)) = (ends[0] == ends[1], marks.first()) {
        // Closer than digits tell: how far the ends are from the mark.
        let off =
            |end: f64| if end < mark.at { "−" } else { "+" }.to_owned() + &error_short((end - mark.at).abs());
        ends = outer.map(off);
    }
    let [lo, hi] = ends;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"bar\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\">\n\
         <title>{}: from {lo} to {hi}</title>\n<line class=\"axis\" x1=\"{}\" y1=\"{MIDDLE}\" x2=\"{}\" y2=\"{MIDDLE}\"/>\n",
        escaped(what),
        MARGIN - 30.0,
        WIDTH - MARGIN + 30.0
    );
    let classes = ["band outer", "band middle", "band"];
    for (i, &[lo, hi]) in intervals.iter().enumerate() {
        let class = classes[(classes.len() + i).saturating_sub(intervals.len()).min(2)];
        out.push_str(&format!(
            "<rect class=\"{class}\" x=\"{}\" y=\"{}\" width=\"{:.1}\" height=\"14\" rx=\"2\"/>\n",
            x(lo),
            MIDDLE - 7.0,
            (x(hi) - x(lo)).max(1.0)
        ));
    }
    let ([left, right], y) = (label_ends(outer.map(x), [&lo, &hi]), MIDDLE + 24.0);
    out.push_str(&format!("<text x=\"{left:.1}\" y=\"{y}\" text-anchor=\"end\">{lo}</text>\n"));
    out.push_str(&format!("<text x=\"{right:.1}\" y=\"{y}\" text-anchor=\"start\">{hi}</text>\n"));
    for mark in marks {
        let wrong = if mark.is_wrong { " wrong" } else { "" };
        let x = x(mark.at);
        out.push_str(&format!(
            "<line class=\"tick{wrong}\" x1=\"{x}\" y1=\"{}\" x2=\"{x}\" y2=\"{}\"/>\n\
             <text class=\"{}\" x=\"{x}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n",
            MIDDLE - 11.0,
            MIDDLE + 11.0,
            wrong.trim(),
            MIDDLE - 16.0,
            escaped(mark.name)
        ));
    }
    out.push_str("</svg>\n");
    Some(out)
}

/// Where the left label ends and the right one begins: below the ends of the interval, moved as far as needed to stay inside the
/// picture and apart from each other.
fn label_ends(at: [f64; 2], labels: [&str; 2]) -> [f64; 2] {
    let [left_width, right_width] = labels.map(|label| CHARACTER * label.chars().count() as f64);
    let (least, most) = (EDGE + left_width, WIDTH - EDGE - right_width);
    let mut left = (at[0] + 8.0).max(least);
    let mut right = (at[1] - 8.0).min(most);
    let overlap = left + CHARACTER - right;
    if overlap > 0.0 {
        let moved = (left - least).min(overlap);
        left -= moved;
        right += overlap - moved;
    }
    [left, right]
}

#[cfg(test)]
mod tests {
    use super::{CHARACTER, WIDTH, bar, label_ends};
    use crate::document::Mark;

    #[test]
    fn labels_are_inside_and_apart() {
        let labels = ["1", "0.25", "0.0069921093484", "0.000000000000123456789"];
        for at in [[76.0, 324.0], [76.0, 77.0], [323.0, 324.0], [200.0, 200.1]] {
            for (left, right) in labels.iter().flat_map(|l| labels.map(|r| (*l, r))) {
                let [end, start] = label_ends(at, [left, right]);
                let context = format!("{at:?} {left} {right}: {end} {start}");
                assert!(end - CHARACTER * left.len() as f64 >= 0.0, "{context}");
                assert!(start + CHARACTER * right.len() as f64 <= WIDTH, "{context}");
                assert!(end < start, "{context}");
            }
        }
        assert_eq!(label_ends([76.0, 324.0], ["0.25", "0.75"]), [84.0, 316.0]);
    }

    #[test]
    fn intervals_without_extent_are_not_drawn() {
        let mark = |at| [Mark { at, name: "value", is_wrong: false }];
        assert!(bar("bounds", &[[0.0, f64::INFINITY]], &mark(1.0)).is_none());
        assert!(bar("bounds", &[[1.0, 1.0]], &mark(1.0)).is_none());
        assert!(bar("bounds", &[], &mark(1.0)).is_none());
        assert!(bar("bounds", &[[-f64::MAX, f64::MAX]], &mark(1.0)).is_none());
        let drawn = bar("bounds", &[[0.25, 0.75]], &mark(0.5)).unwrap();
        assert!(drawn.contains("x1=\"200\"") && drawn.contains("from 0.25 to 0.75"), "{drawn}");
        let narrow = bar("bounds", &[[1.0 - 2e-13, 1.0 + 2e-13]], &mark(1.0)).unwrap();
        assert!(narrow.contains(">−2e-13<") && narrow.contains(">+2e-13<"), "{narrow}");
    }
}
