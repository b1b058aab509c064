//! Progress of long work: what is reported, and who receives it.

/// The states that a search counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counted {
    /// They are states of a product: pairs of a state of the model and one of an automaton.
    pub is_product: bool,
    /// The search is depth first: what it has not finished is a stack.
    pub is_depth_first: bool,
}

/// A report on the progress of long work, shown as one line.
#[derive(Clone, Debug, PartialEq)]
pub enum ProgressEvent {
    /// Exploration or search: states stored, transitions found, states still to expand, bytes held.
    Exploring {
        /// What is counted and what is pending.
        counted: Counted,
        /// States stored so far.
        states: u64,
        /// Transitions found so far.
        transitions: u64,
        /// States whose successors are not known yet; of a depth-first search the states on its stack.
        frontier: u64,
        /// Bytes held.
        bytes: u64,
    },
    /// A run that violates a property was found, and the search goes on for a shorter one.
    Counterexample {
        /// The property, by its name.
        property: String,
        /// What is wrong with the run.
        reason: String,
        /// Its length.
        steps: u64,
        /// Whether it is the first run that violates this property.
        is_first: bool,
    },
    /// The answer for a property, while other properties are still under work.
    Answer {
        /// The property, by its name.
        property: String,
        /// Whether it holds.
        holds: bool,
        /// Steps of the run that shows it, where there is one.
        steps: Option<u64>,
    },
    /// Properties answered, of how many; and again for each state space of an experiment.
    Answered {
        /// Answered so far.
        done: u64,
        /// The number of properties for this state space.
        total: u64,
    },
    /// An experiment: progress on the points of its grid.
    Points {
        /// Done so far.
        done: u64,
        /// All points of the grid.
        total: u64,
    },
    /// A simulation.
    Sampling {
        /// Paths so far.
        paths: u64,
        /// The number of paths to sample, 0 where unknown.
        total: u64,
        /// Steps a second.
        steps_per_second: f64,
        /// The current estimate of the mean, for a single property.
        interval: Option<[f64; 2]>,
    },
    /// Refinement of a partition of states: classes found, of how many states, after how many rounds.
    Refining {
        /// Rounds done.
        rounds: u64,
        /// Classes so far.
        classes: u64,
        /// States.
        states: u64,
    },
    /// Programs that are executed, or traces and streams that are gone through: by all passes together.
    Executing {
        /// What is counted: `instructions`, `outcomes`, `accesses`.
        what: &'static str,
        /// How many so far.
        done: u64,
        /// The share of all work that is done, from 0 to 1; none where the length of a pass is not known before its end.
        share: Option<f64>,
        /// Passes that have ended, of how many.
        passes: [u64; 2],
    },
    /// Bodies in motion.
    Moving {
        /// Where their time began, where it is now, and where it ends.
        times: [f64; 3],
        /// Steps since the beginning.
        steps: u64,
    },
    /// An iterative solver: steps done, of how many (0 = unknown), current error or distance.
    Solving {
        /// The method, e.g. `interval iteration`.
        what: &'static str,
        /// Steps done.
        done: u64,
        /// Steps in all, 0 where unknown.
        total: u64,
        /// Current error bound or difference between iterates.
        error: f64,
    },
}

/// Receives reports on progress; called a few times a second at most per engine thread.
pub trait Progress: Sync {
    /// Shows an event; must return quickly.
    fn report(&self, event: ProgressEvent);
}

/// Ignores all reports.
pub struct Silent;

impl Progress for Silent {
    fn report(&self, _: ProgressEvent) {}
}
