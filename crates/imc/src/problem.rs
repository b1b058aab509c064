//! The reasons why a chain cannot be analysed, with the run that shows each.

use volvelle_markov::CheckError;

/// A run from the initial state: labels (by number in the system) and the states that they lead to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trace {
    /// Its steps; none if the run ends in the initial state.
    pub steps: Vec<(u32, u32)>,
}

/// One of several ways to leave a state.
#[derive(Clone, Debug, PartialEq)]
pub struct Alternative {
    /// The labels (by number in the system) of its transitions, with their target states. There is one
    /// transition, or several with probabilities.
    pub first: Vec<(u32, u32)>,
    /// The states in which time passes next, with their probabilities; empty if these depend on later
    /// choices.
    pub reaches: Vec<(u32, f64)>,
    /// Expected counts of the actions that happen on the way there.
    pub counts: Vec<(String, f64)>,
}

/// The reason why a chain cannot be analysed. States and labels are numbers of the system.
#[derive(Clone, Debug, PartialEq)]
pub enum Problem {
    /// The number of a rate or probability cannot be read.
    UnreadableNumber {
        /// The label.
        label: u32,
        /// The number, as written.
        text: String,
    },
    /// A rate that is not positive, or a probability that is not positive, or above 1.
    OutOfRange {
        /// The label.
        label: u32,
        /// The number, as written or as given for a name.
        text: String,
        /// Whether it is a rate.
        is_rate: bool,
    },
    /// A rate has a name that has no value.
    NoValue {
        /// The label.
        label: u32,
        /// The name.
        name: String,
    },
    /// A value is given for a name that no rate has.
    UnknownName {
        /// The name.
        name: String,
        /// The names that rates have.
        known: Vec<String>,
    },
    /// An action to be measured or reached that no label has.
    UnknownAction {
        /// The action.
        name: String,
        /// The actions of the labels.
        known: Vec<String>,
    },
    /// A state to be reached that the system does not have.
    UnknownState {
        /// The state.
        state: u32,
    },
    /// The probabilities of a state sum to more than one.
    ProbabilitySum {
        /// The state.
        state: u32,
        /// The sum.
        sum: f64,
        /// A shortest run to the state.
        trace: Trace,
    },
    /// Infinitely many steps in no time: a cycle of immediate transitions that cannot be left.
    Zeno {
        /// A state of the cycle.
        state: u32,
        /// A shortest run to that state.
        trace: Trace,
        /// A run from that state back to it.
        cycle: Trace,
    },
    /// Several immediate transitions without probabilities, where it matters which one is taken.
    Nondeterministic {
        /// The state.
        state: u32,
        /// A shortest run to the state.
        trace: Trace,
        /// The ways out of the state.
        alternatives: Vec<Alternative>,
    },
    /// Too many ways to resolve the choices between two passages of time.
    TooManyResolutions {
        /// A state with that many.
        state: u32,
        /// The limit of resolutions that are analysed.
        limit: usize,
    },
    /// A choice that matters lies on a cycle of immediate transitions.
    ChoiceOnCycle {
        /// The state.
        state: u32,
        /// A shortest run to the state.
        trace: Trace,
        /// The ways out of the state.
        alternatives: Vec<Alternative>,
    },
    /// The system has too many states, or other data are too large.
    TooLarge {
        /// The data that are too large.
        what: String,
    },
    /// The analysis needs a Markov chain, but there are choices that matter.
    NeedsResolution {
        /// The analysis.
        what: &'static str,
    },
    /// The numerical analysis has no result.
    Check(CheckError),
}

impl From<CheckError> for Problem {
    fn from(error: CheckError) -> Self {
        Problem::Check(error)
    }
}

impl From<volvelle_control::Stop> for Problem {
    fn from(stop: volvelle_control::Stop) -> Self {
        Problem::Check(CheckError::Limit(stop))
    }
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Problem::UnreadableNumber { text, .. } => write!(f, "`{text}` is no number"),
            Problem::OutOfRange { text, is_rate: true, .. } => write!(f, "the rate {text} is not positive"),
            Problem::OutOfRange { text, .. } => {
                write!(f, "the probability {text} is not above 0 and at most 1")
            }
            Problem::NoValue { name, .. } => write!(f, "the rate `{name}` has no value"),
            Problem::UnknownName { name, .. } => write!(f, "no rate is named `{name}`"),
            Problem::UnknownAction { name, .. } => write!(f, "no label has the action `{name}`"),
            Problem::UnknownState { state } => write!(f, "there is no state {state}"),
            Problem::ProbabilitySum { state, sum, .. } => {
                write!(f, "the probabilities of state {state} sum to {sum}")
            }
            Problem::Zeno { state, .. } => {
                write!(f, "from state {state} immediate steps go on for ever, so that time never passes")
            }
            Problem::Nondeterministic { state, .. } => {
                write!(f, "it matters which immediate step state {state} takes")
            }
            Problem::TooManyResolutions { state, limit } => {
                write!(f, "there are more than {limit} ways to resolve the choices from state {state}")
            }
            Problem::ChoiceOnCycle { state, .. } => {
                write!(f, "state {state} has a choice that matters, on a cycle of immediate steps")
            }
            Problem::TooLarge { what } => write!(f, "too many {what}"),
            Problem::NeedsResolution { what } => write!(f, "{what} is not bounded over schedulers"),
            Problem::Check(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Problem {}
