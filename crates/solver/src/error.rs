//! The reasons why a property has no answer.

use volvelle_control::Stop;
use volvelle_logic::gate::Flaw;
use volvelle_space::Kind;

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
    /// What a path accumulates is not known: only the mean of different rewards of one choice.
    MixedRewards {
        /// The reward structure.
        what: String,
    },
    /// A scheduler loses more the longer it stays, so that none is the best.
    EndlessLoss {
        /// The name of the reward structure.
        rewards: String,
        /// A state in which it loses and stays.
        state: u32,
    },
    /// Gains and losses that a scheduler can repeat may balance: bounds do not tell on which side they are.
    BalancedLoss {
        /// The name of the reward structure.
        rewards: String,
        /// A state in which they can be repeated.
        state: u32,
        /// States of the space, which may be a product with automata.
        states: usize,
    },
    /// An expected reward under a condition, on an MDP.
    ConditionalReward,
    /// No amount meets the threshold of a quantile.
    NoAmount {
        /// A state where this is so.
        state: u32,
    },
    /// No engine computes values of this kind of model.
    NoEngine {
        /// The name of the kind.
        kind: &'static str,
    },
    /// `P=?` on an MDP, without minimum or maximum.
    NeedsOptimum,
    /// A number of the model has no value in a state where it is needed.
    UndefinedNumber {
        /// The number.
        number: u32,
        /// The state.
        state: u32,
    },
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
    /// Bounds that say nothing, and no other way to compute the number.
    Flawed(Flaw),
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
    /// A maximised reward that is infinite under some scheduler.
    EndlessReward {
        /// The name of the reward structure.
        rewards: String,
    },
    /// Neither a scheduler that meets all bounds of `multi(…)` was found, nor a proof that none exists.
    OnTheEdge {
        /// How near a scheduler comes, for each objective in units of that objective.
        distance: f64,
        /// States of the space that was searched, a product with automata.
        states: usize,
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

impl From<Flaw> for CheckError {
    fn from(flaw: Flaw) -> Self {
        CheckError::Flawed(flaw)
    }
}

impl From<Stop> for CheckError {
    fn from(stop: Stop) -> Self {
        CheckError::Limit(stop)
    }
}

impl std::fmt::Display for CheckError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            CheckError::NotYetEvaluated { what } => write!(f, "{what} cannot be evaluated yet"),
            CheckError::WrongKind { what, kind } => write!(f, "{what} has no meaning for a {kind}"),
            CheckError::UndefinedNumber { number, state } => {
                write!(f, "number {number} of the model has no value in state {state}")
            }
            CheckError::MixedRewards { what } => {
                write!(f, "{what} gives different rewards to one choice, of which only the mean is known")
            }
            CheckError::EndlessLoss { rewards, state } => write!(
                f,
                "a scheduler can earn negative rewards of \"{rewards}\" again and again in state {state}"
            ),
            CheckError::BalancedLoss { rewards, state, .. } => {
                write!(f, "gains and losses of \"{rewards}\" may balance in state {state}")
            }
            CheckError::ConditionalReward => {
                f.write_str("a reward under a condition is not evaluated on an MDP")
            }
            CheckError::NoAmount { state } => write!(f, "no amount meets the threshold in state {state}"),
            CheckError::NeedsOptimum => f.write_str("a model with nondeterminism needs min or max"),
            CheckError::SeveralStates { count } => {
                write!(f, "one state expected, but the filter holds in {count}")
            }
            CheckError::EmptyFilter => f.write_str("the filter holds in no state"),
            CheckError::TypeMismatch { what } => f.write_str(what),
            CheckError::MissingObservation { what } => write!(f, "the state space has no {what}"),
            CheckError::NegativeReward { rewards, state, value } => {
                write!(f, "reward structure \"{rewards}\" is {value} in state {state}")
            }
            CheckError::NotFinite { what } => write!(f, "{what} is not a finite number"),
            CheckError::BadBound { what } => f.write_str(what),
            CheckError::Undefined { what } => write!(f, "{what} has no result"),
            CheckError::Flawed(flaw) => write!(f, "the computation left the range of doubles: {flaw}"),
            CheckError::CannotDecide { state, lo, hi, threshold } => write!(
                f,
                "in state {state} the value lies in [{lo}, {hi}], which does not decide the comparison with {threshold}"
            ),
            CheckError::EndlessReward { rewards } => {
                write!(f, "some scheduler has an infinite reward \"{rewards}\"")
            }
            CheckError::OnTheEdge { distance, .. } => {
                write!(f, "the bounds are satisfied up to {distance}, which is not conclusive")
            }
            CheckError::ImpossibleCondition { state } => {
                write!(f, "the condition has probability zero in state {state}")
            }
            CheckError::TooLarge { what } => write!(f, "too many {what}"),
            CheckError::NotRational { what } => f.write_str(what),
            CheckError::TooLargeExactly { what } => write!(f, "{what} is too large for rational arithmetic"),
            CheckError::NoEngine { kind } => write!(f, "there is no engine for models of type {kind}"),
            CheckError::Limit(stop) => write!(f, "stopped: {stop}"),
        }
    }
}

