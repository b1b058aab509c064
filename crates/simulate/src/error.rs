//! Unsupported features, and failures of paths.

use volvelle_kernel::Site;
use volvelle_model::{ActionId, Kind};

/// Why a program or a property is not simulated.
#[derive(Clone, Debug, PartialEq)]
pub enum Refusal {
    /// The choices of this kind of model are not resolved by chance.
    Nondeterministic(Kind),
    /// There are no choices for a scheduler to make.
    NoChoices,
    /// The scheduler is for another model.
    Mismatch(Mismatch),
    /// Processes come and go.
    Processes,
    /// The initial states are given by a condition.
    InitialCondition,
    /// Several initial states, or none.
    InitialStates(usize),
    /// More combinations of a group's alternatives than code is made for.
    TooManyCombinations {
        /// Index of the group.
        group: usize,
    },
    /// A property that single paths do not answer.
    Property(&'static str),
    /// A time bound without meaning.
    BadBound(&'static str),
    /// No code could be made.
    Compile(String),
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Refusal::Nondeterministic(_) => f.write_str("its choices are not resolved by chance"),
            Refusal::NoChoices => f.write_str("it leaves no choices to a scheduler"),
            Refusal::Mismatch(_) => f.write_str("the scheduler is for another model"),
            Refusal::Processes => f.write_str("its processes come and go"),
            Refusal::InitialCondition => f.write_str("its initial states are given by a condition"),
            Refusal::InitialStates(0) => f.write_str("it has no initial state"),
            Refusal::InitialStates(n) => write!(f, "it has {n} initial states"),
            Refusal::TooManyCombinations { .. } => {
                f.write_str("a synchronisation has more combinations than code can be made for")
            }
            Refusal::Property(why) | Refusal::BadBound(why) => f.write_str(why),
            Refusal::Compile(why) => write!(f, "no code could be made: {why}"),
        }
    }
}

impl std::error::Error for Refusal {}

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
