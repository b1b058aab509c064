//! Walks in files: the choices that were made, each with what identifies its step in words.
//!
//! The words make a file of a changed model visible: a choice that has another meaning there is refused.

use crate::StepText;
use serde::{Deserialize, Serialize};
use volvelle_diagnostics::{Diagnostic, codes};

/// Version of the shape.
const VERSION: u32 = 1;

/// A walk from the initial state.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trail {
    /// Version of the shape.
    #[serde(rename = "walk")]
    pub version: u32,
    /// Name of the model's file.
    pub model: String,
    /// Seed of the times that the walk draws, and of outcomes that no choice determines.
    pub seed: u64,
    /// Step by step.
    pub steps: Vec<SavedStep>,
    /// The step, from 0, to whose beginning the last one leads back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cycle_start: Option<usize>,
}

/// A step of a trail.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedStep {
    /// Which of the steps of its state, from 0.
    pub choice: usize,
    /// The action or label.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub action: String,
    /// Who moves.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub actor: String,
    /// The line of the first that moves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// What is executed.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
}

impl SavedStep {
    /// A choice, and what it is.
    pub fn of(choice: usize, what: &StepText) -> Self {
        SavedStep {
            choice,
            action: what.action.clone(),
            actor: what.actor.clone(),
            line: what.lines.first().copied(),
            text: what.text.clone(),
        }
    }

    /// Whether a step is this one. Its line may be another: a comment before it changes no step. Who moves need not be said.
    pub fn is(&self, what: &StepText) -> bool {
        let is_moved_by = self.actor.is_empty() || self.actor == what.actor;
        self.action == what.action && is_moved_by && self.text == what.text
    }
}

impl Trail {
    /// A trail of this version.
    pub fn new(model: &str, seed: u64, steps: Vec<SavedStep>) -> Self {
        Trail { version: VERSION, model: model.to_owned(), seed, steps, cycle_start: None }
    }

    /// As the text of a file.
    pub fn to_text(&self) -> String {
        // Nothing in the shape can fail: there are only texts and numbers.
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// Reads the text of a file.
    ///
    /// # Errors
    /// It is none, or one of another version.
    pub fn read(name: &str, text: &str) -> Result<Self, Diagnostic> {
        let bad = |why: String| {
            mismatch(format!("`{name}` is not a trail: {why}"))
                .help("`save FILE` in `volvelle step MODEL` writes one")
        };
        let found: Trail = serde_json::from_str(text).map_err(|error| bad(error.to_string()))?;
        match found.version {
            VERSION => Ok(found),
            other => Err(bad(format!("its version is {other}, but only version {VERSION} is supported"))),
        }
    }
}

/// A trail that does not fit, or is none.
pub fn mismatch(message: impl Into<String>) -> Diagnostic {
    Diagnostic::error(codes::TRAIL_MISMATCH, message)
}

#[cfg(test)]
mod tests {
    use super::{SavedStep, StepText, Trail};

    #[test]
    fn texts_are_read_back() {
        let what = StepText { action: "go".into(), lines: vec![7], ..StepText::default() };
        let trail = Trail::new("m.prism", 3, vec![SavedStep::of(1, &what)]);
        assert_eq!(Trail::read("t.json", &trail.to_text()).as_ref(), Ok(&trail));
        assert!(trail.steps[0].is(&StepText { lines: vec![9], ..what.clone() }));
        assert!(!trail.steps[0].is(&StepText { action: "stop".into(), ..what }));
        for bad in ["", "{}", "[1]", "{\"walk\": 2, \"model\": \"\", \"seed\": 1, \"steps\": []}"] {
            assert!(Trail::read("t.json", bad).is_err(), "{bad}");
        }
    }
}