impl std::error::Error for CheckError {}

/// The reason why there is no witness for a property.
#[derive(Clone, Debug, PartialEq)]
pub enum WitnessError {
    /// A property of this form has none.
    Form(NoWitness),
    /// The property has no answer.
    Check(CheckError),
}

/// The form of a property that has no witness.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoWitness {
    /// It asks neither for a probability nor for a reward.
    NotAMeasure,
    /// It is not about reaching states.
    NotReachability,
    /// Its path formula combines temporal operators.
    NeedsMemory,
    /// Its path formula is neither until nor globally.
    OtherOperator,
    /// Its path formula has a bound on time or steps.
    NeedsCounter,
    /// A scheduler is asked for, and a model of this kind has no choices.
    NoChoices(Kind),
    /// Its filter holds in no state.
    EmptyFilter,
    /// Several objectives are to be optimised: there is a scheduler for every point of the curve.
    Curve,
    /// No scheduler meets all bounds.
    NoneMeets,
    /// Values are requested in several states, each of which has its own best scheduler.
    SeveralStarts,
    /// It asks for an amount.
    Quantile,
    /// Its scheduler remembers what is left of bounds, and has more decisions than this.
    TooManyAmounts(usize),
    /// Schedulers of this are not written down.
    Unavailable(&'static str),
}

impl std::fmt::Display for NoWitness {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            NoWitness::NotAMeasure => f.write_str("it is not a probability or reward property"),
            NoWitness::NotReachability => f.write_str("it is not about reaching a set of states"),
            NoWitness::NeedsMemory => {
                f.write_str("combinations of temporal operators need a scheduler with memory")
            }
            NoWitness::OtherOperator => f.write_str("its path formula is neither until nor globally"),
            NoWitness::NeedsCounter => f.write_str("its path formula has a bound on time or steps"),
            NoWitness::NoChoices(kind) => write!(f, "a {} has no choices", kind.name()),
            NoWitness::EmptyFilter => f.write_str("its filter holds in no state"),
            NoWitness::Curve => f.write_str(
                "several objectives are to be optimised: every point of the curve has its own scheduler",
            ),
            NoWitness::NoneMeets => f.write_str("no scheduler meets all bounds"),
            NoWitness::Quantile => f.write_str("it asks for an amount, and a scheduler has a probability"),
            NoWitness::TooManyAmounts(most) => write!(
                f,
                "the scheduler depends on what is left of the bounds: there are more than {most} pairs of a state and an amount"
            ),
            NoWitness::Unavailable(what) => write!(f, "schedulers of {what} are not available"),
            NoWitness::SeveralStarts => {
                f.write_str("there are several initial states, each of which has its own best scheduler")
            }
        }
    }
}

impl From<NoWitness> for WitnessError {
    fn from(form: NoWitness) -> Self {
        WitnessError::Form(form)
    }
}

impl From<CheckError> for WitnessError {
    fn from(error: CheckError) -> Self {
        WitnessError::Check(error)
    }
}

impl From<Stop> for WitnessError {
    fn from(stop: Stop) -> Self {
        WitnessError::Check(stop.into())
    }
}

impl std::fmt::Display for WitnessError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            WitnessError::Form(form) => form.fmt(f),
            WitnessError::Check(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for WitnessError {}
