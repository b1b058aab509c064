//! What an engine does for a walk: the contract between languages and faces.

use crate::{Enabled, Part, Taken, Trail, Weights};
use std::path::Path;
use volvelle_diagnostics::{Diagnostic, Sources};
use volvelle_session::trace::VariableValue;

/// A walk through the states of a model. It stands in a state; steps lead to the next.
///
/// The steps of a state are numbered from 0, and have the same numbers whenever the walk returns to it: a walk is the sequence of its
/// choices.
pub trait Walk {
    /// The texts that diagnostics are about.
    fn sources(&self) -> &Sources;

    /// The name of the model's file.
    fn file(&self) -> &str;

    /// What else a title says: `DTMC`.
    fn about(&self) -> Vec<String>;

    /// What there is to say about a step, in the order in which it is shown.
    fn parts(&self) -> Vec<Part>;

    /// What the weights of steps are: `probability` or `rate`. `None`: steps have no weights.
    fn weight(&self) -> Option<&'static str> {
        None
    }

    /// How the walk begins: the initial state, as if a step led to it. Its changes are all values.
    fn beginning(&self) -> Taken;

    /// The steps that can be taken; none where the walk [ends](Self::end).
    ///
    /// # Errors
    /// They cannot be evaluated.
    fn enabled(&mut self) -> Result<Vec<Enabled>, Diagnostic>;

    /// How probable each of these steps is, which costs less than to describe them.
    ///
    /// # Errors
    /// They cannot be evaluated.
    fn weights(&mut self) -> Result<Weights, Diagnostic>;

    /// Takes a step. Where that fails, the walk stays where it is.
    ///
    /// # Errors
    /// The step fails, or does not exist.
    fn take(&mut self, step: usize) -> Result<Taken, Diagnostic>;

    /// Returns to the state behind so many steps, at most those that were taken.
    ///
    /// # Errors
    /// The walk cannot be repeated, which no engine should say.
    fn back_to(&mut self, steps: usize) -> Result<(), Diagnostic>;

    /// Everything that makes the state, by name.
    fn state(&mut self) -> Vec<Variable>;

    /// Why no step leads on; `None` if one does.
    fn end(&mut self) -> Option<End>;

    /// Reads a condition on states in the language of the model, and gives its number.
    ///
    /// # Errors
    /// It cannot be understood.
    fn condition(&mut self, text: &str) -> Result<usize, Misread>;

    /// Whether a condition holds in the state.
    ///
    /// # Errors
    /// It cannot be evaluated.
    fn holds(&mut self, condition: usize) -> Result<bool, Diagnostic>;

    /// Reads the text of a file with a trail.
    ///
    /// # Errors
    /// It is none, or that of another model.
    fn read_trail(&self, name: &str, text: &str) -> Result<Trail, Diagnostic> {
        Trail::read(name, text)
    }

    /// A trail of this walk as the text of a file with this name.
    ///
    /// # Errors
    /// The name asks for a format in which the trail cannot be written.
    fn trail_text(&self, _file: &Path, trail: &Trail) -> Result<String, Diagnostic> {
        Ok(trail.to_text())
    }
}

/// A part of the state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// What it is called.
    pub name: String,
    /// Its value.
    pub value: VariableValue,
}

/// Why a walk goes no further.
#[derive(Clone, Debug, PartialEq)]
pub struct End {
    /// In a few words: `no transition is enabled`.
    pub message: String,
    /// The errors in which it ended.
    pub faults: Vec<Diagnostic>,
}

/// A condition that cannot be understood.
#[derive(Clone, Debug)]
pub struct Misread {
    /// Why.
    pub diagnostics: Vec<Diagnostic>,
    /// The texts that these are about.
    pub sources: Sources,
}

impl From<Diagnostic> for Misread {
    fn from(diagnostic: Diagnostic) -> Self {
        Misread { diagnostics: vec![diagnostic], sources: Sources::new() }
    }
}
