//! Unsupported features, and failures of paths.

use volvelle_kernel::Site;
use volvelle_model::{ActionId, Kind};

/// Why a program or a property is not simulated.
#[derive(Clone, Debug, PartialEq)]
pub enum Unsupported {
    /// The choices of this kind of model are not resolved by chance.
    Nondeterministic(Kind),
    /// There are no choices for a scheduler to make.
    NoChoices,
    /// The scheduler is for another model.
    Mismatch(Mismatch),
    /// Processes come and go.
    Processes,
    /// Steps exchange values, or yield to others.
    Unflattened,
    /// It applies functions that its front end evaluates.
    Functions,
    /// The initial states are given by a condition.
    InitialCondition,
    /// Several initial states, or none.
    InitialStates(usize),
    /// A group has more combinations of alternatives than code is generated for.
    TooManyCombinations {
        /// Index of the group.
        group: usize,
    },
    /// A property that single paths do not decide.
    Property(UnsupportedProperty),
    /// A time bound without meaning.
    TimeBound(UnsupportedBound),
    /// A condition of a property fails in a state of an explicit model.
    Condition {
        /// The site of failure.
        site: Site,
        /// Values of the fields.
        state: Vec<i64>,
    },
    /// Compilation failed.
    Compile(String),
}

impl std::fmt::Display for Unsupported {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Unsupported::Nondeterministic(kind) if kind.has_rates() => {
                write!(f, "there is no engine for paths of models of type {}", kind.name())
            }
            Unsupported::Nondeterministic(_) => f.write_str("its choices are not resolved by chance"),
            Unsupported::NoChoices => f.write_str("it has no choices for a scheduler"),
            Unsupported::Mismatch(_) => f.write_str("the scheduler is for another model"),
            Unsupported::Unflattened => f.write_str("its steps exchange values or have priorities"),
            Unsupported::Functions => f.write_str("it applies functions on data terms"),
            Unsupported::Processes => f.write_str("its processes are created dynamically"),
            Unsupported::InitialCondition => f.write_str("its initial states are defined by a condition"),
            Unsupported::InitialStates(0) => f.write_str("it has no initial state"),
            Unsupported::InitialStates(n) => write!(f, "it has {n} initial states"),
            Unsupported::TooManyCombinations { .. } => {
                f.write_str("a synchronisation has too many combinations for code generation")
            }
            Unsupported::Property(why) => why.fmt(f),
            Unsupported::TimeBound(why) => why.fmt(f),
            Unsupported::Condition { .. } => f.write_str("a condition fails in some state"),
            Unsupported::Compile(why) => write!(f, "no code could be generated: {why}"),
        }
    }
}

impl std::error::Error for Unsupported {}

/// A kind of property that single paths do not decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnsupportedProperty {
    /// Not a single operator `P` or `R`.
    Combination,
    /// Nested operators, evaluated in states of the path.
    Nested,
    /// A filter: paths start in the initial state.
    Filter,
    /// `A` or `E`: samples do not decide what holds on all paths.
    AllPaths,
    /// A conditional probability.
    Conditional,
    /// A quantile.
    Quantile,
    /// A bound on a reward within a combination of temporal operators.
    InnerRewardBound,
    /// A bound on a reward in continuous time.
    TimedRewardBound,
    /// More bounds on rewards than a path has sums for.
    TooManyRewardBounds,
    /// A bound on a reward of which only the mean over the steps out of a state is known.
    BoundOnMeans,
    /// A bound on a reward that is negative somewhere.
    BoundOnNegative,
    /// An automaton in the place of a path formula.
    Automaton,
    /// A discounted reward, or one under a condition.
    WeightedReward,
    /// Several objectives at a time.
    SeveralObjectives,
    /// The probability of a state in the long run.
    LongRunProbability,
    /// The average reward in the long run.
    LongRunReward,
    /// The reward of paths without end.
    TotalReward,
    /// A reward until a formula holds that no finite path satisfies.
    RewardForAllTime,
    /// A time bound inside another temporal operator, in continuous time.
    InnerTimeBound,
    /// More conditions on states than an automaton reads.
    TooManyConditions,
    /// The automaton of the path formula is too large.
    AutomatonTooLarge,
    /// Importance splitting of a reward.
    SplittingOfReward,
    /// Importance splitting with a time bound that has a lower end.
    SplittingWithLowerBound,
    /// Importance splitting with bounds on rewards.
    SplittingWithRewardBound,
    /// Importance splitting of a combination of temporal operators.
    SplittingOfCombination,
    /// Importance splitting of an event that the first steps decide.
    SplittingOfNearTarget,
    /// Importance splitting under a scheduler of a file.
    SplittingWithScheduler,
    /// Importance splitting of a model that is given by its states.
    SplittingOfStates,
}

