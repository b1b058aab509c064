//! What an engine does for a walk: the contract between languages and faces.

use crate::{Enabled, Part, Taken, Trail, Weights};
use std::path::Path;
use volvelle_diagnostics::{Diagnostic, Sources, Span};
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

    /// The value of an expression in the state; `None` where the language has conditions only.
    fn value(&mut self, _text: &str) -> Option<Result<VariableValue, Misread>> {
        None
    }

    /// Whether a condition holds in the state.
    ///
    /// # Errors
    /// It cannot be evaluated.
    fn holds(&mut self, condition: usize) -> Result<bool, Diagnostic>;

    /// Those that take part, in the order of their numbers: processes, or modules. None where the language has no such.
    fn parties(&mut self) -> Vec<Party> {
        Vec::new()
    }

    /// All places at which a step may be written.
    fn step_places(&self) -> Vec<Span> {
        Vec::new()
    }

    /// Whose a part of the [state](Self::state) is.
    fn owner(&self, _variable: &str) -> Owner {
        Owner::All
    }

    /// The step that chance takes, where the walk is along a path of its own; `None` where it is drawn by [weights](Self::weights).
    ///
    /// # Errors
    /// It cannot be drawn.
    fn drawn(&mut self) -> Result<Option<usize>, Diagnostic> {
        Ok(None)
    }

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

/// One that takes part in steps: a process, or a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Party {
    /// Tells it from others for as long as it is there.
    pub number: usize,
    /// What steps call it: `P(1)`.
    pub name: String,
    /// Where it is in the text.
    pub place: Option<Span>,
    /// What stands there.
    pub text: String,
    /// The inlines and macros that brought that there, innermost first, with the places of their calls.
    pub through: Vec<(String, Span)>,
    /// Whether it stands there until it moves. Otherwise the place is that of one of several steps that it may take.
    pub waits: bool,
}

/// Whose a variable is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Owner {
    /// It belongs to one of the parties, by whose name it is called so.
    Party {
        /// The name of the party.
        party: String,
        /// What the party calls it.
        name: String,
    },
    /// Nobody's, or everybody's.
    All,
    /// It says what is known of a property, and is no part of the model.
    Property,
}

/// Why a walk goes no further.
#[derive(Clone, Debug, PartialEq)]
pub struct End {
    /// In a few words: `no transition is enabled`.
    pub message: String,
    /// The errors in which it ended.
    pub faults: Vec<Diagnostic>,
    /// Whether nothing can move, and that is no end that the model is to have.
    pub is_deadlock: bool,
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
