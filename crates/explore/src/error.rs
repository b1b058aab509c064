//! The reasons why exploration did not finish.

use crate::memo::Undefined;
use crate::step::Step;
use volvelle_control::Stop;
use volvelle_kernel::{CompileError, Site};
use volvelle_model::kernels::KernelError;
use volvelle_space::StateId;

/// Sizes when exploration ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reached {
    /// States found.
    pub states: u64,
    /// Number of states with known successors.
    pub expanded: u64,
    /// Transitions found.
    pub transitions: u64,
    /// Bytes held.
    pub bytes: u64,
}

/// The reason why exploration did not finish.
#[derive(Clone, Debug, PartialEq)]
pub enum ExploreError {
    /// A limit was reached or the user stopped it.
    Stopped {
        /// Which.
        stop: Stop,
        /// The sizes at that point.
        reached: Reached,
    },
    /// Evaluating the program failed.
    Failed {
        /// The site of failure, as an index into the program's sites.
        site: Site,
        /// The state (before the step): one value per field.
        values: Vec<i64>,
        /// Its number, unless it failed before it got one (in the predicate of initial states).
        state: Option<StateId>,
        /// A shortest path to it from an initial state.
        path: Vec<Step>,
    },
    /// A function that the front end evaluates has no value.
    Undefined {
        /// The site of the application, as an index into the program's sites.
        site: Site,
        /// The application, and why it has no value.
        application: Undefined,
        /// The state (before the step): one value per field.
        values: Vec<i64>,
        /// Its number.
        state: StateId,
        /// A shortest path to it from an initial state.
        path: Vec<Step>,
    },
    /// No state is initial.
    NoInitialState,
    /// The condition on initial states does not bind the fields that it reads, and there are too many
    /// valuations to try.
    LooseStart {
        /// Number of sets of valuations that were examined.
        steps: u64,
        /// Initial states among them.
        found: u64,
    },
    /// More states or transitions than 32-bit numbers can count.
    TooLarge {
        /// The noun for the objects of which there are too many.
        what: &'static str,
    },
    /// The program has a group that kernels cannot express.
    Kernel(KernelError),
    /// The back end gave up.
    Compile(CompileError),
}

impl From<KernelError> for ExploreError {
    fn from(error: KernelError) -> Self {
        ExploreError::Kernel(error)
    }
}

impl From<CompileError> for ExploreError {
    fn from(error: CompileError) -> Self {
        ExploreError::Compile(error)
    }
}