impl std::fmt::Display for UnsupportedProperty {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            UnsupportedProperty::Combination => "only a single P or R operator can be simulated",
            UnsupportedProperty::Nested => "nested operators cannot be simulated",
            UnsupportedProperty::Filter => "paths start in the initial state, so there is nothing to filter",
            UnsupportedProperty::AllPaths => "sampled paths cannot decide whether a formula holds on all paths",
            UnsupportedProperty::Conditional => {
                "a conditional probability is a ratio of two means, of which the intervals say nothing"
            }
            UnsupportedProperty::Quantile => "an amount is asked for, which paths with a given amount do not estimate",
            UnsupportedProperty::InnerRewardBound => {
                "bounds on rewards inside a combination of temporal operators cannot be simulated"
            }
            UnsupportedProperty::TimedRewardBound => "bounds on rewards and steps need a model in discrete time",
            UnsupportedProperty::TooManyRewardBounds => "a path keeps the sums of at most four bounds on rewards",
            UnsupportedProperty::BoundOnMeans => {
                "the bounded reward differs between steps out of a state, of which only the mean is known here"
            }
            UnsupportedProperty::BoundOnNegative => "a bounded reward is negative in some state",
            UnsupportedProperty::Automaton => "automata in files cannot be simulated",
            UnsupportedProperty::WeightedReward => "discounted and conditional rewards cannot be simulated",
            UnsupportedProperty::SeveralObjectives => "several objectives are no single number of a path",
            UnsupportedProperty::LongRunProbability => "a long-run probability depends on infinite paths",
            UnsupportedProperty::LongRunReward => "a long-run average depends on infinite paths",
            UnsupportedProperty::TotalReward => "a total reward depends on infinite paths",
            UnsupportedProperty::RewardForAllTime => {
                "rewards accumulate until a finite path satisfies the formula, but this formula refers to infinite paths"
            }
            UnsupportedProperty::InnerTimeBound => {
                "time bounds inside a combination of temporal operators cannot be simulated"
            }
            UnsupportedProperty::TooManyConditions => "the path formula has too many parts for an automaton",
            UnsupportedProperty::AutomatonTooLarge => "the automaton of the path formula is too large",
            UnsupportedProperty::SplittingOfReward => "importance splitting applies to probabilities only",
            UnsupportedProperty::SplittingWithLowerBound => {
                "importance splitting supports only time bounds without a lower end"
            }
            UnsupportedProperty::SplittingWithRewardBound => {
                "importance splitting does not support bounds on rewards"
            }
            UnsupportedProperty::SplittingOfCombination => {
                "importance splitting supports only a single until, such as F target"
            }
            UnsupportedProperty::SplittingOfNearTarget => {
                "importance splitting needs a target that is many steps away"
            }
            UnsupportedProperty::SplittingOfStates => {
                "importance splitting needs the commands of a model, not only its states"
            }
            UnsupportedProperty::SplittingWithScheduler => {
                "importance splitting does not support schedulers from files"
            }
        })
    }
}

/// A time bound without meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnsupportedBound {
    /// It is infinite, negative or no number.
    NotATime,
    /// It counts steps, and is no integer.
    NotWhole,
    /// It counts more steps than a path has.
    TooManySteps,
}

impl std::fmt::Display for UnsupportedBound {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            UnsupportedBound::NotATime => "a time bound must be finite and not negative",
            UnsupportedBound::NotWhole => "a step bound must be an integer",
            UnsupportedBound::TooManySteps => "the step bound is too large",
        })
    }
}

/// A decision that does not fit a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// Index of the decision.
    pub decision: usize,
    /// The kind of the mismatch.
    pub why: MismatchKind,
}

/// The kind of a mismatch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MismatchKind {
    /// The choice is not among this number of enabled ones.
    NoSuchChoice(usize),
    /// The choice shows another action.
    OtherAction(ActionId),
    /// There is another decision for the state.
    Twice,
}

/// A failure of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Number of the path.
    pub path: u64,
    /// The site that failed, of the program.
    pub site: Site,
}
