//! Ticks of logarithmic axes: labels at powers of ten, minor ticks at their multiples.
//!
//! Where the range is less than two powers of ten, multiples have labels too; where it is less than the distance of two
//! multiples, the ticks are those of a linear axis.

use crate::Scale;
use crate::axis::{Axis, LARGEST, SMALLEST, Tick, Wanted};
use crate::{linear, number};

/// Decades for which multiples of the powers have minor ticks.
const MOST_DIVIDED: i32 = 6;
/// Decades for which all powers have ticks.
const MOST_TICKED: i32 = 30;

/// A logarithmic axis.
pub fn axis(wanted: Wanted) -> Axis {
    let (min, max) = widened(wanted.min, wanted.max);
    let (low, high) = (Mark::below(min), Mark::above(max));
    let exponents = [low.exponent, high.exponent];
    let decades = exponents[1] - exponents[0];
    let stride = 1 + decades / wanted.labels.clamp(2, 12) as i32;
    let divided: &[u32] = if decades <= MOST_DIVIDED { &[1, 2, 3, 4, 5, 6, 7, 8, 9] } else { &[1] };
    let marks: Vec<Mark> = (exponents[0]..=exponents[1])
        .flat_map(|exponent| divided.iter().map(move |&digit| Mark { digit, exponent }))
        .filter(|m| *m >= low && *m <= high)
        .filter(|m| decades <= MOST_TICKED || m.exponent.rem_euclid(stride) == 0)
        .filter(|m| wanted.rounded || (m.value() >= min * (1.0 - 1e-9) && m.value() <= max * (1.0 + 1e-9)))
        .collect();
    let at_powers = |m: &Mark| m.digit == 1 && m.exponent.rem_euclid(stride) == 0;
    let at_few = |m: &Mark| matches!(m.digit, 1 | 2 | 5);
    let count = |with: &dyn Fn(&Mark) -> bool| marks.iter().filter(|m| with(m)).count();
    let labelled: &dyn Fn(&Mark) -> bool =
        if count(&at_powers) >= 3 || (count(&at_powers) == 2 && decades > 1) {
            &at_powers
        } else if count(&at_few) >= 3 {
            &at_few
        } else if marks.len() >= 2 {
            &|_| true
        } else {
            return among_linear(Wanted { min, max, ..wanted });
        };
    let ticks = marks
        .iter()
        .map(|m| {
            let label = labelled(m).then(|| number::of_decade(m.digit, m.exponent, exponents));
            Tick { value: m.value(), label }
        })
        .collect();
    let (min, max) = if wanted.rounded { (low.value(), high.value()) } else { (min, max) };
    Axis { scale: Scale::Logarithmic, min, max, ticks }
}

/// A range so short that its ticks are those of a linear axis.
fn among_linear(wanted: Wanted) -> Axis {
    let linear = linear::axis(Wanted { scale: Scale::Linear, ..wanted });
    let ticks: Vec<Tick> = linear.ticks.into_iter().filter(|t| t.value > 0.0).collect();
    let ends = match (wanted.rounded, ticks.first(), ticks.last()) {
        (true, Some(first), Some(last)) => [first.value.min(wanted.min), last.value.max(wanted.max)],
        _ => [wanted.min, wanted.max],
    };
    Axis { scale: Scale::Logarithmic, min: ends[0], max: ends[1], ticks }
}

/// A range of positive numbers that has some width.
fn widened(min: f64, max: f64) -> (f64, f64) {
    if !(min.is_finite() && max.is_finite()) || min > max || max <= 0.0 {
        return (1.0, 10.0);
    }
    let (min, max) = (min.clamp(SMALLEST, LARGEST), max.clamp(SMALLEST, LARGEST));
    if max / min >= 1.0 + 1e-6 { (min, max) } else { (min / 2.0, max * 2.0) }
}

/// A digit times a power of ten.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Mark {
    digit: u32,
    exponent: i32,
}

impl PartialOrd for Mark {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        (self.exponent, self.digit).partial_cmp(&(other.exponent, other.digit))
    }
}

