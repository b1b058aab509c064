//! Steps of a derivation: which rules and functions were applied to what, and how each ended. Recorded where somebody asks.
//!
//! They lie in the order in which they began, each with the number of the step behind its last premise: a derivation of any depth is a
//! row. What fails is there, too, since an alternative that holds is the first one for a reason.

use crate::ir::{FunctionId, JudgmentId, RoutineId};
use crate::value::Value;

/// What a step is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum About {
    /// A judgment. The first value of its step is the environment, then come the inputs.
    Judgment(JudgmentId),
    /// A function. The values of its step are the arguments.
    Function(FunctionId),
}

/// How a step ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It did not yet.
    Open,
    /// It holds; the results are here among all values.
    Holds(u32, u32),
    /// It fails.
    Fails,
}

/// An application of a rule or of the body of a function, or a result that was known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// What is applied.
    pub routine: RoutineId,
    /// What it is about.
    pub about: About,
    /// Where that to which it is applied is, among all values.
    pub inputs: (u32, u32),
    /// How it ended.
    pub verdict: Verdict,
    /// Whether the result was known.
    pub cached: bool,
    /// The number of the step behind its last premise.
    pub end: u32,
}

/// Steps, and the values that they name.
#[derive(Clone, Debug, Default)]
pub(crate) struct Steps {
    pub(crate) steps: Vec<Step>,
    pub(crate) values: Vec<Value>,
    /// Steps that have begun.
    pub(crate) open: Vec<u32>,
    /// Frames that are no premises: texts of values, conditions, what is said about failures.
    pub(crate) silent: u32,
}

impl Steps {
    pub(crate) fn bytes(&self) -> usize {
        self.steps.capacity() * size_of::<Step>() + self.values.capacity() * 8 + self.open.capacity() * 4
    }

    pub(crate) fn add(&mut self, values: &[Value]) -> (u32, u32) {
        let first = self.values.len() as u32;
        self.values.extend_from_slice(values);
        (first, self.values.len() as u32)
    }
}
