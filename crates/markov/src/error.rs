//! The reasons why a property has no answer.

use volvelle_control::Stop;

/// The reason why a property has no answer. The caller turns it into a diagnostic.
#[derive(Clone, Debug, PartialEq)]
pub enum CheckError {
    /// The engine does not evaluate this construct yet.
    NotYetEvaluated {
        /// The construct, e.g. `nested path operators`.
        what: String,
    },
    /// The construct has no meaning for this kind of model.
    WrongKind {
        /// The construct.
        what: String,
        /// Upper-case name of the kind.
        kind: &'static str,
    },
    /// `P=?` on an MDP: minimum or maximum must be said.
    NeedsOptimum,
    /// `filter(state, …)` over more than one state.
    SeveralStates {
        /// Number of states.
        count: usize,
    },
    /// A filter whose set is empty.
    EmptyFilter,
    /// A truth value where a number is needed, or the other way round.
    TypeMismatch {
        /// The type that was expected, and where.
        what: String,
    },
    /// The property refers to an observation that the state space does not carry.
    MissingObservation {
        /// The observation.
        what: String,
    },
    /// A negative reward where rewards must not be negative.
    NegativeReward {
        /// The name of the reward structure.
        rewards: String,
        /// A state that has it.
        state: u32,
        /// The reward.
        value: f64,
    },
    /// A reward, probability or rate that is no finite number.
    NotFinite {
        /// The place.
        what: String,
    },
    /// A time or step bound that makes no sense.
    BadBound {
        /// The mistake, for users.
        what: String,
    },
    /// A computation on numbers has no result, such as 0/0 or infinity minus infinity.
    Undefined {
        /// The operation.
        what: String,
    },
    /// A number could not be separated from the number that it is compared with.
    CannotDecide {
        /// A state where this is so.
        state: u32,
        /// Lower bound of the difference to the threshold's side: the number lies in `lo..=hi` …
        lo: f64,
        /// … and the threshold too.
        hi: f64,
        /// The threshold.
        threshold: f64,
    },
    /// A reward that is to be large, and that some scheduler earns without end.
    EndlessReward {
        /// The name of the reward structure.
        rewards: String,
    },
    /// Every scheduler earns without end a reward that is to be small.
    EndlessCost,
    /// No scheduler meets all bounds of `multi(…)`.
    Unachievable,
    /// Neither a scheduler that meets all bounds of `multi(…)` was found, nor a proof that there is none.
    OnTheEdge {
        /// How near a scheduler comes, for each objective in units of that objective.
        distance: f64,
    },
    /// The condition of a conditional probability has probability zero.
    ImpossibleCondition {
        /// A state where this is so.
        state: u32,
    },
    /// A path formula whose automaton would be too large, whatever the memory.
    TooLarge {
        /// The thing of which there is too much.
        what: String,
    },
    /// The question has no rational answer.
    NotRational {
        /// The reason, as a sentence without its full stop.
        what: String,
    },
    /// The exact answer would be too large, or too hard to get.
    TooLargeExactly {
        /// The thing that is too large.
        what: String,
    },
    /// A limit was reached or the user stopped.
    Limit(Stop),
}

impl From<Stop> for CheckError {
    fn from(stop: Stop) -> Self {
        CheckError::Limit(stop)
    }
}

impl std::fmt::Display for CheckError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            CheckError::NotYetEvaluated { what } => write!(f, "{what}: not evaluated yet"),
            CheckError::WrongKind { what, kind } => write!(f, "{what} has no meaning for a {kind}"),
            CheckError::NeedsOptimum => f.write_str("a model with nondeterminism needs min or max"),
            CheckError::SeveralStates { count } => {
                write!(f, "one state expected, but the filter holds in {count}")
            }
            CheckError::EmptyFilter => f.write_str("the filter holds in no state"),
            CheckError::TypeMismatch { what } => f.write_str(what),
            CheckError::MissingObservation { what } => write!(f, "the state space carries no {what}"),
            CheckError::NegativeReward { rewards, state, value } => {
                write!(f, "reward structure \"{rewards}\" is {value} in state {state}")
            }
            CheckError::NotFinite { what } => write!(f, "{what} is not a finite number"),
            CheckError::BadBound { what } => f.write_str(what),
            CheckError::Undefined { what } => write!(f, "{what} has no result"),
            CheckError::CannotDecide { state, lo, hi, threshold } => write!(
                f,
                "in state {state} the value lies in [{lo}, {hi}], which does not decide the comparison with {threshold}"
            ),
            CheckError::EndlessReward { rewards } => {
                write!(f, "some scheduler earns the reward \"{rewards}\" without end")
            }
            CheckError::EndlessCost => {
                f.write_str("every scheduler earns without end a reward that is to be small")
            }
            CheckError::Unachievable => f.write_str("no scheduler meets all bounds"),
            CheckError::OnTheEdge { distance } => {
                write!(f, "the bounds are met up to {distance}, which decides nothing")
            }
            CheckError::ImpossibleCondition { state } => {
                write!(f, "the condition has probability zero in state {state}")
            }
            CheckError::TooLarge { what } => write!(f, "too many {what}"),
            CheckError::NotRational { what } => f.write_str(what),
            CheckError::TooLargeExactly { what } => write!(f, "{what} is too large for rational arithmetic"),
            CheckError::Limit(stop) => write!(f, "stopped: {stop}"),
        }
    }
}

impl std::error::Error for CheckError {}
