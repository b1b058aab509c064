//! Numbers with bounds for all states.

use volvelle_logic::StopReason;
use volvelle_logic::gate::Range;
use volvelle_space::BitSet;

use crate::context::Context;
use crate::error::CheckError;
use crate::rounding::{above, below};

/// Bounds of a number for every state, with the method that gave them.
#[derive(Clone, Debug, PartialEq)]
pub struct Numbers {
    /// Lower and upper bound per state; equal where the value is known exactly.
    pub bounds: Vec<[f64; 2]>,
    /// The method, for users.
    pub method: String,
    /// The reason why the engine stopped.
    pub stop: StopReason,
}

impl Numbers {
    /// Values that are known exactly, from a graph algorithm.
    pub fn exact(values: impl Iterator<Item = f64>, method: &str) -> Self {
        Numbers {
            bounds: values.map(|v| [v, v]).collect(),
            method: method.to_string(),
            stop: StopReason::Computed,
        }
    }

    /// One for members, zero for others.
    pub fn indicator(set: &BitSet) -> Self {
        Numbers::exact((0..set.len()).map(|s| f64::from(u8::from(set.contains(s)))), "graph analysis")
    }

    /// The numbers as they leave the engine: those with a flaw are anything in their range.
    #[must_use]
    pub fn admitted(mut self, range: Range) -> Self {
        if range.admit_all(&mut self.bounds) > 0 {
            self.method.push_str("; some numbers left the range of doubles, and have no bounds");
        }
        self
    }

    /// The numbers, none of them larger than another one, which is computed only where these are not as precise as requested.
    pub fn at_most(
        mut self,
        context: &Context,
        larger: impl FnOnce() -> Result<Numbers, CheckError>,
    ) -> Result<Self, CheckError> {
        let accepts = |b: &[f64; 2]| context.options.accepts(b[0], b[1]);
        if self.stop == StopReason::StepsDone && !self.bounds.iter().all(accepts) {
            for (b, larger) in self.bounds.iter_mut().zip(larger()?.bounds) {
                b[1] = b[1].min(larger[1]).max(b[0]);
            }
        }
        Ok(self)
    }

    /// Numbers that are not negative, moved outwards by a relative error.
    #[must_use]
    pub fn widened(mut self, relative: f64) -> Self {
        if relative > 0.0 {
            for b in &mut self.bounds {
                let lo = if b[0] == f64::INFINITY { b[0] } else { below(b[0], relative) };
                *b = [lo, if b[1] > 0.0 { above(b[1], relative) } else { b[1] }];
            }
        }
        self
    }

    /// `1 - x` for probabilities.
    #[must_use]
    pub fn complement(mut self) -> Self {
        for b in &mut self.bounds {
            *b = if b[0] == b[1] && (b[0] == 0.0 || b[0] == 1.0) {
                [1.0 - b[0], 1.0 - b[0]]
            } else {
                [(1.0 - b[1]).next_down().clamp(0.0, 1.0), (1.0 - b[0]).next_up().clamp(0.0, 1.0)]
            };
        }
        self
    }
}
