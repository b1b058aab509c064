//! Up to where a walk goes on by itself.

use crate::{Misread, Taken, Walk};
use volvelle_diagnostics::Diagnostic;

/// What ends a random walk: a condition on a state, or a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Goal {
    /// Behind the first step with this name.
    Step(String),
    /// In the first state in which the condition with this number holds.
    Condition(usize),
}

impl Goal {
    /// Reads a goal: `[serve]` is a step, anything else a condition in the language of the model.
    ///
    /// # Errors
    /// The condition cannot be understood.
    pub fn read(text: &str, walk: &mut dyn Walk) -> Result<Self, Misread> {
        let text = text.trim();
        match text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            // `[] (x < 4)` is a formula, and ends otherwise.
            Some(name) if !name.contains(']') => Ok(Goal::Step(name.trim().to_owned())),
            _ => walk.condition(text).map(Goal::Condition),
        }
    }

    /// Whether it is reached by a step.
    ///
    /// # Errors
    /// The condition cannot be evaluated.
    pub fn is_reached(&self, taken: &Taken, walk: &mut dyn Walk) -> Result<bool, Diagnostic> {
        match self {
            Goal::Step(name) => Ok(taken.what.is_called(name)),
            Goal::Condition(condition) => walk.holds(*condition),
        }
    }
}
