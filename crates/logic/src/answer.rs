//! Answers: a value, how far it can be trusted, and why the engine stopped.

use crate::ratio::Ratio;
use serde::{Deserialize, Serialize};

/// A value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Value {
    /// Truth.
    Bool(bool),
    /// A number; may be infinite, never NaN.
    Number(f64),
    /// An interval: `filter(range, …)`.
    Interval(f64, f64),
    /// A set of states, by number, with the value of each: `filter(print, …)` and the like.
    States(Vec<(u32, FormulaValue)>),
    /// A Pareto curve: the corners of what schedulers can achieve, one number per objective in its order.
    Pareto(Vec<Vec<f64>>),
}

/// The value of a formula in a state.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum FormulaValue {
    /// It holds, or does not.
    Truth(bool),
    /// A number between these bounds.
    Bounds([f64; 2]),
}

impl FormulaValue {
    /// A number within the bounds: the middle, or the finite end where one is infinite; 1 for what holds, else 0.
    pub fn middle(self) -> f64 {
        match self {
            FormulaValue::Truth(truth) => f64::from(u8::from(truth)),
            FormulaValue::Bounds([lo, hi]) if lo == hi => lo,
            FormulaValue::Bounds([lo, hi]) if lo.is_finite() && hi.is_finite() => lo + 0.5 * (hi - lo),
            FormulaValue::Bounds([lo, hi]) => {
                if lo.is_finite() {
                    lo
                } else {
                    hi
                }
            }
        }
    }
}

/// The guarantee that comes with a value. Only [`crate::gate`] makes those with bounds; elsewhere they are matched with `..`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Guarantee {
    /// The value itself, up to the rounding of its printed form.
    #[non_exhaustive]
    Exact,
    /// The true value lies in `lo..=hi`, rounding of the arithmetic included. For a list of states: the true
    /// values of all of them do.
    #[non_exhaustive]
    Sound {
        /// Lower bound.
        lo: f64,
        /// Upper bound.
        hi: f64,
    },
    /// For a Pareto curve: every point and every mix of points is achieved by a scheduler, up to the precision; and
    /// what schedulers achieve is nowhere better than some mix by more than the precision, which is given for
    /// each objective.
    Within {
        /// For each objective.
        precision: Vec<f64>,
    },
    /// No bound: an iterative method stopped at a difference of `epsilon` between iterates.
    Approximate {
        /// The difference.
        epsilon: f64,
    },
    /// From samples: the mean lies in the interval, except with a probability of `1 - confidence` that the samples mislead.
    #[non_exhaustive]
    Statistical {
        /// The interval; `None` where the samples give none: all of them were equal, or infinite.
        interval: Option<[f64; 2]>,
        /// Probability that an interval made this way holds the mean.
        confidence: f64,
        /// Number of samples.
        samples: u64,
    },
    /// For a truth value: nothing to the contrary was found, but not everything was looked at.
    Partial {
        /// The probability that a state was overlooked, about, where it is known.
        omission: Option<f64>,
    },
}

impl Guarantee {
    /// The interval that contains the value, with certainty or with some confidence.
    pub fn interval(&self) -> Option<[f64; 2]> {
        match *self {
            Guarantee::Sound { lo, hi } => Some([lo, hi]),
            Guarantee::Statistical { interval, .. } => interval,
            _ => None,
        }
    }
}

/// The reason why an engine stopped, in increasing order of importance: of several reasons the greatest is reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum StopReason {
    /// A graph algorithm or direct solver came to its end.
    Computed,
    /// All steps that the time or step bound asks for were done.
    StepsDone,
    /// There were as many samples as wanted.
    SamplesDone,
    /// The bounds met within the precision requested.
    Converged,
    /// A steady state was recognised, with a bound on the error that this adds.
    SteadyState,
    /// The limit on iterations was reached: the bounds are as far as it got.
    IterationLimit,
    /// A search came to states at its limit of depth: what follows them was not visited.
    DepthLimit,
    /// A limit on time, or the user, stopped the work: the bounds are as far as it got.
    Interrupted,
    /// Two iterates differed by little; there are no bounds.
    SmallChange,
    /// One step changed little, which was mistaken for the steady state; there are no bounds.
    SteadyStateTest,
    /// The limit on iterations was reached before two iterates differed by little; there are no bounds.
    SmallChangeMissed,
}

impl StopReason {
    /// Its name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            StopReason::Computed => "computed",
            StopReason::Converged => "converged",
            StopReason::StepsDone => "steps-done",
            StopReason::SamplesDone => "samples-done",
            StopReason::SteadyState => "steady-state",
            StopReason::IterationLimit => "iteration-limit",
            StopReason::DepthLimit => "depth-limit",
            StopReason::Interrupted => "interrupted",
            StopReason::SmallChange => "small-change",
            StopReason::SmallChangeMissed => "iteration-limit-no-bounds",
            StopReason::SteadyStateTest => "steady-state-test",
        }
    }

    /// Whether an answer that ended so has bounds.
    pub fn is_sound(self) -> bool {
        use StopReason::*;
        !matches!(self, SmallChange | SmallChangeMissed | SteadyStateTest)
    }
}

/// The answer of an engine to a property, at the initial state or after the filter of the property.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// The value.
    pub value: Value,
    /// For a number: how far it can be trusted. For a truth value that compares a number with a
    /// threshold: the guarantee of that number.
    pub guarantee: Guarantee,
    /// For a truth value that compares a number with a threshold: that number.
    pub compared: Option<f64>,
    /// The numbers of `value` (or else `compared`) in rational arithmetic, in their order; empty where only
    /// doubles are known.
    pub exact: Vec<Ratio>,
    /// Method, for users and JSON: `interval iteration`, `uniformisation (1.1e6 steps)`, …
    pub method: String,
    /// The reason why it stopped.
    pub stop: StopReason,
    /// For a set of states: the value of the property in the initial states, as without the list.
    pub initially: Option<Box<Answer>>,
}
