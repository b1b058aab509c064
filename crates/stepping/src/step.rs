//! Steps of walks: what they are in words, what they do, how probable they are.

use volvelle_diagnostics::Span;
use volvelle_session::trace::Change;

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
    /// The sum of weights so far.
    Total,
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
    /// Whether a scheduler takes the step.
    Scheduler,
}

impl Field {
    /// Whether it is said of steps that were taken.
    pub fn is_of_taken(self) -> bool {
        self != Field::Scheduler
    }

    /// Whether it is said of steps that can be taken.
    pub fn is_of_enabled(self) -> bool {
        !matches!(self, Field::Time | Field::Total)
    }
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
    /// The places of these lines, where the text is known.
    pub places: Vec<Span>,
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
    /// Whether it is one that the scheduler takes, rather than another.
    pub is_scheduled: bool,
}

/// The effect of a step that was not taken.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// These changes, perhaps none.
    Changes(Vec<Change>),
    /// It leads to another state, which differs in nothing that is listed.
    Elsewhere,
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
    /// The sum of the weights so far, where steps are weighed.
    pub total: String,
    /// What it changed.
    pub changes: Vec<Change>,
    /// The messages that it moved, where its text does not show them.
    pub messages: Vec<String>,
    /// The text that it printed.
    pub printed: String,
    /// What is decided in the state behind it: a sentence for each property.
    pub decided: Vec<String>,
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
