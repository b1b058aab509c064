//! Ticks of linear axes: at multiples of 1, 2 or 5 times a power of ten.

use crate::Scale;
use crate::axis::{Axis, LARGEST, Tick, Wanted};
use crate::number;

/// A linear axis.
pub fn axis(wanted: Wanted) -> Axis {
    let (min, max) = widened(wanted.min, wanted.max);
    let rough = (max - min) / wanted.labels.max(2) as f64;
    let power = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|m| m * power).into_iter().find(|s| *s >= rough * 0.999);
    let mut step = step.unwrap_or(10.0 * power);
    if wanted.whole {
        step = step.max(1.0);
    }
    let (first, last) = ((min / step + 1e-9).floor(), (max / step - 1e-9).ceil());
    let last = last.max(first + 1.0);
    let (min, max) = if wanted.rounded { (first * step, last * step) } else { (min, max) };
    let slack = step * 1e-6;
    let largest = min.abs().max(max.abs());
    let values = (0..=(last - first) as usize).map(|k| (first + k as f64) * step);
    let ticks = values
        .filter(|v| *v >= min - slack && *v <= max + slack)
        .map(|value| Tick { value, label: Some(number::label(value, step, largest)) })
        .collect();
    Axis { scale: Scale::Linear, min, max, ticks }
}

/// A range that has some width, and is finite.
fn widened(min: f64, max: f64) -> (f64, f64) {
    if !(min.is_finite() && max.is_finite()) || min > max {
        return (0.0, 1.0);
    }
    let (min, max) = (min.clamp(-LARGEST, LARGEST), max.clamp(-LARGEST, LARGEST));
    let least = (min.abs().max(max.abs()) * 1e-9).max(1e-280);
    if max - min >= least {
        return (min, max);
    }
    let half = if min.abs() < 1e-280 { 0.5 } else { min.abs() * 0.05 };
    (min - half, max + half)
}

#[cfg(test)]
mod tests {
    use super::{Scale, Wanted, axis};

    fn texts(min: f64, max: f64, whole: bool) -> Vec<String> {
        let axis = axis(Wanted { scale: Scale::Linear, min, max, labels: 5, rounded: true, whole });
        axis.labels().map(|(_, text)| text.to_owned()).collect()
    }

    #[test]
    fn marks_are_round_numbers() {
        assert_eq!(texts(0.0, 1.0, false), ["0", "0.2", "0.4", "0.6", "0.8", "1"]);
        assert_eq!(texts(0.0, 50.0, false), ["0", "10", "20", "30", "40", "50"]);
        assert_eq!(texts(-3.0, 4.0, false), ["−4", "−2", "0", "2", "4"]);
        assert_eq!(texts(0.0, 3e-9, false), ["0", "1×10⁻⁹", "2×10⁻⁹", "3×10⁻⁹"]);
        assert_eq!(texts(1e8, 3e8, false), ["1×10⁸", "1.5×10⁸", "2×10⁸", "2.5×10⁸", "3×10⁸"]);
        assert_eq!(texts(0.0, 2.0, false), ["0", "0.5", "1", "1.5", "2"]);
        assert_eq!(texts(0.0, 2.0, true), ["0", "1", "2"]);
    }

    #[test]
    fn every_range_has_marks_and_width() {
        let ends = [0.0, 1.0, -1.0, 1e-320, 1e-12, 1e300, f64::MAX, -f64::MAX, f64::NAN, f64::INFINITY, 0.3];
        for a in ends {
            for b in ends {
                for (rounded, whole) in [(false, false), (true, false), (true, true)] {
                    let wanted = Wanted { scale: Scale::Linear, min: a, max: b, labels: 6, rounded, whole };
                    let axis = axis(wanted);
                    assert!(axis.max > axis.min, "{a} {b}: {axis:?}");
                    assert!(axis.ticks.len() < 30, "{a} {b}: {axis:?}");
                    assert!(axis.labels().all(|(_, text)| !text.is_empty()));
                }
            }
        }
    }
}
