//! Where the marks of an axis stand: at multiples of 1, 2 or 5 times a power of ten.

/// The range of an axis and its marks.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// Least value shown.
    pub min: f64,
    /// Greatest value shown; more than `min`.
    pub max: f64,
    /// Values of the marks.
    pub marks: Vec<f64>,
    step: f64,
}

/// An axis with about `wanted` marks that shows all of `min..=max`; where `rounded`, it starts and ends at marks.
pub fn axis(min: f64, max: f64, wanted: usize, rounded: bool) -> Axis {
    let (min, max) = widened(min, max);
    let rough = (max - min) / wanted.max(2) as f64;
    let power = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|m| m * power).into_iter().find(|s| *s >= rough * 0.999);
    let step = step.unwrap_or(10.0 * power);
    let (first, last) = ((min / step).floor(), (max / step).ceil());
    let (min, max) = if rounded { (first * step, last * step) } else { (min, max) };
    let slack = step * 1e-6;
    let marks = (0..=(last - first) as usize).map(|k| (first + k as f64) * step);
    let marks = marks.filter(|m| *m >= min - slack && *m <= max + slack).collect();
    Axis { min, max, marks, step }
}

/// A range that has some width, and is finite.
fn widened(min: f64, max: f64) -> (f64, f64) {
    if !(min.is_finite() && max.is_finite()) || min > max {
        return (0.0, 1.0);
    }
    let (min, max) = (min.clamp(-1e300, 1e300), max.clamp(-1e300, 1e300));
    let least = (min.abs().max(max.abs()) * 1e-9).max(1e-280);
    if max - min >= least {
        return (min, max);
    }
    let half = if min == 0.0 { 0.5 } else { min.abs() * 0.05 };
    (min - half, max + half)
}

impl Axis {
    /// A mark as text.
    pub fn text(&self, mark: f64) -> String {
        // Multiples of the step near zero are zero.
        if mark.abs() < self.step * 1e-6 {
            return "0".to_owned();
        }
        let largest = self.min.abs().max(self.max.abs());
        if !(1e-4..1e7).contains(&largest) {
            let digits = (largest / self.step).log10().ceil().clamp(0.0, 12.0) as usize;
            let text = format!("{mark:.digits$e}");
            let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
            return format!("{}e{exponent}", trimmed(mantissa));
        }
        let decimals = (-self.step.log10().floor()).clamp(0.0, 16.0) as usize;
        trimmed(&format!("{mark:.decimals$}")).to_owned()
    }
}

fn trimmed(text: &str) -> &str {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text }
}

#[cfg(test)]
mod tests {
    use super::axis;

    fn texts(min: f64, max: f64) -> Vec<String> {
        let axis = axis(min, max, 5, true);
        axis.marks.iter().map(|&m| axis.text(m)).collect()
    }

    #[test]
    fn marks_are_round_numbers() {
        assert_eq!(texts(0.0, 1.0), ["0", "0.2", "0.4", "0.6", "0.8", "1"]);
        assert_eq!(texts(0.0, 50.0), ["0", "10", "20", "30", "40", "50"]);
        assert_eq!(texts(-3.0, 4.0), ["-4", "-2", "0", "2", "4"]);
        assert_eq!(texts(0.0, 3e-9), ["0", "1e-9", "2e-9", "3e-9"]);
        assert_eq!(texts(1e8, 3e8), ["1e8", "1.5e8", "2e8", "2.5e8", "3e8"]);
    }

    #[test]
    fn every_range_has_marks_and_width() {
        let ends = [0.0, 1.0, -1.0, 1e-320, 1e-12, 1e300, f64::MAX, -f64::MAX, f64::NAN, f64::INFINITY, 0.3];
        for a in ends {
            for b in ends {
                for rounded in [false, true] {
                    let axis = axis(a, b, 6, rounded);
                    assert!(axis.max > axis.min, "{a} {b}: {axis:?}");
                    assert!(axis.marks.len() < 30, "{a} {b}: {axis:?}");
                    assert!(axis.marks.iter().all(|m| !axis.text(*m).is_empty()));
                }
            }
        }
    }
}
