//! What a caller may choose.

/// How systems of equations are solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Method {
    /// State elimination where it is cheap, verified iteration elsewhere, policy iteration where that
    /// is slow.
    #[default]
    Auto,
    /// Verified iteration only.
    Iteration,
    /// State elimination only (MDPs: policy iteration).
    Elimination,
}

/// Options of the numerical engine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// Width of the interval `lo..=hi` that is asked for.
    pub precision: f64,
    /// Whether `precision` is relative to the value.
    pub relative: bool,
    /// Sweeps that an iterative solver may make over one component.
    pub max_iterations: u64,
    /// How systems of equations are solved.
    pub method: Method,
}

impl Default for Options {
    fn default() -> Self {
        Options { precision: 1e-6, relative: true, max_iterations: 1_000_000, method: Method::Auto }
    }
}

impl Options {
    /// Whether an interval is as narrow as asked.
    pub fn accepts(&self, lo: f64, hi: f64) -> bool {
        // Below 1e-280 there is only underflow.
        if lo == hi || (lo == 0.0 && hi <= 1e-280) {
            return true;
        }
        let scale = if self.relative { lo.abs().min(hi.abs()) } else { 1.0 };
        hi - lo <= self.precision * scale
    }
}