impl Mark {
    /// The number, as nearly as there is one: `3e-5`, not `3 * 1e-5`.
    fn value(self) -> f64 {
        format!("{}e{}", self.digit, self.exponent).parse().unwrap_or(SMALLEST)
    }

    /// The greatest mark that is not above a value.
    fn below(value: f64) -> Self {
        let exponent = (value.log10() + 1e-12).floor();
        let digit = (value / 10f64.powf(exponent) + 1e-9).floor().clamp(1.0, 9.0);
        Mark { digit: digit as u32, exponent: exponent as i32 }
    }

    /// The least mark that is not below a value.
    fn above(value: f64) -> Self {
        let exponent = (value.log10() - 1e-12).floor();
        let digit = (value / 10f64.powf(exponent) - 1e-9).ceil().clamp(1.0, 10.0);
        match digit as u32 {
            10 => Mark { digit: 1, exponent: exponent as i32 + 1 },
            digit => Mark { digit, exponent: exponent as i32 },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Scale, Wanted, axis};

    fn wanted(min: f64, max: f64, rounded: bool) -> Wanted {
        Wanted { scale: Scale::Logarithmic, min, max, labels: 6, rounded, whole: false }
    }

    fn texts(min: f64, max: f64) -> Vec<String> {
        axis(wanted(min, max, true)).labels().map(|(_, text)| text.to_owned()).collect()
    }

    #[test]
    fn labels_stand_at_powers_of_ten() {
        assert_eq!(texts(0.001, 1.0), ["0.001", "0.01", "0.1", "1"]);
        assert_eq!(texts(1e-9, 1e-5), ["10⁻⁹", "10⁻⁸", "10⁻⁷", "10⁻⁶", "10⁻⁵"]);
        assert_eq!(texts(1e-12, 1.0), ["10⁻¹²", "10⁻⁹", "10⁻⁶", "10⁻³", "10⁰"]);
        assert_eq!(texts(1.0, 10.0), ["1", "2", "5", "10"]);
        assert_eq!(texts(3.2, 47.0), ["5", "10", "20", "50"]);
        assert_eq!(texts(3.2, 3.9), ["3", "4"]);
        assert_eq!(texts(2.0, 2.0), ["1", "2", "3", "4"]);
    }

    #[test]
    fn minor_ticks_are_multiples() {
        let axis = axis(wanted(1.0, 1000.0, true));
        let minor: Vec<f64> = axis.ticks.iter().filter(|t| t.label.is_none()).map(|t| t.value).collect();
        assert_eq!(minor.len(), 3 * 8);
        assert_eq!(&minor[..9], [2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 20.0]);
        // Equal factors are equal distances.
        let places: Vec<f64> = axis.labels().map(|(part, _)| part).collect();
        for (part, expected) in places.iter().zip([0.0, 1.0 / 3.0, 2.0 / 3.0, 1.0]) {
            assert!((part - expected).abs() < 1e-12, "{places:?}");
        }
    }

    #[test]
    fn every_range_has_marks_and_width() {
        let ends = [
            0.0,
            1.0,
            -1.0,
            1e-320,
            1e-12,
            1e-300,
            1e300,
            f64::MAX,
            f64::NAN,
            f64::INFINITY,
            0.3,
            0.300_01,
            9.9,
        ];
        for a in ends {
            for b in ends {
                for rounded in [false, true] {
                    for labels in 1..10 {
                        let axis = axis(Wanted { labels, ..wanted(a, b, rounded) });
                        assert!(axis.min > 0.0 && axis.max > axis.min, "{a} {b}: {axis:?}");
                        assert!(axis.ticks.len() < 80 && axis.labels().count() < 40, "{a} {b}: {axis:?}");
                        assert!(axis.labels().count() > 0, "{a} {b}: {axis:?}");
                        assert!(axis.ticks.windows(2).all(|t| t[0].value < t[1].value), "{a} {b}: {axis:?}");
                    }
                }
            }
        }
    }
}
