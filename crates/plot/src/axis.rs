//! An axis: the range of values that it shows, where each of them stands, and its ticks.

/// Numbers beyond these have no place of their own: lengths of ranges must be finite.
pub const LARGEST: f64 = 1e300;
/// The least positive number of a logarithmic axis.
pub const SMALLEST: f64 = 1e-300;

/// What equal distances on an axis stand for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scale {
    /// Equal differences.
    #[default]
    Linear,
    /// Equal factors; there is no place for zero and negative values.
    Logarithmic,
}

impl Scale {
    /// The scale on which values can be told apart: logarithmic if all are positive, and the largest is more than a hundred times the least.
    pub fn fitting(values: impl IntoIterator<Item = f64>) -> Self {
        let ends = values.into_iter().filter(|value| value.is_finite());
        let (least, most) = ends.fold((f64::INFINITY, 0.0), |(a, b), x| (x.min(a), x.max(b)));
        if least > 0.0 && most > 100.0 * least { Scale::Logarithmic } else { Scale::Linear }
    }

    /// Whether a value has a place on the axis.
    pub fn has(self, value: f64) -> bool {
        value.is_finite() && (self == Scale::Linear || value > 0.0)
    }
}

/// An axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// What distances stand for.
    pub scale: Scale,
    /// Least value shown.
    pub min: f64,
    /// Greatest value shown; more than `min`.
    pub max: f64,
    /// From `min` to `max`.
    pub ticks: Vec<Tick>,
}

/// A tick of an axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Tick {
    /// Where it stands.
    pub value: f64,
    /// The number beside it; none for a minor tick.
    pub label: Option<String>,
}

/// What an axis is asked to show.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wanted {
    /// What distances stand for.
    pub scale: Scale,
    /// Least value.
    pub min: f64,
    /// Greatest value.
    pub max: f64,
    /// About this many labels.
    pub labels: usize,
    /// Whether the axis starts and ends at ticks.
    pub rounded: bool,
    /// Whether all values are whole numbers: then no label is between two of them.
    pub whole: bool,
}

impl Axis {
    /// Where a value stands: 0 at the start of the axis, 1 at its end; values beyond stand at the ends.
    pub fn part(&self, value: f64) -> f64 {
        let part = match self.scale {
            Scale::Linear => (value - self.min) / (self.max - self.min),
            Scale::Logarithmic if value <= self.min => 0.0,
            Scale::Logarithmic => (value.log10() - self.min.log10()) / (self.max.log10() - self.min.log10()),
        };
        part.clamp(0.0, 1.0)
    }

    /// Takes the labels away that come too near to those before them: `extents` gives where a label starts and ends.
    pub fn thin_out(&mut self, gap: f64, extents: impl Fn(f64, &str) -> [f64; 2]) {
        let parts: Vec<f64> = self.ticks.iter().map(|t| self.part(t.value)).collect();
        let mut end = f64::NEG_INFINITY;
        for (tick, part) in self.ticks.iter_mut().zip(parts) {
            let Some([from, to]) = tick.label.as_deref().map(|label| extents(part, label)) else { continue };
            if from < end + gap {
                tick.label = None;
            } else {
                end = to;
            }
        }
    }

    /// Labels with where they stand on the axis.
    pub fn labels(&self) -> impl Iterator<Item = (f64, &str)> {
        self.ticks.iter().filter_map(|t| Some((self.part(t.value), t.label.as_deref()?)))
    }
}
