//! Options of analyses.

use crate::rounding::INPUT;

/// The method by which systems of equations are solved.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub enum Method {
    /// State elimination where it is cheap, verified iteration elsewhere, policy iteration where that
    /// is slow.
    #[default]
    Auto,
    /// Verified iteration only.
    Iteration,
    /// State elimination only (MDPs: policy iteration).
    Elimination,
    /// A textbook method, whose result has no bound of its error.
    Classical(Classical),
}

/// Methods that stop when two iterates differ by little.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Classical {
    /// All entries from those of the last iterate: value iteration, the power method.
    Jacobi,
    /// The method above with over-relaxation, by this factor.
    Jor(f64),
    /// Each entry from the newest values.
    GaussSeidel,
    /// The method above with over-relaxation, by this factor.
    Sor(f64),
    /// Policy iteration; for chains as Gauss–Seidel.
    PolicyIteration,
}

impl Classical {
    /// Its name in the literature.
    pub fn name(self) -> &'static str {
        match self {
            Classical::Jacobi => "Jacobi",
            Classical::Jor(_) => "JOR",
            Classical::GaussSeidel => "Gauss-Seidel",
            Classical::Sor(_) => "SOR",
            Classical::PolicyIteration => "policies",
        }
    }
}

/// How a computation used the method that was asked for ([`Method`]), in increasing order of importance: of several uses the
/// greatest is reported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum MethodUse {
    /// There was nothing to use it for: graph analysis, or substitution without circles, gave the values.
    #[default]
    NotNeeded,
    /// Steps up to a bound were made one by one: no equations were solved.
    StepByStep,
    /// Equations were solved by it.
    Used,
    /// Equations were solved by another method.
    Replaced,
}

/// The detection of steady states in transient analysis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Detection {
    /// Where bounds show that the rest is known precisely enough.
    #[default]
    Sound,
    /// As PRISM does: when one step changes no entry by more than an eighth of epsilon. On models where one
    /// step is short against the time in which they change, the result is wrong.
    Prism,
    /// Never.
    Off,
}

/// The use of bisimulation: whether equivalent states are merged first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Bisimulation {
    /// Where transient analysis takes very many steps.
    #[default]
    Auto,
    /// Always.
    Strong,
    /// Never.
    Off,
}

/// Options of the numerical engine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// Width of the interval `lo..=hi` that is requested.
    pub precision: f64,
    /// Whether `precision` is relative to the value.
    pub relative: bool,
    /// Sweeps that an iterative solver may make over one component.
    pub max_iterations: u64,
    /// The method by which systems of equations are solved.
    pub method: Method,
    /// Steady-state detection.
    pub detection: Detection,
    /// Difference of iterates at which classical methods stop; relative or absolute as `relative` says.
    pub epsilon: f64,
    /// Whether equivalent states are merged first.
    pub bisimulation: Bisimulation,
    /// Largest relative error of the probabilities or rates of the space; never below two units of roundoff.
    pub input: f64,
    /// Whether the probabilities or rates of the space are those of the model, without any error.
    pub exact_input: bool,
    /// Largest error of a numeric observation, relative to it and in addition absolute; zeros: they are exact.
    pub number_error: [f64; 2],
}

impl Default for Options {
    fn default() -> Self {
        Options {
            precision: 1e-6,
            relative: true,
            max_iterations: 1_000_000,
            method: Method::Auto,
            detection: Detection::Sound,
            epsilon: 1e-6,
            bisimulation: Bisimulation::Auto,
            input: INPUT,
            exact_input: false,
            number_error: [0.0; 2],
        }
    }
}

impl Options {
    /// For a space whose probabilities or rates have this relative error.
    #[must_use]
    pub fn with_input(self, error: f64) -> Self {
        let input = if error.is_nan() { f64::INFINITY } else { error.max(INPUT) };
        Options { input, exact_input: false, ..self }
    }

    /// The part of the relative error of probabilities and rates that is more than usual.
    #[inline]
    pub fn excess(&self) -> f64 {
        self.input - INPUT
    }

    /// Whether an interval is as narrow as requested.
    #[inline]
    pub fn accepts(&self, lo: f64, hi: f64) -> bool {
        // Below 1e-280 there is only underflow.
        if lo == hi || (lo == 0.0 && (0.0..=1e-280).contains(&hi)) {
            return true;
        }
        lo <= hi && hi - lo <= self.tolerance(lo, hi)
    }

    /// The width that is requested of an interval with about these ends.
    #[inline]
    pub fn tolerance(&self, lo: f64, hi: f64) -> f64 {
        self.precision * if self.relative { lo.abs().min(hi.abs()) } else { 1.0 }
    }
}
