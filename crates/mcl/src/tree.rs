//! Trees of formulas: three arenas, of action, regular and state formulas.
//!
//! Children stand before their parents in the arena, so that every pass is a loop. Conjunctions and the like hold all their
//! operands; the height of a tree is bounded by the parser.

use volvelle_diagnostics::Span;
use volvelle_labels::Pattern;

macro_rules! index {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub u32);

        impl $name {
            /// The place in the arena.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

index!(
    /// An action formula.
    ActionId
);
index!(
    /// A regular formula.
    RegularId
);
index!(
    /// A state formula.
    StateId
);
index!(
    /// A variable that a fixpoint binds.
    VariableId
);

/// A set of labels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// All labels.
    True,
    /// No label.
    False,
    /// The label with this text.
    Label(String, Span),
    /// The labels that match as a whole.
    Pattern(Pattern, Span),
    /// All labels but these.
    Not(ActionId),
    /// Labels in all of these.
    And(Vec<ActionId>),
    /// Labels in one of these.
    Or(Vec<ActionId>),
    /// Labels in the second if they are in the first.
    Implies(ActionId, ActionId),
    /// Labels in both or in neither.
    Equ(ActionId, ActionId),
}

/// A set of finite sequences of labels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Regular {
    /// One step.
    Action(ActionId),
    /// The empty sequence.
    Nil,
    /// One behind the other; at least two.
    Sequence(Vec<RegularId>),
    /// One of these; at least two.
    Choice(Vec<RegularId>),
    /// Any number of times.
    Star(RegularId),
    /// At least once.
    Plus(RegularId),
    /// Once or not at all.
    Optional(RegularId),
    /// From so many times to so many times, `None` without bound.
    Repeat(RegularId, u32, Option<u32>),
}

/// Least or greatest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fixpoint {
    /// `mu`
    Least,
    /// `nu`
    Greatest,
}

impl Fixpoint {
    /// The other one.
    #[must_use]
    pub fn dual(self) -> Self {
        match self {
            Fixpoint::Least => Fixpoint::Greatest,
            Fixpoint::Greatest => Fixpoint::Least,
        }
    }
}

/// A set of states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// All states.
    True,
    /// No state.
    False,
    /// States that are not in it.
    Not(StateId),
    /// States in all of these.
    And(Vec<StateId>),
    /// States in one of these.
    Or(Vec<StateId>),
    /// States in the second if they are in the first.
    Implies(StateId, StateId),
    /// States in both or in neither.
    Equ(StateId, StateId),
    /// `<R>F`: states from which some sequence of `R` leads to `F`.
    Diamond(RegularId, StateId),
    /// `[R]F`: states from which all sequences of `R` lead to `F`.
    Box(RegularId, StateId),
    /// `@(R)`: states from which sequences of `R` follow one another for ever, `nu X . <R> X`.
    Loop(RegularId),
    /// The states of a variable, and where it is used.
    Variable(VariableId, Span),
    /// The least or greatest solution of `X = F`.
    Fix(Fixpoint, VariableId, StateId),
}

/// A variable as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Its name; several variables may have the same.
    pub name: String,
    /// Where it is bound.
    pub span: Span,
}

/// A closed state formula, with macros expanded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Formula {
    pub(crate) actions: Vec<Action>,
    pub(crate) regulars: Vec<Regular>,
    pub(crate) states: Vec<State>,
    pub(crate) variables: Vec<Variable>,
    pub(crate) root: StateId,
}

impl Formula {
    /// The whole formula.
    pub fn root(&self) -> StateId {
        self.root
    }

    /// An action formula.
    pub fn action(&self, id: ActionId) -> &Action {
        &self.actions[id.index()]
    }

    /// A regular formula.
    pub fn regular(&self, id: RegularId) -> &Regular {
        &self.regulars[id.index()]
    }

    /// A state formula.
    pub fn state(&self, id: StateId) -> &State {
        &self.states[id.index()]
    }

    /// A variable.
    pub fn variable(&self, id: VariableId) -> &Variable {
        &self.variables[id.index()]
    }

    /// How many variables there are; their numbers begin at 0.
    pub fn num_variables(&self) -> usize {
        self.variables.len()
    }

    /// All action formulas, children before parents.
    pub fn actions(&self) -> &[Action] {
        &self.actions
    }

    /// Whether a label is in an action formula's set, for all action formulas: by number.
    pub fn matches(&self, label: &str) -> Vec<bool> {
        let mut found: Vec<bool> = Vec::with_capacity(self.actions.len());
        for action in &self.actions {
            let of = |id: ActionId| found[id.index()];
            let matches = match action {
                Action::True => true,
                Action::False => false,
                Action::Label(text, _) => text == label,
                Action::Pattern(pattern, _) => pattern.matches(label),
                Action::Not(a) => !of(*a),
                Action::And(list) => list.iter().all(|a| of(*a)),
                Action::Or(list) => list.iter().any(|a| of(*a)),
                Action::Implies(a, b) => !of(*a) || of(*b),
                Action::Equ(a, b) => of(*a) == of(*b),
            };
            found.push(matches);
        }
        found
    }
}
