//! What an engine does for a walk: the contract between languages and faces.

use crate::Trail;
use volvelle_diagnostics::{Diagnostic, Sources};
use volvelle_session::trace::{Change, VariableValue};

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

    /// A trail of this walk as the text of a file.
    fn trail_text(&self, trail: &Trail) -> String {
        trail.to_text()
    }
}

/// Something that is said about steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// What it is.
    pub field: Field,
    /// The head of its column.
    pub title: &'static str,
    /// Characters that it usually has.
    pub width: usize,
}

/// The kind of a [`Part`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// When the state behind the step was entered.
    Time,
    /// The action, in brackets: `[serve]`, and `[]` for a silent step.
    Action,
    /// The action as a label of a transition system.
    Label,
    /// Who moves.
    Actor,
    /// The line in the text of the model.
    Line,
    /// The text that is executed.
    Text,
}

/// A step in words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StepText {
    /// The action or label; empty if the step is silent, or the language has none.
    pub action: String,
    /// The modules or processes that move: `P(1)`, or `P(1) > Q(2)`.
    pub actor: String,
    /// Lines in the text of the model, one for each that moves.
    pub lines: Vec<usize>,
    /// What is executed.
    pub text: String,
}

impl StepText {
    /// Whether a user may mean this step by a name: its action, the gate of its label, its text, or one that moves, with or without its
    /// number. The empty name is that of a step that has no other.
    pub fn is_called(&self, name: &str) -> bool {
        let gate = self.action.split_whitespace().next().unwrap_or_default();
        let movers = self.actor.split([',', '>']).map(str::trim);
        let mut movers = movers.filter(|mover| !mover.is_empty());
        self.action == name
            || !name.is_empty()
                && (gate == name
                    || self.text == name
                    || movers.any(|mover| mover == name || mover.split('(').next() == Some(name)))
    }
}

/// A step that can be taken.
#[derive(Clone, Debug, PartialEq)]
pub struct Enabled {
    /// What it is.
    pub what: StepText,
    /// Its probability or rate, where steps have weights.
    pub weight: Option<f64>,
    /// What it would do.
    pub effect: Effect,
    /// The messages that it moves, where its text does not show them.
    pub messages: Vec<String>,
}

/// The effect of a step that was not taken.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// These changes, perhaps none.
    Changes(Vec<Change>),
    /// One of many outcomes, which are not listed.
    Random,
    /// It fails.
    Fails,
}

/// How probable steps are.
#[derive(Clone, Debug, PartialEq)]
pub enum Weights {
    /// So many steps, none more probable than another.
    Equal(usize),
    /// In proportion to these numbers.
    Of(Vec<f64>),
}

/// A step that was taken.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Taken {
    /// What it was.
    pub what: StepText,
    /// When the state behind it was entered, where times are drawn.
    pub time: Option<f64>,
    /// What it changed.
    pub changes: Vec<Change>,
    /// The messages that it moved, where its text does not show them.
    pub messages: Vec<String>,
    /// The text that it printed.
    pub printed: String,
    /// What is decided in the state behind it: a sentence for each property.
    pub decided: Vec<String>,
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

#[cfg(test)]
mod tests {
    use super::StepText;

    #[test]
    fn names_of_steps() {
        let label = StepText { action: "PUT !1 !TRUE".into(), ..StepText::default() };
        assert!(label.is_called("PUT") && label.is_called("PUT !1 !TRUE") && !label.is_called("!1"));
        let handshake = StepText { actor: "P(1) > Q(2)".into(), text: "c!1".into(), ..StepText::default() };
        for name in ["P", "P(1)", "Q", "Q(2)", "c!1", ""] {
            assert!(handshake.is_called(name), "{name}");
        }
        assert!(!handshake.is_called("P(2)") && !label.is_called(""));
    }
}
